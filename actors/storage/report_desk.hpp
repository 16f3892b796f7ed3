// ReportDesk: workers' words on how runs ended. A report counts once: it ends the lease it was made under,
// and is answered from the logs when it comes again (rule D4).
#pragma once

#include <string>

#include "actors/kernel/turn.hpp"
#include "actors/storage/limit_desk.hpp"
#include "actors/storage/run_ends.hpp"
#include "actors/storage/session_desk.hpp"
#include "actors/storage/storage_state.hpp"

namespace stint {

class ReportDesk {
 public:
  ReportDesk(StorageState& state, SessionDesk& desk, RunEnds& ends, LimitDesk& limits)
      : state_(state), desk_(desk), ends_(ends), limits_(limits) {}

  void on(Finish&& finish, Turn& turn);

 private:
  // Whether the report stands; else why it is stale.
  struct Standing {
    bool accepted = false;
    std::string stale;
  };
  Result<Standing> take(RunResult&& result, const Session& session, std::mt19937_64& random);
  Result<Standing> look_up(const RunResult& result, const Session& session);

  StorageState& state_;
  SessionDesk& desk_;
  RunEnds& ends_;
  LimitDesk& limits_;
};

}  // namespace stint
