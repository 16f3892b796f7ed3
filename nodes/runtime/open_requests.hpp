// OpenRequests: what a front door remembers of each request until it is answered. Bounded; ids are never used
// twice, and start at random: what is meant for a request of an earlier life of the node hits none of this
// one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "actors/kernel/address.hpp"

namespace stint {

// The way an answer takes, and the form the client wants it in.
struct ReturnPath {
  std::string routing_id;
  std::vector<std::string> envelope;
  std::string correlation;
  bool numbers_as_float = false;
};

// A request that another node of the cluster is to answer, as the client said it.
struct PassedOn {
  Address to;
  std::string type;
  std::string body;
  bool is_single = false;  // whether it was done matters: it must not be said twice
};

class OpenRequests {
 public:
  // `before_first`: below the first id.
  OpenRequests(std::size_t bound, std::uint64_t before_first) : bound_(bound), last_id_(before_first) {}

  bool full() const { return requests_.size() >= bound_; }
  std::size_t size() const { return requests_.size(); }
  // Of all that was passed on.
  std::size_t bytes_kept() const { return bytes_kept_; }

  // Never 0.
  std::uint64_t open(ReturnPath path) {
    if (++last_id_ == 0) ++last_id_;
    requests_.emplace(last_id_, OpenRequest{std::move(path), std::nullopt});
    return last_id_;
  }

  // The open request `id` waits for another node.
  void keep(std::uint64_t id, PassedOn passed_on) {
    bytes_kept_ += passed_on.body.size();
    requests_.at(id).passed_on = std::move(passed_on);
  }

  // Those that wait for this node.
  std::vector<std::uint64_t> passed_on_to(NodeNumber node) const {
    std::vector<std::uint64_t> ids;
    for (const auto& [id, request] : requests_) {
      if (request.passed_on && request.passed_on->to.node == node) ids.push_back(id);
    }
    return ids;
  }
  // Those that wait for a limiter.
  std::vector<std::uint64_t> asks_passed_on() const {
    std::vector<std::uint64_t> ids;
    for (const auto& [id, request] : requests_) {
      if (request.passed_on && request.passed_on->to.place == Place::limiter) ids.push_back(id);
    }
    return ids;
  }
  // Of an open request that was passed on.
  const PassedOn& passed_on(std::uint64_t id) const { return *requests_.at(id).passed_on; }

  // Nothing: it was answered before, or never opened.
  std::optional<ReturnPath> close(std::uint64_t id) {
    auto node = requests_.extract(id);
    if (node.empty()) return std::nullopt;
    if (node.mapped().passed_on) bytes_kept_ -= node.mapped().passed_on->body.size();
    return std::move(node.mapped().path);
  }

  std::vector<ReturnPath> close_all() {
    std::vector<ReturnPath> paths;
    paths.reserve(requests_.size());
    for (auto& [id, request] : requests_) paths.push_back(std::move(request.path));
    requests_.clear();
    bytes_kept_ = 0;
    return paths;
  }

 private:
  struct OpenRequest {
    ReturnPath path;
    std::optional<PassedOn> passed_on;
  };

  std::size_t bound_;
  std::uint64_t last_id_;
  std::size_t bytes_kept_ = 0;
  std::unordered_map<std::uint64_t, OpenRequest> requests_;
};

}  // namespace stint
