// AcceptJobs: takes in new jobs, all of a request or none, once for each batch_key (rule D8).
#pragma once

#include "actors/kernel/turn.hpp"
#include "actors/storage/limit_desk.hpp"
#include "actors/storage/storage_state.hpp"

namespace stint {

class AcceptJobs {
 public:
  AcceptJobs(StorageState& state, LimitDesk& limits) : state_(state), limits_(limits) {}

  void on(Enqueue&& request, Turn& turn);

 private:
  // What a request with this key was answered, if there was one; conflict: it was for other jobs.
  Result<std::optional<Enqueued>> answered_before(const std::string& key, std::uint64_t content);
  JobId accept(NewJob&& job);

  StorageState& state_;
  LimitDesk& limits_;
};

}  // namespace stint
