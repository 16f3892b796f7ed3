#include "nodes/cli/json_members.hpp"

#include <cassert>

namespace stint {

namespace {

// Walks over JSON that is known to be valid.
class JsonWalker {
 public:
  explicit JsonWalker(std::string_view text) : text_(text) {}

  void skip_space() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos)
      ++at_;
  }

  bool take(char c) {
    skip_space();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  // A whole value, strings with their quotes.
  std::string_view value() {
    skip_space();
    const std::size_t begin = at_;
    int depth = 0;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"') {
        skip_string();
        if (depth == 0) break;
        continue;
      }
      if (depth == 0 && at_ > begin && std::string_view(",:]} \t\r\n").find(c) != std::string_view::npos)
        break;
      if (c == '{' || c == '[') ++depth;
      if (c == '}' || c == ']') --depth;
      ++at_;
      if (depth == 0 && (c == '}' || c == ']')) break;
    }
    return text_.substr(begin, at_ - begin);
  }

 private:
  void skip_string() {
    ++at_;
    while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    ++at_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<std::pair<std::string_view, std::string_view>> json_members(std::string_view object) {
  std::vector<std::pair<std::string_view, std::string_view>> members;
  JsonWalker walker(object);
  const bool opened = walker.take('{');
  assert(opened);
  static_cast<void>(opened);
  while (!walker.take('}')) {
    const std::string_view key = walker.value();
    walker.take(':');
    members.emplace_back(key, walker.value());
    walker.take(',');
  }
  return members;
}

}  // namespace stint
