#include "nodes/bench/bench_basics.hpp"

#include <cmath>

#include "nodes/cli/client_connection.hpp"
#include "protocol/bounds.hpp"

namespace stint {

namespace {

// Of one job beside its payload, names and numbers included.
constexpr std::int64_t job_bytes = 128;

}  // namespace

Result<std::unique_ptr<BenchFleet>, Failure> open_fleet(const BenchBasics& basics) {
  if (basics.server.empty()) return BenchFleet::start(0, LoadDriver::storage_config());
  ServerClient client({.endpoint = basics.server});
  if (auto pong = client.ask_for<Pong>(Ping{}); !pong) return pong.error();
  return BenchFleet::beside(basics.server);
}

Load load_of(const BenchBasics& basics, Load shape) {
  shape.jobs = basics.jobs;
  shape.run_ms = basics.jobs > 0 ? 0 : std::llround(basics.seconds * 1e3);
  return shape;
}

bool fits_a_message(std::int64_t batch, std::int64_t payload) {
  return batch * (payload + job_bytes) <= Bounds::message_bytes;
}

ExitStatus finish_bench(const Console& console, const std::string& text, bool is_whole) {
  console.print(text);
  if (!is_whole) console.note("not every job that was enqueued ended exactly once");
  return console.finish(is_whole ? ExitStatus::done : ExitStatus::refused);
}

ExitStatus fail_bench(const Console& console, const Failure& failure) {
  console.complain(failure);
  return failure.status;
}

}  // namespace stint
