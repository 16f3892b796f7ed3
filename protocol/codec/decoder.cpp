#include "protocol/codec/decoder.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "protocol/names.hpp"

namespace stint::wire {
namespace {

std::string_view kind_name(MsgpackReader::Kind kind) {
  switch (kind) {
    case MsgpackReader::Kind::nil:
      return "nil";
    case MsgpackReader::Kind::boolean:
      return "a boolean";
    case MsgpackReader::Kind::integer:
    case MsgpackReader::Kind::huge_integer:
      return "an integer";
    case MsgpackReader::Kind::real:
      return "a float";
    case MsgpackReader::Kind::text:
      return "text";
    case MsgpackReader::Kind::binary:
      return "binary";
    case MsgpackReader::Kind::list:
      return "a list";
    case MsgpackReader::Kind::map:
      return "a map";
  }
  return "nothing known";
}

std::string number_text(double number) {
  std::string text = std::to_string(number);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string sentence(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) text += part;
  return text;
}

// Of a key that no table knows, as much as an error repeats.
constexpr std::size_t shown_key_bytes = 128;

// Below it every float without a fraction is one integer.
constexpr double exact_below = 9007199254740992.0;

// The place of `key` in `fields`, or their number. Clients send keys in one order, mostly the tables': the
// field behind the last one is tried first.
std::size_t find_field(std::span<const FieldReader> fields, std::string_view key, std::size_t likely) {
  for (std::size_t i = likely; i < fields.size(); ++i) {
    if (fields[i].key == key) return i;
  }
  for (std::size_t i = 0; i < likely; ++i) {
    if (fields[i].key == key) return i;
  }
  return fields.size();
}

}  // namespace

bool Decoder::read_body(std::span<const FieldReader> fields, void* owner, bool is_request) {
  takes_numbers_ = is_request;
  if (!read_map(fields, owner)) return false;
  return reader_.at_end() || fail("there are bytes behind the message");
}

bool Decoder::read_map(std::span<const FieldReader> fields, void* owner) {
  std::uint32_t count = 0;
  if (!read_head(Kind::map, count, "a map")) return false;
  if (!reader_.enter()) return fail_reading();
  std::uint32_t seen = 0;
  std::uint32_t present = 0;
  std::size_t likely = 0;
  std::vector<std::string_view> unknown_keys;
  for (std::uint32_t i = 0; i < count; ++i) {
    std::string_view key;
    if (!read_key(key)) return false;
    const std::size_t index = find_field(fields, key, likely);
    if (index == fields.size()) {
      if (!read_unknown(key)) return false;
      unknown_keys.push_back(key);
      continue;
    }
    likely = index + 1;
    const std::uint32_t bit = std::uint32_t{1} << index;
    if (seen & bit) return fail_at(key, "is given twice");
    seen |= bit;
    if (reader_.take_nil()) continue;
    present |= bit;
    if (!fields[index].read(*this, owner)) return prepend(fields[index].key), false;
  }
  reader_.leave();
  if (!unknown_keys.empty() && !check_distinct(unknown_keys)) return false;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].is_required && !(present >> i & 1)) return fail_at(fields[i].key, "is required");
  }
  return true;
}

bool Decoder::read_key(std::string_view& key) {
  Value value;
  if (!take(value)) return false;
  if (value.kind != Kind::text) return fail(sentence({"keys are text, not ", kind_name(value.kind)}));
  key = value.bytes;
  return true;
}

bool Decoder::read_unknown(std::string_view key) {
  if (!is_utf8(key)) return fail("keys are UTF-8");
  if (!takes_numbers_ || key != "numbers" || !reader_.is_outermost()) return reader_.skip() || fail_reading();
  if (reader_.take_nil()) return true;
  Value value;
  if (!take(value)) return prepend(key), false;
  if (value.kind != Kind::text || value.bytes != "float") return fail_at(key, "must be \"float\"");
  numbers_as_float_ = true;
  return true;
}

bool Decoder::check_distinct(std::vector<std::string_view>& unknown_keys) {
  std::sort(unknown_keys.begin(), unknown_keys.end());
  const auto repeated = std::adjacent_find(unknown_keys.begin(), unknown_keys.end());
  return repeated == unknown_keys.end() || fail_at(cut_utf8(*repeated, shown_key_bytes), "is given twice");
}

bool Decoder::read_head(Kind kind, std::uint32_t& count, std::string_view expected) {
  Value value;
  if (!take(value)) return false;
  if (value.kind != kind) return fail_type(expected, value);
  count = value.count;
  return true;
}

