#include "nodes/cli/work_options.hpp"

#include <charconv>

#include "protocol/names.hpp"

namespace stint {

namespace {

constexpr std::int64_t most_permits = 10'000;

Error bad(std::string message) { return {.code = ErrorCode::bad_message, .message = std::move(message)}; }

bool is_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
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

Result<QueueOption> parse_queue_option(std::string_view text, std::int64_t otherwise) {
  QueueOption option{.name = std::string(text), .permits = otherwise};
  const std::size_t colon = text.rfind(':');
  if (colon != std::string_view::npos && is_digits(text.substr(colon + 1))) {
    const std::string_view digits = text.substr(colon + 1);
    const auto [rest, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), option.permits);
    static_cast<void>(rest);
    if (fault != std::errc{} || option.permits < 1 || option.permits > most_permits) {
      return bad("'" + std::string(digits) + "' permits; expected 1 to " + std::to_string(most_permits));
    }
    option.name = text.substr(0, colon);
  }
  if (text.find('=') != std::string_view::npos) {
    return bad("'" + std::string(text) + "': weighted workers are not in this version of stint");
  }
  if (!is_queue_name(option.name)) {
    return bad("'" + option.name + "' is not a queue name; expected letters, digits or any of . _ : -");
  }
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
