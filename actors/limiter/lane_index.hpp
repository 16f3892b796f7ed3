// LaneIndex: what the limiter knows of the lanes: how many jobs are ready for each (queue, handler), and
// which parked asks wait there. It finds the oldest ask that a ready job can go to without looking at the
// others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace stint {

// Asks in the order they were parked: a smaller age is older.
using AskAge = std::uint64_t;

class LaneIndex {
 public:
  using Permits = std::map<std::string, std::int64_t>;  // a queue
  using Handlers = std::vector<std::string>;

  void set_ready(const std::string& queue, const std::string& handler, std::int64_t ready);
  // Whether a job is ready there that these handlers can run.
  bool has_ready(const std::string& queue, const Handlers& handlers) const;

  void park(AskAge ask, const Permits& queues, const Handlers& handlers);
  void unpark(AskAge ask, const Permits& queues, const Handlers& handlers);
  // Of all places where asks are parked.
  std::size_t entries() const { return entries_; }

  // The oldest parked ask to which a ready job of this queue can go.
  std::optional<AskAge> oldest_servable(const std::string& queue) const;

 private:
  struct Lane {
    std::int64_t ready = 0;
    std::set<AskAge> asks;
  };
  struct Queue {
    std::unordered_map<std::string, Lane> lanes;
    std::unordered_set<const Lane*> servable;  // with ready jobs and parked asks
  };

  template <class Change>
  void change(const std::string& queue, const std::string& handler, Change change);

  std::unordered_map<std::string, Queue> queues_;
  std::size_t entries_ = 0;
};

}  // namespace stint
