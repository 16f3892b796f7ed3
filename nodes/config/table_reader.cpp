#include "nodes/config/table_reader.hpp"

#include <algorithm>
#include <cmath>

#include "nodes/config/duration.hpp"
#include "nodes/config/limit_text.hpp"

namespace stint {

namespace {

std::string brief(double number) {
  std::string text = std::to_string(number);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

bool needs_quotes(std::string_view key) {
  return key.empty() ||
         key.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") !=
             std::string_view::npos;
}

}  // namespace

TableReader::TableReader(const TomlValue::Table& table, std::string path, ConfigFaults& faults)
    : table_(table), path_(std::move(path)), faults_(faults) {}

TableReader::~TableReader() {
  for (const TomlEntry& entry : table_) {
    if (std::find(known_.begin(), known_.end(), entry.key) != known_.end()) continue;
    std::string expected;
    for (const std::string_view key : known_) expected.append(expected.empty() ? "" : ", ").append(key);
    faults_.push_back(
        {.line = entry.line,
         .key = path_of(entry.key),
         .message = "unknown key; expected one of: " + (expected.empty() ? "(none)" : expected)});
  }
}

std::string TableReader::path_of(std::string_view key) const {
  std::string path = path_.empty() ? "" : path_ + ".";
  return needs_quotes(key) ? path + '"' + std::string(key) + '"' : path + std::string(key);
}

const TomlValue* TableReader::find(std::string_view key) const {
  for (const TomlEntry& entry : table_) {
    if (entry.key == key) return &entry.value;
  }
  return nullptr;
}

const TomlValue* TableReader::take(std::string_view key) {
  known_.push_back(key);
  return find(key);
}

void TableReader::fault(std::string_view key, const TomlValue& value, std::string message) {
  faults_.push_back(
      {.line = value.line, .key = path_of(key), .value = value.written, .message = std::move(message)});
}

void TableReader::text(std::string_view key, std::optional<std::string>& target, const TextCheck& check) {
  const TomlValue* const value = take(key);
  if (value == nullptr) return;
  const std::string* const text = std::get_if<std::string>(&value->value);
  if (text == nullptr) return fault(key, *value, "expected a text in quotes");
  if (const auto expected = check(*text)) return fault(key, *value, "expected " + *expected);
  target = *text;
}

void TableReader::texts(std::string_view key, std::vector<std::string>& target, const TextCheck& check) {
  const TomlValue* const value = take(key);
  if (value == nullptr) return;
  const auto* const array = std::get_if<TomlValue::Array>(&value->value);
  if (array == nullptr || array->empty())
    return fault(key, *value, "expected a list of texts: [\"...\", \"...\"]");
  target.clear();
  for (const TomlValue& element : *array) {
    const std::string* const text = std::get_if<std::string>(&element.value);
    if (text == nullptr) {
      fault(key, element, "expected a text in quotes");
    } else if (const auto expected = check(*text)) {
      fault(key, element, "expected " + *expected);
    } else {
      target.push_back(*text);
    }
  }
}

void TableReader::boolean(std::string_view key, std::optional<bool>& target) {
  const TomlValue* const value = take(key);
  if (value == nullptr) return;
  const bool* const boolean = std::get_if<bool>(&value->value);
  if (boolean == nullptr) return fault(key, *value, "expected true or false");
  target = *boolean;
}

void TableReader::whole(std::string_view key, std::int64_t& target, std::int64_t least, std::int64_t most) {
  const TomlValue* const value = take(key);
  if (value == nullptr) return;
  const std::int64_t* const number = std::get_if<std::int64_t>(&value->value);
  if (number == nullptr || *number < least || *number > most) {
    return fault(key, *value,
                 "expected a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  }
  target = *number;
}

void TableReader::any_whole(std::string_view key, std::optional<std::int64_t>& target) {
  const TomlValue* const value = take(key);
  if (value == nullptr) return;
  const std::int64_t* const number = std::get_if<std::int64_t>(&value->value);
  if (number == nullptr) return fault(key, *value, "expected a whole number");
  target = *number;
}

void TableReader::any_rate(std::string_view key, std::optional<double>& target) {
  const TomlValue* const value = take(key);
  if (value == nullptr) return;
  if (const auto* const whole = std::get_if<std::int64_t>(&value->value)) {
    target = static_cast<double>(*whole);
  } else if (const auto* const real = std::get_if<double>(&value->value)) {
    target = *real;
  } else if (const auto* const text = std::get_if<std::string>(&value->value)) {
    const auto rate = parse_rate(*text);
    if (!rate) return fault(key, *value, "expected starts a second, or a text like \"5/m\" or \"100/h\"");
    target = *rate;
  } else {
    fault(key, *value, "expected starts a second, or a text like \"5/m\" or \"100/h\"");
  }
}

void TableReader::number(std::string_view key, double& target, double least, double most) {
  const TomlValue* const value = take(key);
  if (value == nullptr) return;
  double number = std::nan("");
  if (const double* const real = std::get_if<double>(&value->value)) number = *real;
  if (const auto* const whole = std::get_if<std::int64_t>(&value->value))
    number = static_cast<double>(*whole);
  if (!(number >= least && number <= most)) {  // NaN too
    return fault(key, *value, "expected a number from " + brief(least) + " to " + brief(most));
  }
  target = number;
}

void TableReader::duration(std::string_view key, std::int64_t& target_ms, std::int64_t least_ms,
                           std::int64_t most_ms) {
  std::optional<std::int64_t> duration_ms;
  any_duration(key, duration_ms);
  if (!duration_ms) return;
  if (*duration_ms < least_ms || *duration_ms > most_ms) {
    return fault(key, *find(key),
                 "expected a duration from " + duration_text(least_ms) + " to " + duration_text(most_ms));
  }
  target_ms = *duration_ms;
}

void TableReader::any_duration(std::string_view key, std::optional<std::int64_t>& target_ms) {
  const TomlValue* const value = take(key);
  if (value == nullptr) return;
  const std::string* const text = std::get_if<std::string>(&value->value);
  if (text == nullptr)
    return fault(key, *value, "expected a duration in quotes, like \"250ms\", \"10s\" or \"5m\"");
  const auto duration_ms = parse_duration_ms(*text);
  if (!duration_ms)
    return fault(key, *value, "expected a duration like \"250ms\", \"10s\", \"5m\", \"2h\" or \"1d\"");
  target_ms = *duration_ms;
}
void TableReader::table(std::string_view key, const std::function<void(TableReader&)>& read) {
  const TomlValue* const value = take(key);
  if (value == nullptr) return;
  const auto* const entries = std::get_if<TomlValue::Table>(&value->value);
  if (entries == nullptr) return fault(key, *value, "expected a table");
  TableReader reader(*entries, path_of(key), faults_);
  read(reader);
}

void TableReader::named_tables(std::string_view key, const TextCheck& check_name,
                               const std::function<void(const std::string&, TableReader&)>& read) {
  named_values(key, check_name, [&](const std::string& name, TableReader& names) {
    names.table(name, [&](TableReader& table) { read(name, table); });
  });
}

void TableReader::named_values(std::string_view key, const TextCheck& check_name,
                               const std::function<void(const std::string&, TableReader&)>& read) {
  table(key, [&](TableReader& names) {
    for (const TomlEntry& entry : names.table_) {
      names.known_.push_back(entry.key);
      if (const auto expected = check_name(entry.key)) {
        faults_.push_back(
            {.line = entry.line, .key = names.path_of(entry.key), .message = "expected " + *expected});
      } else {
        read(entry.key, names);
      }
    }
  });
}

bool TableReader::has_table(std::string_view key) const {
  const TomlValue* const value = find(key);
  return value != nullptr && std::holds_alternative<TomlValue::Table>(value->value);
}

void TableReader::refuse(std::string_view key, std::string message) {
  if (const TomlValue* const value = find(key)) return fault(key, *value, std::move(message));
  int line = table_.empty() ? 0 : table_.front().line;
  for (const TomlEntry& entry : table_) line = std::min(line, entry.line);
  faults_.push_back({.line = line, .key = key.empty() ? path_ : path_of(key), .message = std::move(message)});
}

}  // namespace stint