bool Decoder::read_integer(std::int64_t& out, const Integer& rule) {
  Value value;
  if (!take(value)) return false;
  if (value.kind == Kind::real && std::abs(value.real) < exact_below &&
      std::trunc(value.real) == value.real) {
    value.kind = Kind::integer;
    value.integer = static_cast<std::int64_t>(value.real);
  }
  const bool is_huge = value.kind == Kind::huge_integer;
  if (value.kind != Kind::integer && !is_huge) return fail_type("an integer", value);
  if (is_huge || value.integer < rule.least || value.integer > rule.most) {
    return fail(sentence({"must be ", std::to_string(rule.least), " to ", std::to_string(rule.most), ", not ",
                          is_huge ? "above 2^63" : std::to_string(value.integer)}));
  }
  out = value.integer;
  return true;
}

bool Decoder::read_number(double& out, const Number& rule) {
  Value value;
  if (!take(value)) return false;
  if (value.kind == Kind::integer) value.real = static_cast<double>(value.integer);
  if (value.kind != Kind::integer && value.kind != Kind::real) return fail_type("a number", value);
  if (!std::isfinite(value.real)) return fail("must be a finite number");
  if (value.real < rule.least || value.real > rule.most) {
    return fail(sentence({"must be ", number_text(rule.least), " to ", number_text(rule.most)}));
  }
  out = value.real;
  return true;
}

bool Decoder::read_flag(bool& out) {
  Value value;
  if (!take(value)) return false;
  if (value.kind != Kind::boolean) return fail_type("a boolean", value);
  out = value.integer != 0;
  return true;
}

bool Decoder::read_text(std::string& out, const Text& rule) {
  Value value;
  if (!take(value)) return false;
  if (value.kind != Kind::text) return fail_type("text", value);
  const auto size = static_cast<std::int64_t>(value.bytes.size());
  if (size < rule.least_bytes) return fail("must not be empty");
  if (size > rule.most_bytes) {
    return fail(
        sentence({"has at most ", std::to_string(rule.most_bytes), " bytes, not ", std::to_string(size)}),
        ErrorCode::too_large);
  }
  if (!is_utf8(value.bytes)) return fail("must be UTF-8");
  out.assign(value.bytes);
  return true;
}

bool Decoder::read_report(std::string& out) {
  Value value;
  if (!read_bytes(value, "text")) return false;
  const std::string_view cut = cut_utf8(value.bytes, Bounds::error_bytes);
  if (is_utf8(cut)) {
    out.assign(cut);
  } else {
    out = to_utf8(cut);
    out.resize(cut_utf8(out, Bounds::error_bytes).size());
  }
  return true;
}

bool Decoder::read_session(SessionId& out) {
  Value value;
  if (!read_bytes(value, "16 bytes")) return false;
  if (value.bytes.size() != out.bytes.size()) {
    return fail(sentence({"must be exactly 16 bytes, not ", std::to_string(value.bytes.size())}));
  }
  std::memcpy(out.bytes.data(), value.bytes.data(), out.bytes.size());
  return true;
}

bool Decoder::read_payload(Payload& out, std::int64_t most_bytes) {
  Value value;
  if (!read_bytes(value, "binary or text")) return false;
  if (static_cast<std::int64_t>(value.bytes.size()) > most_bytes) {
    return fail(sentence({"has at most ", std::to_string(most_bytes), " bytes, not ",
                          std::to_string(value.bytes.size())}),
                ErrorCode::too_large);
  }
  out.bytes.assign(value.bytes);
  out.is_text = value.kind == Kind::text;
  return true;
}

bool Decoder::read_dictionary(Meta& out, std::int64_t most_bytes) {
  std::int64_t left = most_bytes;
  const auto read_part = [&](std::string& part) {
    if (!read_text(part, any_text)) return false;
    left -= static_cast<std::int64_t>(part.size());
    if (left >= 0) return true;
    return fail(sentence({"has at most ", std::to_string(most_bytes), " bytes of keys and values"}),
                ErrorCode::too_large);
  };
  return read_pairs(out, 0, Bounds::message_values, read_part, read_part);
}

bool Decoder::read_name(std::string& out, bool (*is_name)(std::string_view), std::string_view what) {
  Value value;
  if (!take(value)) return false;
  if (value.kind != Kind::text) return fail_type("text", value);
  if (!is_name(value.bytes)) return fail(sentence({"is not the name of a ", what}));
  out.assign(value.bytes);
  return true;
}

