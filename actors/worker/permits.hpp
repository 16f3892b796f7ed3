// Permits: the free slots of a worker and how they are offered: which asks are worth making, for which queues
// and how many jobs. Owned by the worker's asks.
//
// A permit is free, or offered in one open ask, or held by a run from its arrival until its report is
// acknowledged: results that nobody has taken yet keep the worker from taking more.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "protocol/bounds.hpp"
#include "protocol/time.hpp"

namespace stint {

// What one ask offers. Its queues have one home.
struct Offer {
  std::map<std::string, std::int64_t> queues;  // permits a queue
  bool is_of_one_permit = false;               // which the queues share: the first job takes it
  std::int64_t longest_wait_ms = Bounds::wait_ms;

  std::int64_t permits() const;
};

// What came of an offer.
struct OfferAnswer {
  std::map<std::string, std::int64_t> brought;  // jobs a queue
  bool has_waited = false;                      // the ask could wait for jobs
  std::optional<Duration> retry_in{};           // of an empty answer: when asking again may help
};

class Permits {
 public:
  // The limiter that owns each queue; one that is not named has the home "".
  using HomesOfQueues = std::map<std::string, std::string>;

  virtual ~Permits() = default;
  virtual void set_homes(const HomesOfQueues& homes) = 0;
  virtual std::vector<std::string> queues() const = 0;

  // A run of the queue arrived; its report was acknowledged.
  virtual void hold(const std::string& queue) = 0;
  virtual void give_back(const std::string& queue) = 0;
  virtual bool has_permit(const std::string& queue) const = 0;

  // The asks that are worth making now; `closed` queues must not be asked for.
  virtual std::vector<Offer> worth_asking(const std::set<std::string>& closed, Instant now) = 0;
  virtual void offer(const Offer& offer) = 0;
  // The ask is no longer open: what it offered is free again.
  virtual void take_back(const Offer& offer) = 0;
  // After take_back(): what the answer tells of its queues.
  virtual void learn(const Offer& offer, const OfferAnswer& answer, Instant now) = 0;
  // After worth_asking(): when something may be worth asking although nothing was heard; Instant::max():
  // never.
  virtual Instant next_look() const = 0;
};

}  // namespace stint
