// Asks: the numbered requests for batches of one session, and the permits they offer. Owned by the worker
// actor.
//
// A permit is free, or offered in one open ask, or held by a run from its arrival until its report is
// acknowledged: results that nobody has taken yet keep the worker from taking more.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "actors/worker/repeat.hpp"
#include "protocol/bounds.hpp"
#include "protocol/messages/worker.hpp"
#include "protocol/time.hpp"

namespace stint {

class Asks {
 public:
  explicit Asks(const std::map<std::string, std::int64_t>& permits);

  // Which limiter owns each queue (`welcome.homes`): an ask names queues of one home.
  void set_homes(const std::map<std::string, std::string>& homes);

  // Every ask up to it was answered and the answer received; 0: none.
  std::int64_t got() const { return open_.empty() ? last_ : open_.begin()->first - 1; }

  void hold(const std::string& queue);
  void give_back(const std::string& queue);
  bool has_permit(const std::string& queue) const;

  // Opens the asks that are worth opening now, in all for at most `most` jobs.
  void open_new(Instant now, std::int64_t wait_ms, std::optional<std::int64_t> most);

  // The requests that must leave now, new ones and those that nobody answered; `session` and `got` are the
  // caller's.
  std::vector<RequestBatch> take_due(Instant now);

  // The ask was answered: what it offered is free again. Nothing: it is not open, the answer came before.
  struct Answered {
    std::string home;
    Duration took{};
    std::int64_t wait_ms = 0;
  };
  std::optional<Answered> close(std::int64_t ask, Instant now);

  // No new ask goes to this home before `until`; `never`: not before allow_all().
  void hold_home(const std::string& home, Instant until);
  void allow_all();
  // Every home was held until allow_all(), and nothing is open.
  bool all_quiet() const;

  void repeat(std::int64_t ask, Instant at);
  void repeat_all(Instant now);
  bool none_open() const { return open_.empty(); }
  std::int64_t most_expected() const;  // jobs that open asks may still bring
  Instant next_repeat() const;         // of an open ask
  Instant next_opening() const;        // when open_new() finds a home that was held until now

 private:
  struct Slots {
    std::int64_t permits = 0;
    std::int64_t held = 0;
    std::int64_t offered = 0;
    std::int64_t free() const { return permits - held - offered; }
  };
  struct Home {
    std::vector<std::string> queues;
    Instant not_before{};
  };
  struct OpenAsk {
    std::string home;
    std::map<std::string, std::int64_t> queues;
    std::optional<std::int64_t> max;
    std::int64_t wait_ms = 0;
    Instant opened_at{};
    Repeat repeat{Instant{}};
    std::int64_t expected() const;
  };

  bool is_worth_asking(const Slots& slots) const;
  void open(const std::string& name, const Home& home, Instant now, std::int64_t wait_ms,
            std::optional<std::int64_t> most);

  std::map<std::string, Slots> slots_;
  std::map<std::string, Home> homes_;
  std::map<std::int64_t, OpenAsk> open_;
  std::int64_t last_ = 0;
};

}  // namespace stint
