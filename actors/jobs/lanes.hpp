// Lanes: every waiting job, and how many jobs of each (queue, handler) there are. Owned by the storage
// actor's JobBoard. Nothing here costs more when lanes are long.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "actors/jobs/lane.hpp"
#include "actors/jobs/name_set.hpp"

namespace stint {

struct JobCounts {
  std::int64_t waiting = 0;
  std::int64_t scheduled = 0;
  std::int64_t retrying = 0;
  std::int64_t running = 0;
  std::int64_t dead = 0;
  friend bool operator==(const JobCounts&, const JobCounts&) = default;
};

struct QueueLanes;
struct NamedLimit;

// The jobs of one (queue, handler). It lives while there is any.
struct LaneGroup {
  std::string queue;
  std::string handler;
  QueueLanes* of_queue = nullptr;
  JobCounts counts;                             // `waiting` is kept by Lanes, the rest by whoever uses them
  std::array<std::unique_ptr<Lane>, 10> lanes;  // by priority; null: empty so far
  std::int64_t settled_waiting = 0;             // counts.waiting at the last settle()
  bool touched = false;                         // its counts changed since then
  // The ledger's: the limits of its queue and handler, as they were in this generation of its names.
  NamedLimit* queue_limit = nullptr;
  NamedLimit* handler_limit = nullptr;
  std::uint64_t limits_generation = 0;
};

// The first job of a lane that is not empty, in the order in which jobs are taken.
struct LaneHead {
  int priority = 0;
  LanePosition position;
  LaneGroup* group = nullptr;
  friend bool operator<(const LaneHead& a, const LaneHead& b) {
    return a.priority != b.priority ? a.priority < b.priority : a.position < b.position;
  }
};

struct QueueLanes {
  std::string_view name;                          // its key in Lanes::queues()
  std::map<std::string_view, LaneGroup*> groups;  // by handler
  std::set<LaneHead> heads;
};

// At most so many jobs of a queue.
struct QueueCap {
  std::string_view queue;
  std::int64_t most = 0;
};

class Lanes {
 public:
  using Queues = std::map<std::string, QueueLanes, std::less<>>;

  Lanes() = default;
  Lanes(const Lanes&) = delete;
  Lanes& operator=(const Lanes&) = delete;

  LaneGroup& group(std::string_view queue, std::string_view handler);  // new if there is none
  LaneGroup* find(std::string_view queue, std::string_view handler);
  const Queues& queues() const { return queues_; }

  // The job must not be in the lane.
  void insert(LaneGroup& group, int priority, const LanePosition& position);
  // False: it was not there.
  bool remove(LaneGroup& group, int priority, const LanePosition& position);

  // Takes out the first `most` jobs by (priority, time ready, id) over the lanes of these queues and of the
  // handlers in `served`. `admit` is asked for each job, by its group: one that it refuses stays, and stands
  // in nobody's way.
  using Admit = std::function<bool(LaneGroup&)>;
  std::vector<LaneHead> take(const std::vector<QueueCap>& queues, std::int64_t most, const NameSet& served,
                             const Admit& admit);

  // For loading: any number of load(), then one loaded().
  void load(LaneGroup& group, int priority, const LanePosition& position);
  void loaded();

  // Says that counts of the group changed.
  void touch(LaneGroup& group);
  // Gives the groups whose number of waiting jobs is another than at the last call, and drops those of whose
  // jobs none is left.
  void settle(const std::function<void(const LaneGroup&)>& changed);

 private:
  using GroupName = std::pair<std::string_view, std::string_view>;
  struct GroupHash {
    using is_transparent = void;
    std::size_t operator()(const GroupName& name) const {
      return StringHash{}(name.first) * 0x9E3779B97F4A7C15u + StringHash{}(name.second);
    }
    std::size_t operator()(const std::unique_ptr<LaneGroup>& group) const {
      return (*this)(GroupName{group->queue, group->handler});
    }
  };
  struct GroupEqual {
    using is_transparent = void;
    static const GroupName& name(const GroupName& given) { return given; }
    static GroupName name(const std::unique_ptr<LaneGroup>& group) { return {group->queue, group->handler}; }
    template <class A, class B>
    bool operator()(const A& a, const B& b) const {
      return name(a) == name(b);
    }
  };
  class Take;

  static Lane& lane(LaneGroup& group, int priority);
  void forget(LaneGroup& group);
  void recount(LaneGroup& group, std::int64_t difference);

  std::unordered_set<std::unique_ptr<LaneGroup>, GroupHash, GroupEqual> groups_;
  Queues queues_;
  std::vector<LaneGroup*> touched_;
};

}  // namespace stint
