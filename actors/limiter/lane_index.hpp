// LaneIndex: what the limiter knows of the lanes: how many jobs are ready for each (queue, handler), which
// parked asks wait there, and which lanes are held: no job of theirs may start now. It finds the oldest ask
// that a job can go to without looking at the others.
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
  // Nothing is ready any more, anywhere, and nothing held.
  void forget_ready();
  // Whether a job is ready there that these handlers can run ...
  bool has_ready(const std::string& queue, const Handlers& handlers) const;
  // ... and that may start now.
  bool has_startable(const std::string& queue, const Handlers& handlers) const;
  bool is_ready(const std::string& queue, const std::string& handler) const;

  // Holds or frees all lanes of a handler; gives the queues that have some, if that is a change.
  std::vector<std::string> hold_handler(const std::string& handler, bool holds);
  // One lane alone.
  void hold_lane(const std::string& queue, const std::string& handler, bool holds);

  void park(AskAge ask, const Permits& queues, const Handlers& handlers);
  void unpark(AskAge ask, const Permits& queues, const Handlers& handlers);
  // Of all places where asks are parked.
  std::size_t entries() const { return entries_; }

  // The oldest parked ask to which a job of this queue can go.
  std::optional<AskAge> oldest_servable(const std::string& queue) const;

 private:
  struct HandlerLanes {
    bool is_held = false;
    std::set<std::string> queues;  // in which it has a lane
  };
  struct Lane {
    std::int64_t ready = 0;
    std::set<AskAge> asks;
    bool is_held = false;  // by itself
    HandlerLanes* of_handler = nullptr;
    bool startable() const { return ready > 0 && !is_held && !of_handler->is_held; }
    bool blank() const { return ready == 0 && asks.empty() && !is_held; }
  };
  struct Queue {
    std::unordered_map<std::string, Lane> lanes;
    std::unordered_set<const Lane*> servable;  // with jobs that may start, and parked asks
  };

  template <class Change>
  void change(const std::string& queue, const std::string& handler, Change change);
  void drop(const std::string& queue, const std::string& handler);
  template <class Fits>
  bool any_lane(const std::string& queue, const Handlers& handlers, Fits fits) const;

  std::unordered_map<std::string, Queue> queues_;
  std::unordered_map<std::string, HandlerLanes> handlers_;
  std::size_t entries_ = 0;
};

}  // namespace stint