bool Decoder::read_word(std::size_t& out, std::span<const std::string_view> words) {
  Value value;
  if (!take(value)) return false;
  if (value.kind != Kind::text) return fail_type("text", value);
  for (out = 0; out < words.size(); ++out) {
    if (words[out] == value.bytes) return true;
  }
  std::string message = "must be one of";
  for (const std::string_view word : words) message += sentence({word == words.front() ? " " : ", ", word});
  return fail(std::move(message));
}

bool Decoder::read_bytes(Value& value, std::string_view expected) {
  if (!take(value)) return false;
  return value.kind == Kind::binary || value.kind == Kind::text || fail_type(expected, value);
}

bool Decoder::check_count(std::int64_t size, std::int64_t least, std::int64_t most) {
  if (size < least) return fail("must not be empty");
  if (size <= most) return true;
  return fail(sentence({"has at most ", std::to_string(most), " items, not ", std::to_string(size)}),
              ErrorCode::too_large);
}

bool Decoder::recover(const MsgpackReader& item, std::int64_t position, ItemFault on_fault) {
  if (on_fault == ItemFault::refuses_message) return false;
  reader_ = item;
  if (!reader_.skip()) {
    // Not one item is wrong but the body itself.
    collected_.clear();
    return fail_reading(), prepend(position), false;
  }
  if (on_fault == ItemFault::sets_item_apart) {
    set_apart_.push_back({position, fault_.code, std::move(fault_.field), std::move(fault_.message)});
    return true;
  }
  if (collected_.empty()) first_code_ = fault_.code;
  collected_.push_back({position, std::move(fault_.field), std::move(fault_.message)});
  return collected_.size() < static_cast<std::size_t>(Bounds::error_items) || fail_if_collected();
}

bool Decoder::fail_if_collected() {
  if (collected_.empty()) return true;
  fault_ = {first_code_, collected_.front().field, collected_.front().message};
  return false;
}

bool Decoder::take(Value& value) { return reader_.take(value) || fail_reading(); }

bool Decoder::fail(std::string message, ErrorCode code) {
  fault_.code = code;
  fault_.field.clear();
  fault_.message = std::move(message);
  return false;
}

bool Decoder::fail_at(std::string_view key, std::string message, ErrorCode code) {
  fail(std::move(message), code);
  return prepend(key), false;
}

bool Decoder::fail_reading() {
  switch (reader_.fault()) {
    case MsgpackReader::Fault::truncated:
      return fail("the message ends too early");
    case MsgpackReader::Fault::extension:
      return fail("extension types are not accepted");
    case MsgpackReader::Fault::reserved_byte:
      return fail("is not msgpack: the byte c1");
    case MsgpackReader::Fault::too_many_values:
      return fail("a message has at most 200000 values", ErrorCode::too_large);
    case MsgpackReader::Fault::too_deep:
      return fail("a message is nested at most 16 deep", ErrorCode::too_large);
    case MsgpackReader::Fault::none:
      break;
  }
  return fail("cannot be read");
}

bool Decoder::fail_type(std::string_view expected, const Value& value) {
  return fail(sentence({"must be ", expected, ", not ", kind_name(value.kind)}));
}

void Decoder::prepend(std::string_view key) {
  const bool needs_dot = !fault_.field.empty() && fault_.field.front() != '[';
  fault_.field.insert(0, sentence({key, needs_dot ? "." : ""}));
}

void Decoder::prepend(std::int64_t position) {
  const bool needs_dot = !fault_.field.empty() && fault_.field.front() != '[';
  fault_.field.insert(0, sentence({"[", std::to_string(position), "]", needs_dot ? "." : ""}));
}

Error Decoder::error() const {
  Error error{.code = fault_.code, .message = fault_.message, .field = fault_.field, .items = collected_};
  if (collected_.empty()) return error;
  // The first fault has got the list's own path on its way out; the others are of the same list.
  const std::string list = fault_.field.substr(0, fault_.field.size() - collected_.front().field.size());
  for (ErrorItem& item : error.items) item.field.insert(0, list);
  return error;
}

std::vector<Finish::Faulty> Decoder::take_set_apart(std::string_view key) {
  for (Finish::Faulty& faulty : set_apart_) faulty.field.insert(0, key);
  return std::move(set_apart_);
}

}  // namespace stint::wire
