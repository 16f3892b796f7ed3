#include "nodes/bench/restart_probe.hpp"

#include <algorithm>
#include <random>
#include <unistd.h>

#include "nodes/bench/bench_clock.hpp"
#include "nodes/bench/bench_dealer.hpp"

namespace stint {

namespace {

constexpr std::int64_t patience_us = 120'000'000;

// Asks until there is an answer of this kind, however often the server wants to be asked later.
template <class Kind>
Result<Kind, Failure> ask_until(BenchDealer& dealer, const Request& request, std::int64_t deadline_us) {
  Failure last{.status = ExitStatus::no_server, .message = "no answer after a restart"};
  while (bench_now_us() < deadline_us) {
    dealer.send(request);
    const auto frames = dealer.receive((deadline_us - bench_now_us()) / 1'000);
    if (!frames) break;
    auto answer = BenchDealer::decode(*frames);
    if (!answer) return answer.error();
    if (Kind* kind = std::get_if<Kind>(&*answer)) return std::move(*kind);
    const Error* const error = std::get_if<Error>(&*answer);
    last = {.status = ExitStatus::refused,
            .message = error == nullptr ? "another answer after a restart" : error->message};
    if (error == nullptr || !error->retry_in_ms) break;
    usleep(static_cast<useconds_t>(std::clamp<std::int64_t>(*error->retry_in_ms, 1, 100) * 1'000));
  }
  return last;
}

}  // namespace

Result<double, Failure> measure_restart(BenchFleet& fleet, const std::string& queue,
                                        const std::string& handler) {
  Hello hello;
  hello.client = "stint bench";
  hello.worker = "bench-restart";
  std::random_device random;
  std::array<unsigned char, 16> bytes{};
  for (unsigned char& byte : bytes) byte = static_cast<unsigned char>(random());
  hello.session = SessionId{bytes};
  hello.handlers[handler] = {};
  hello.queues = {queue};
  RequestBatch request;
  request.session = *hello.session;
  request.ask = 1;
  request.queues[queue] = 1;
  request.wait_ms = 60'000;

  fleet.kill_storage();
  const std::int64_t begin_us = bench_now_us();
  const std::int64_t deadline_us = begin_us + patience_us;
  if (auto started = fleet.restart_storage(); !started) return started.error();
  zmq::context_t context{1};
  BenchDealer dealer(context, fleet.server());
  auto welcome = ask_until<Welcome>(dealer, hello, deadline_us);
  if (!welcome) return welcome.error();
  auto batch = ask_until<Batch>(dealer, request, deadline_us);
  if (!batch) return batch.error();
  const std::int64_t took_us = bench_now_us() - begin_us;
  if (batch->jobs.empty()) {
    return Failure{.status = ExitStatus::refused, .message = "the first batch after a restart is empty"};
  }
  auto farewell = ask_until<Farewell>(dealer, Goodbye{*hello.session}, deadline_us);
  if (!farewell) return farewell.error();
  return static_cast<double>(took_us) / 1e3;
}

}  // namespace stint
