// Taking jobs: a merge of lanes by their heads. A lane is opened only when its head is about to be taken, so
// that neither the length of lanes nor the number of those behind the first jobs costs anything.
#include <algorithm>
#include <queue>

#include "actors/jobs/lanes.hpp"

namespace stint {

class Lanes::Take {
 public:
  Take(Lanes& lanes, const NameSet& served, const Admit& admit)
      : lanes_(lanes), served_(served), admit_(admit) {}

  void add(QueueLanes& queue, std::int64_t most) {
    if (most <= 0) return;
    Source& source = sources_.emplace_back();
    source.left = most;
    // Whichever are fewer are gone through: the handlers served, or the lanes that have jobs.
    if (served_.size() * 10 < queue.heads.size()) {
      push_served(queue, source);
    } else {
      source.next = queue.heads.begin();
      source.end = queue.heads.end();
      push_next(source);
    }
  }

  std::vector<LaneHead> take(std::int64_t most) {
    std::vector<LaneHead> taken;
    while (!first_.empty() && std::ssize(taken) < most) {
      const Candidate candidate = first_.top();
      first_.pop();
      if (candidate.source->left == 0) continue;
      if (!admit_(*candidate.head.group)) {
        if (candidate.walks) push_next(*candidate.source);
        continue;
      }
      --candidate.source->left;
      taken.push_back(candidate.head);
      advance(candidate);
    }
    reorder_heads();
    return taken;
  }

 private:
  using Heads = std::set<LaneHead>;
  // The lanes of one queue that are not opened yet.
  struct Source {
    std::int64_t left = 0;
    Heads::const_iterator next{};
    Heads::const_iterator end{};
  };
  struct Candidate {
    LaneHead head;
    Source* source = nullptr;
    bool opens = true;   // it is its lane's first
    bool walks = false;  // the source's next lane is to follow it
  };
  struct Later {
    bool operator()(const Candidate& a, const Candidate& b) const { return b.head < a.head; }
  };

  void push_served(QueueLanes& queue, Source& source) {
    for (const std::string& handler : served_) {
      LaneGroup* group = lanes_.find(queue.name, handler);
      if (group == nullptr) continue;
      for (int priority = 0; priority < 10; ++priority) {
        const auto& lane = group->lanes[static_cast<std::size_t>(priority)];
        if (lane != nullptr && !lane->empty()) first_.push({{priority, lane->front(), group}, &source});
      }
    }
  }

  void push_next(Source& source) {
    while (source.next != source.end && !served_.contains(source.next->group->handler)) ++source.next;
    if (source.next != source.end) first_.push({*source.next++, &source, true, true});
  }

  void advance(const Candidate& candidate) {
    const LaneHead& head = candidate.head;
    Lane& lane = Lanes::lane(*head.group, head.priority);
    lane.pop_front();
    lanes_.recount(*head.group, -1);
    if (candidate.opens) opened_.push_back(head);
    if (candidate.walks) push_next(*candidate.source);
    if (!lane.empty())
      first_.push({{head.priority, lane.front(), head.group}, candidate.source, false, false});
  }

  void reorder_heads() {
    for (const LaneHead& old : opened_) {
      Heads& heads = old.group->of_queue->heads;
      heads.erase(old);
      const Lane& lane = Lanes::lane(*old.group, old.priority);
      if (!lane.empty()) heads.insert({old.priority, lane.front(), old.group});
    }
  }

  Lanes& lanes_;
  const NameSet& served_;
  const Admit& admit_;
  std::deque<Source> sources_;
  std::priority_queue<Candidate, std::vector<Candidate>, Later> first_;
  std::vector<LaneHead> opened_;
};

std::vector<LaneHead> Lanes::take(const std::vector<QueueCap>& queues, std::int64_t most,
                                  const NameSet& served, const Admit& admit) {
  Take take(*this, served, admit);
  for (const QueueCap& cap : queues) {
    const auto queue = queues_.find(cap.queue);
    if (queue != queues_.end()) take.add(queue->second, cap.most);
  }
  return take.take(most);
}

}  // namespace stint
