// OpenRequests: what a front door remembers of each request until it is answered. Bounded; ids are never used
// twice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace stint {

// The way an answer takes, and the form the client wants it in.
struct ReturnPath {
  std::string routing_id;
  std::vector<std::string> envelope;
  std::string correlation;
  bool numbers_as_float = false;
};

class OpenRequests {
 public:
  explicit OpenRequests(std::size_t bound) : bound_(bound) {}

  bool full() const { return paths_.size() >= bound_; }
  std::size_t size() const { return paths_.size(); }

  std::uint64_t open(ReturnPath path) {
    paths_.emplace(++last_id_, std::move(path));
    return last_id_;
  }

  // Nothing: it was answered before, or never opened.
  std::optional<ReturnPath> close(std::uint64_t id) {
    auto node = paths_.extract(id);
    if (node.empty()) return std::nullopt;
    return std::move(node.mapped());
  }

  std::vector<ReturnPath> close_all() {
    std::vector<ReturnPath> paths;
    paths.reserve(paths_.size());
    for (auto& [id, path] : paths_) paths.push_back(std::move(path));
    paths_.clear();
    return paths;
  }

 private:
  std::size_t bound_;
  std::uint64_t last_id_ = 0;
  std::unordered_map<std::uint64_t, ReturnPath> paths_;
};

}  // namespace stint
