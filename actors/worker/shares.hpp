// Shares: a number of workers that all queues share (the weighted mode of a worker).
//
// What holds, for W workers:
// - Never more than W are offered and held together.
// - A queue's `min` is kept for it: with work, it has at least `min` at once, or as soon as runs of its own
//   end.
// - The rest is split by weight among the queues that may have work. A queue that gets more than its share,
//   since others had no work, falls back to it as its runs end.
// - A queue that cannot start anything (it is empty, limited or paused) keeps its `min` and gives the rest of
//   its share to the others: with work for one queue alone, that one gets W less the others' `min`, and
//   less one for each limiter whose ask waits for the others, until that wait is over.
//
// Only asks tell which queues have work. One that may have some is asked for alone and without waiting, until
// an answer is empty. Those without work are watched by asks that wait and hold little: their `min`, or one
// permit for all queues of a home. When others use all that is left, a queue without `min` is not watched: it
// has its turn again when the answer said, or after a second, as soon as a worker is free.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "actors/worker/permits.hpp"
#include "actors/worker/worker_options.hpp"

namespace stint {

class Shares final : public Permits {
 public:
  static constexpr Duration look_again_after = std::chrono::seconds(1);
  static constexpr std::int64_t most_weight = 1'000'000;

  // `min` beyond the workers there are is cut, queue by queue; weights are at least 1.
  Shares(std::int64_t workers, const std::map<std::string, ShareOfWorkers>& shares);

  void set_homes(const HomesOfQueues& homes) override;
  std::vector<std::string> queues() const override;
  void hold(const std::string& queue) override;
  void give_back(const std::string& queue) override;
  bool has_permit(const std::string& queue) const override;
  std::vector<Offer> worth_asking(const std::set<std::string>& closed, Instant now) override;
  void offer(const Offer& offer) override;
  void take_back(const Offer& offer) override;
  void learn(const Offer& offer, const OfferAnswer& answer, Instant now) override;
  Instant next_look() const override;

 private:
  struct Queue {
    std::int64_t min = 0;
    std::int64_t weight = 0;
    std::string home;
    std::int64_t held = 0;
    std::int64_t offered = 0;   // to this queue alone
    std::int64_t watchers = 0;  // open asks that share one permit and name it
    bool may_have_work = true;  // else it had none when it was last asked for
    Instant look_again{};       // of one that had none, if nothing watches it
    std::int64_t turn_credit = 0;

    std::int64_t used() const { return held + offered; }
    std::int64_t reserve() const { return std::max<std::int64_t>(min - used(), 0); }
    bool is_watched() const { return offered > 0 || watchers > 0; }
  };
  using Named = std::map<std::string, Queue>::value_type;
  using Group = std::vector<Named*>;

  std::int64_t spare() const;
  Group competing(const std::set<std::string>& closed);
  std::int64_t most_for(const Queue& queue, const Group& competitors) const;
  static Named& take_turn(const Group& group);

  std::vector<Offer> grabs(const Group& competitors);
  void watch_reserves(const std::set<std::string>& closed, std::vector<Offer>& offers);
  void watch_the_rest(const std::set<std::string>& closed, std::vector<Offer>& offers);

  std::int64_t workers_;
  std::map<std::string, Queue> queues_;
  std::map<std::string, std::int64_t> strays_;  // runs held of queues that were never asked for
  std::int64_t shared_offers_ = 0;              // open asks that share one permit
};

}  // namespace stint
