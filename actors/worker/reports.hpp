// Reports: results of runs on their way to the server, kept and sent again until it has answered. Owned by
// the worker actor.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "actors/worker/repeat.hpp"
#include "protocol/messages/worker.hpp"
#include "protocol/time.hpp"

namespace stint {

class Reports {
 public:
  // A message's results at most: with what a map costs around them well under the bound of a message.
  static constexpr std::int64_t most_bytes = 7 << 20;

  void add(RunResult&& result) { waiting_.push_back(std::move(result)); }

  struct Report {
    std::int64_t number = 0;
    Finish finish;  // `session` and `got` are the caller's
  };
  // Those that must leave now: the results since the last call, in as few messages as the bounds allow, and
  // those that nobody answered. At most `most_results` a message.
  std::vector<Report> take_due(Instant now, std::int64_t most_results);

  // The report was answered: its results in the order they were sent. Empty: it was answered before.
  std::vector<RunResult> close(std::int64_t number);

  void repeat(std::int64_t number, Instant at);
  void repeat_all(Instant now);
  Instant next_due() const;

 private:
  struct Sent {
    std::vector<RunResult> results;
    Repeat repeat{Instant{}};
  };
  void group_waiting(Instant now, std::int64_t most_results);

  std::vector<RunResult> waiting_;
  std::map<std::int64_t, Sent> sent_;
  std::int64_t last_ = 0;
};

}  // namespace stint
