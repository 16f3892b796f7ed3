#include "tests/sim/world/rogue.hpp"

#include <algorithm>
#include <array>

namespace stint::sim {

Rogue::Rogue(World& world, Network& network, Checker& checker, SessionId session)
    : world_(world), client_(world, network, checker, session) {
  client_.heard = [this](const Answer& answer) { hear(answer); };
}

void Rogue::act_later() {
  world_.after(world_.between(5 * millisecond, 400 * millisecond), [this] {
    if (!on_) return;
    act();
    act_later();
  });
}

void Rogue::act() {
  switch (world_.between(0, 9)) {
    case 0:
      client_.send(client_.hello("rogue"));
      return;
    case 1:
    case 2:
      return ask(++asks_);
    case 3:
      return ask(world_.between(1, asks_ + 1));
    case 4:
    case 5:
    case 6:
      return report(any_run());
    case 7:
    case 8: {
      Heartbeat heartbeat = client_.heartbeat({});
      heartbeat.got = got();
      heartbeat.wait_ms = world_.between(0, 500);
      for (std::int64_t left = world_.between(0, 4); left > 0; --left) {
        const JobRun run = any_run();
        heartbeat.jobs.push_back({run.id, run.run, std::nullopt});
      }
      client_.send(heartbeat);
      return;
    }
    default:
      if (world_.chance(0.2)) client_.send(Goodbye{client_.session()});
      if (world_.chance(0.2)) client_.send(CancelJob{any_run().id});
  }
}

void Rogue::ask(std::int64_t number) {
  asks_ = std::max(asks_, number);
  RequestBatch request = client_.request_batch(number, world_.between(1, 3), world_.between(0, 2'000));
  request.got = got();
  client_.send(request);
}

void Rogue::report(const JobRun& run) {
  LeasedJob job;
  job.id = run.id;
  job.run = run.run;
  constexpr std::array outcomes{Outcome::completed, Outcome::failed, Outcome::snoozed, Outcome::released};
  Finish finish = client_.finish(job, outcomes[static_cast<std::size_t>(world_.between(0, 3))]);
  finish.got = got();
  client_.send(finish);
  if (world_.chance(0.3)) client_.send(finish);
}

// Mostly one of its own, whatever has become of it; now and then one of somebody else.
JobRun Rogue::any_run() {
  if (had_.empty() || world_.chance(0.15)) return {world_.between(1, 150), world_.between(1, 4)};
  return had_[static_cast<std::size_t>(world_.between(0, std::ssize(had_) - 1))];
}

std::int64_t Rogue::got() const {
  std::int64_t got = 0;
  while (answered_.contains(got + 1)) ++got;
  return got;
}

void Rogue::hear(const Answer& answer) {
  const auto* batch = std::get_if<Batch>(&answer);
  if (batch == nullptr) return;
  answered_.insert(batch->ask);
  for (const LeasedJob& job : batch->jobs) had_.push_back({job.id, job.run});
}

}  // namespace stint::sim
