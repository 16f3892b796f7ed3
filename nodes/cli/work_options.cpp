#include "nodes/cli/work_options.hpp"

#include <algorithm>
#include <charconv>

#include "nodes/config/limit_text.hpp"
#include "protocol/names.hpp"

namespace stint {

namespace {

constexpr std::int64_t most_permits = 10'000;
constexpr std::int64_t most_weight = 1'000;

Error bad(std::string message) { return {.code = ErrorCode::bad_message, .message = std::move(message)}; }

bool is_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::optional<std::int64_t> parse_whole(std::string_view text, std::int64_t least, std::int64_t most) {
  std::int64_t number = 0;
  const auto [rest, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_whole = fault == std::errc{} && rest == text.data() + text.size();
  if (!is_whole || number < least || number > most) return std::nullopt;
  return number;
}

// `min=2,weight=3`, or one of them.
Result<QueueShare> parse_share(std::string_view text) {
  const Error error =
      bad("'" + std::string(text) + "' is not a share; expected one like min=2,weight=3, min up to " +
          std::to_string(most_permits) + ", weight 1 to " + std::to_string(most_weight));
  QueueShare share;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view part = text.substr(0, comma);
    const bool is_min = part.starts_with("min=");
    if (!is_min && !part.starts_with("weight=")) return error;
    const auto number =
        is_min ? parse_whole(part.substr(4), 0, most_permits) : parse_whole(part.substr(7), 1, most_weight);
    if (!number) return error;
    (is_min ? share.min : share.weight) = *number;
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return share;
}

// Reads words off a line, one character at a time.
class WordSplitter {
 public:
  explicit WordSplitter(std::string_view line) : line_(line) {}

  Result<std::vector<std::string>> split() {
    while (at_ < line_.size()) {
      const char c = line_[at_++];
      bool closed = true;
      if (c == ' ' || c == '\t' || c == '\n') {
        end_word();
      } else if (c == '\'') {
        closed = single_quoted();
      } else if (c == '"') {
        closed = double_quoted();
      } else if (c == '\\') {
        closed = escaped();
      } else {
        add(c);
      }
      if (!closed) return bad("a " + std::string(1, c) + " has no end in: " + std::string(line_));
    }
    end_word();
    return std::move(words_);
  }

 private:
  void add(char c) {
    word_ += c;
    in_word_ = true;
  }

  void end_word() {
    if (in_word_) words_.push_back(std::move(word_));
    word_.clear();
    in_word_ = false;
  }

  bool escaped() {
    if (at_ == line_.size()) return false;
    add(line_[at_++]);
    return true;
  }

  bool single_quoted() {
    in_word_ = true;
    while (at_ < line_.size()) {
      const char c = line_[at_++];
      if (c == '\'') return true;
      word_ += c;
    }
    return false;
  }

  // A backslash takes the meaning of what ends the quotes or expands in them, and stays before anything else.
  bool double_quoted() {
    in_word_ = true;
    while (at_ < line_.size()) {
      const char c = line_[at_++];
      if (c == '"') return true;
      const bool escapes = c == '\\' && at_ < line_.size() &&
                           std::string_view("\"\\$`").find(line_[at_]) != std::string_view::npos;
      word_ += escapes ? line_[at_++] : c;
    }
    return false;
  }

  std::string_view line_;
  std::size_t at_ = 0;
  std::vector<std::string> words_;
  std::string word_;
  bool in_word_ = false;
};

}  // namespace

Result<QueueOption> parse_queue_option(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  const std::string_view behind = colon == std::string_view::npos ? "" : text.substr(colon + 1);
  QueueOption option;
  if (behind.find('=') != std::string_view::npos) {
    const auto share = parse_share(behind);
    if (!share) return share.error();
    option.share = *share;
  } else if (is_digits(behind)) {
    const auto permits = parse_whole(behind, 1, most_permits);
    if (!permits)
      return bad("'" + std::string(behind) + "' permits; expected 1 to " + std::to_string(most_permits));
    option.permits = *permits;
  }
  option.name = option.share || option.permits ? text.substr(0, colon) : text;
  if (!is_queue_name(option.name)) {
    return bad("'" + option.name + "' is not a queue name; expected letters, digits or any of . _ : -");
  }
  return option;
}

Result<LimitOption> parse_limit_option(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) {
    return bad("'" + std::string(text) + "' has no limit; expected one like 'send_email=60/60s'");
  }
  LimitOption option{.handler = std::string(text.substr(0, equals)), .limit = {}};
  auto limit = parse_window(text.substr(equals + 1));
  if (!limit) return limit.error();
  if (const auto fault = fault_of(*limit, LimitScope::handler)) {
    return bad("'" + std::string(text) + "': " + in_config_words(fault->field + " " + fault->message));
  }
  option.limit = *limit;
  return option;
}

Result<HandlerOption> parse_handler_option(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) {
    return bad("'" + std::string(text) +
               "' has no command; expected one like 'send_email=python3 send_email.py'");
  }
  HandlerOption option{.name = std::string(text.substr(0, equals)), .command = {}};
  if (!is_handler_name(option.name)) {
    return bad("'" + option.name + "' is not a handler name; expected 1 to 255 bytes without spaces, / or =");
  }
  auto words = split_words(text.substr(equals + 1));
  if (!words) return words.error();
  if (words->empty() || words->front().empty())
    return bad("'" + option.name + "' has no command after the =");
  option.command = std::move(*words);
  return option;
}

Result<std::vector<std::string>> split_words(std::string_view line) { return WordSplitter(line).split(); }

}  // namespace stint
