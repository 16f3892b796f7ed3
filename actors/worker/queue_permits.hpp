// QueuePermits: so many permits a queue, whatever the other queues do (the hard mode of a worker).
#pragma once

#include "actors/worker/permits.hpp"

namespace stint {

class QueuePermits final : public Permits {
 public:
  explicit QueuePermits(const std::map<std::string, std::int64_t>& permits);

  void set_homes(const HomesOfQueues& homes) override;
  std::vector<std::string> queues() const override;
  void hold(const std::string& queue) override;
  void give_back(const std::string& queue) override;
  bool has_permit(const std::string& queue) const override;
  std::vector<Offer> worth_asking(const std::set<std::string>& closed, Instant now) override;
  void offer(const Offer& offer) override;
  void take_back(const Offer& offer) override;
  void learn(const Offer&, const OfferAnswer&, Instant) override {}
  Instant next_look() const override { return Instant::max(); }

 private:
  struct Slots {
    std::int64_t permits = 0;
    std::int64_t held = 0;
    std::int64_t offered = 0;
    std::int64_t free() const { return permits - held - offered; }
    bool is_worth_asking() const;
  };
  std::map<std::string, Slots> slots_;
  std::map<std::string, std::vector<std::string>> queues_by_home_;
};

}  // namespace stint
