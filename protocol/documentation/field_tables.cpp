#include "protocol/documentation/field_tables.hpp"

#include <cstdio>
#include <map>
#include <optional>
#include <type_traits>

#include "protocol/messages.hpp"
#include "protocol/messages/enqueue_fields.hpp"
#include "protocol/messages/events_fields.hpp"
#include "protocol/messages/inspect_fields.hpp"
#include "protocol/messages/worker_fields.hpp"
#include "protocol/words.hpp"

namespace stint {
namespace {

using namespace wire;

constexpr std::string_view section_begin = "<!-- fields: ";
constexpr std::string_view begin_end = " -->\n";
constexpr std::string_view section_end = "<!-- end -->";

std::string quoted(std::string_view text) { return "`" + std::string(text) + "`"; }

std::string anchor(std::string_view name) {
  std::string anchor = "#";
  for (const char c : name) anchor += c == ' ' ? '-' : c;
  return "[" + std::string(name) + "](" + anchor + ")";
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

std::string name_of(BoundOf bound) {
  if (bound == &Bounds::payload_bytes) return "`payload_bytes`";
  if (bound == &Bounds::result_bytes) return "`result_bytes`";
  if (bound == &Bounds::meta_bytes) return "`meta_bytes`";
  return "`jobs_per_request`";
}

// --- What a rule allows, in words. The member's type says what the rule leaves open. ---

template <class Member>
std::string type(const Integer& rule) {
  const bool has_most = rule.most != largest_integer;
  if (rule.least == -largest_integer) return "integer";
  if (!has_most) return "integer ≥ " + std::to_string(rule.least);
  return "integer, " + std::to_string(rule.least) + " to " + std::to_string(rule.most);
}
template <class Member>
std::string type(const Number& rule) {
  if (rule.most == any_number.most) return "number";
  return "number, " + number(rule.least) + " to " + number(rule.most);
}
template <class Member>
std::string type(Flag) {
  return "boolean";
}
template <class Member>
std::string type(Word) {
  std::string text;
  for (const std::string_view word : words_of<Member>) text += (text.empty() ? "" : ", ") + quoted(word);
  return "one of " + text;
}
template <class Member>
std::string type(Session) {
  return "bin or str of 16 bytes";
}
template <class Member>
std::string type(QueueName) {
  return "queue name";
}
template <class Member>
std::string type(WorkerName) {
  return "worker name";
}
template <class Member>
std::string type(HandlerName) {
  return "handler name";
}
template <class Member>
std::string type(const Text& rule) {
  if (rule.most_bytes == any_text.most_bytes) return "text";
  return "text of " + std::to_string(rule.least_bytes) + " to " + std::to_string(rule.most_bytes) + " bytes";
}
template <class Member>
std::string type(Report) {
  return "text";
}
template <class Member>
std::string type(const Opaque& rule) {
  return rule.most_bytes ? "bin or str of up to " + name_of(rule.most_bytes) : "bin or str";
}
template <class Member>
std::string type(const Dictionary& rule) {
  return "map of text to text" + (rule.most_bytes ? ", up to " + name_of(rule.most_bytes) : "");
}
template <class Member>
std::string type(Nested) {
  return anchor(Fields<Member>::name);
}
std::string size(std::int64_t least, std::int64_t most) {
  if (most == Bounds::message_values) return "";
  return ", " + std::to_string(least) + " to " + std::to_string(most) + " of them";
}
template <class Member, class Item>
std::string type(const List<Item>& rule) {
  return "list of " + type<typename Member::value_type>(rule.item) +
         (rule.most_items ? ", up to " + name_of(rule.most_items) : size(rule.least, rule.most));
}
template <class Member, class Key, class Value>
std::string type(const Map<Key, Value>& rule) {
  return "map of " + type<std::string>(rule.key) + " to " + type<typename Member::mapped_type>(rule.value) +
         size(rule.least, rule.most);
}

// --- What holds in a field's absence. ---

std::string absence(std::int64_t value) { return std::to_string(value); }
std::string absence(int value) { return std::to_string(value); }
std::string absence(bool value) { return value ? "true" : "false"; }
std::string absence(const std::string& value) { return value.empty() ? "—" : "`\"" + value + "\"`"; }
std::string absence(const Payload&) { return "empty bin"; }
template <class Other>
std::string absence(const Other&) {
  return "—";
}

template <class Member>
struct Bare {
  using type = Member;
};
template <class Member>
struct Bare<std::optional<Member>> {
  using type = Member;
};

// --- Tables. ---

template <class Owner, class Member, class Rule, bool required>
std::string row(const Field<Owner, Member, Rule, required>& field) {
  const std::string absent = required ? "required" : absence(Owner{}.*field.member);
  return "| " + quoted(field.key) + " | " + type<typename Bare<Member>::type>(field.rule) + " | " + absent +
         " | " + std::string(field.doc) + " |\n";
}

template <class Owner>
std::string row(const Reserved& field) {
  return "| " + quoted(field.key) + " | not in this version: refused | — | " + std::string(field.doc) +
         " |\n";
}

template <class Owner>
std::string table() {
  std::string text = std::string(Fields<Owner>::doc) + "\n\n";
  if (field_count<Owner> == 0) return text + "No fields.\n";
  text += "| field | holds | if absent | meaning |\n|---|---|---|---|\n";
  each_field<Owner>([&]<class Field>(const Field& field) {
    if constexpr (is_reserved<Field>) {
      text += row<Owner>(field);
    } else {
      text += row(field);
    }
  });
  return text;
}

using Tables = std::map<std::string, std::string, std::less<>>;

template <class... Owners>
Tables tables_of() {
  return {{std::string(Fields<Owners>::name), table<Owners>()}...};
}

template <class Variant>
struct TablesOfVariant;
template <class... Messages>
struct TablesOfVariant<std::variant<Messages...>> {
  static Tables make() { return tables_of<Messages...>(); }
};

Tables all_tables() {
  Tables tables =
      tables_of<Backoff, NewJob, HandlerDeclaration, WelcomeBounds, WelcomeDefaults, LeasedJob, RunError,
                RunResult, StaleResult, Finish::Faulty, RunningJob, JobRun, QueueView, WorkerView, JobView,
                RunView, ErrorItem, Limit, PauseReport, EventItem, EventMessage, EventLogHead>();
  tables.merge(TablesOfVariant<Request>::make());
  tables.merge(TablesOfVariant<Answer>::make());
  return tables;
}

}  // namespace

Result<std::string> with_field_tables(std::string_view document) {
  const Tables tables = all_tables();
  std::string out;
  while (true) {
    const std::size_t begin = document.find(section_begin);
    if (begin == std::string_view::npos) return out += document;
    const std::size_t name = begin + section_begin.size();
    const std::size_t name_end = document.find(begin_end, name);
    const std::size_t end = document.find(section_end, begin);
    if (name_end == std::string_view::npos || end < name_end || end == std::string_view::npos) {
      return Error{.code = ErrorCode::bad_message, .message = "a section of fields does not end"};
    }
    const auto found = tables.find(document.substr(name, name_end - name));
    if (found == tables.end()) {
      return Error{.code = ErrorCode::not_found,
                   .message = "not declared: " + std::string(document.substr(name, name_end - name))};
    }
    out += document.substr(0, name_end + begin_end.size());
    out += found->second;
    out += section_end;
    document.remove_prefix(end + section_end.size());
  }
}

std::vector<std::string> undocumented(std::string_view document) {
  std::vector<std::string> missing;
  for (const auto& [name, table] : all_tables()) {
    const std::string section = std::string(section_begin) + name + std::string(begin_end);
    if (document.find(section) == std::string_view::npos) missing.push_back(name);
  }
  return missing;
}

}  // namespace stint
