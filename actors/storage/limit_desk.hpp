// LimitDesk: sets, asks, lifts and pauses limits, whoever wants it (rules L5, L8, L9): operators, workers
// that declare one, jobs that bring one.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "actors/kernel/turn.hpp"
#include "actors/storage/storage_state.hpp"
#include "protocol/messages.hpp"

namespace stint {

class LimitDesk {
 public:
  explicit LimitDesk(StorageState& state) : state_(state) {}

  void on(SetLimit&& request, Turn& turn);
  void on(GetLimit&& request, Turn& turn);
  void on(ClearLimit&& request, Turn& turn);
  void on(Pause&& request, Turn& turn);
  void on(Resume&& request, Turn& turn);
  void on(ListLimits&& request, Turn& turn);

  // Once all is loaded: what the options say of the config's layer replaces what a former start was told
  // (rules L8, L9). Errors: overloaded, there are too many names.
  Status take_config();
  // A session's first hello: the newest one's declarations hold.
  void declare(const Hello& hello, const Session& session);
  // What is wrong with the limits that the jobs of one request bring; nothing: they can be taken.
  std::optional<Error> check(const std::vector<NewJob>& jobs);
  // The newest one that a job brings holds. It was checked.
  void bring(const std::string& handler, const Limit& limit);
  // A handler said so.
  void pause(LimitScope scope, const std::string& name, std::int64_t for_ms);

  // Once a second: says of which limits there is room again, and drops what nobody needs any more.
  void tick();
  // Which limits have been reached by starts of this turn, and which were freed: to be published, not kept.
  std::vector<EventMessage> take_passing();

  LimitState state_of(LimitScope scope, const std::string& name) const;

 private:
  // With its runs counted; null: there are too many names.
  NamedLimit* obtain(LimitScope scope, const std::string& name);
  void set(NamedLimit& named, LimitSource source, std::optional<Limit> limit);
  std::vector<Instant> starts_of_running(const NamedLimit& named) const;
  Status take_config(LimitScope scope, const std::map<std::string, Limit, std::less<>>& limits);
  bool is_served_by_others(const std::string& handler, const Session& session) const;

  StorageState& state_;
};

}  // namespace stint
