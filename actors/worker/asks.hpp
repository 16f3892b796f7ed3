// Asks: the numbered requests for batches of one session, and the permits they offer. Owned by the worker
// actor.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "actors/worker/permits.hpp"
#include "actors/worker/repeat.hpp"
#include "protocol/messages/worker.hpp"
#include "protocol/time.hpp"

namespace stint {

class Asks {
 public:
  explicit Asks(std::unique_ptr<Permits> permits) : permits_(std::move(permits)) {}

  // Which limiter owns each queue (`welcome.homes`): an ask names queues of one home.
  void set_homes(const Permits::HomesOfQueues& homes) { permits_->set_homes(homes); }
  std::vector<std::string> queues() const { return permits_->queues(); }

  // Every ask up to it was answered and the answer received; 0: none.
  std::int64_t got() const { return open_.empty() ? last_ : open_.begin()->first - 1; }

  // By a run, from its arrival until its report is acknowledged.
  void hold(const std::string& queue) { permits_->hold(queue); }
  void give_back(const std::string& queue) { permits_->give_back(queue); }
  bool has_permit(const std::string& queue) const { return permits_->has_permit(queue); }

  // Opens the asks that are worth opening now, in all for at most `most` jobs.
  void open_new(Instant now, std::int64_t wait_ms, std::optional<std::int64_t> most);

  // The requests that must leave now, new ones and those that nobody answered; `session` and `got` are the
  // caller's.
  std::vector<RequestBatch> take_due(Instant now);

  // The ask was answered, or refused for good: what it offered is free again. Nothing: it is not open, the
  // answer came before.
  struct Closed {
    std::vector<std::string> queues;
    Duration took{};
    std::int64_t wait_ms = 0;
  };
  std::optional<Closed> answer(std::int64_t ask, const Batch& batch, Instant now);
  std::optional<Closed> refuse(std::int64_t ask, Instant now);
  // The ask was answered without jobs, lately. Where its limiter died, another copy of it may bring some
  // still: they have arrived (rule D3). True once.
  bool was_empty(std::int64_t ask) { return empty_.erase(ask) > 0; }

  // No new ask names these queues before `until`; `never`: not before allow_all().
  void hold_off(const std::vector<std::string>& queues, Instant until);
  void allow_all() { held_off_.clear(); }
  // Every queue is held off until allow_all(), and nothing is open.
  bool all_quiet() const;

  void repeat(std::int64_t ask, Instant at);
  void repeat_all(Instant now);
  bool none_open() const { return open_.empty(); }
  std::int64_t most_expected() const;  // jobs that open asks may still bring
  Instant next_repeat() const;         // of an open ask
  Instant next_opening() const;        // when open_new() may find something though nothing was heard

 private:
  static constexpr std::size_t most_empty = 256;
  struct OpenAsk {
    Offer offer;
    std::optional<std::int64_t> max;
    std::int64_t wait_ms = 0;
    Instant opened_at{};
    Repeat repeat{Instant{}};
    std::int64_t expected() const;
  };

  void open(Offer&& offer, std::optional<std::int64_t> most, std::int64_t wait_ms, Instant now);
  std::optional<OpenAsk> close(std::int64_t ask);
  static Closed closed_of(const OpenAsk& ask, Instant now);

  std::unique_ptr<Permits> permits_;
  std::map<std::string, Instant> held_off_;  // queues, until when
  std::map<std::int64_t, OpenAsk> open_;
  std::set<std::int64_t> empty_;  // the newest that were answered without jobs
  std::int64_t last_ = 0;
};

}  // namespace stint
