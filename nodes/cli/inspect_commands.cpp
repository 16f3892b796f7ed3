#include <chrono>
#include <fmt/core.h>
#include <limits>
#include <thread>

#include "nodes/cli/commands.hpp"
#include "nodes/cli/json_text.hpp"
#include "nodes/cli/pages.hpp"
#include "nodes/cli/printable.hpp"
#include "nodes/cli/time_text.hpp"
#include "nodes/cli/views.hpp"
#include "nodes/cli/watch.hpp"

namespace stint {

namespace {

constexpr std::int64_t most_rows = 100'000;

ExitStatus fail(const Failure& failure, const Console& console) {
  console.complain(failure);
  return failure.status;
}

void note_more(bool more, const Console& console) {
  if (more) console.note(fmt::format("stint: only the first {} are shown", most_rows));
}

}  // namespace

ExitStatus run(const QueueListCommand& command, const Console& console) {
  ServerClient client(command.client.server);
  const auto queues = fetch_all(client, ListQueues{}, &Queues::queues, most_rows);
  if (!queues) return fail(queues.error(), console);
  if (command.client.json) {
    console.print(json_of(queues->rows));
  } else {
    print_rows(console, queue_table(queues->rows, console), queues->rows.empty(),
               "no queue has jobs, workers or a setting");
  }
  note_more(queues->more, console);
  return ExitStatus::done;
}

ExitStatus run(const QueueShowCommand& command, const Console& console) {
  ServerClient client(command.client.server);
  ListQueues request;
  request.name = command.name;
  const auto queues = fetch_all(client, request, &Queues::queues, 1);
  if (!queues) return fail(queues.error(), console);
  if (queues->rows.empty()) {
    return fail({.status = ExitStatus::refused,
                 .message = "not_found: there is no queue '" + command.name + "'",
                 .hint = "  It has no jobs, no worker serves it, and no limit or pause names it."},
                console);
  }
  const QueueView& queue = queues->rows.front();
  if (command.client.json) {
    console.print(json_of(queue));
    return ExitStatus::done;
  }
  const auto limit = client.ask_for<LimitState>(GetLimit{.scope = LimitScope::queue, .name = command.name});
  if (!limit) return fail(limit.error(), console);
  console.print(queue_screen(queue, *limit, wall_now_ms(), console));
  return ExitStatus::done;
}

ExitStatus run(const WorkerListCommand& command, const Console& console) {
  ServerClient client(command.client.server);
  const auto workers = fetch_all(client, ListWorkers{}, &Workers::workers, most_rows);
  if (!workers) return fail(workers.error(), console);
  if (command.client.json) {
    console.print(json_of(workers->rows));
  } else {
    print_rows(console, worker_table(workers->rows, wall_now_ms(), console), workers->rows.empty(),
               "no worker is there; `stint work` starts one");
  }
  note_more(workers->more, console);
  return ExitStatus::done;
}

ExitStatus run(const StatusCommand& command, const Console& console) {
  if (command.watch) return watch(command, console);
  ServerClient client(command.client.server);
  const auto stats = client.ask_for<Stats>(GetStats{});
  if (!stats) return fail(stats.error(), console);
  const auto queues = fetch_all(client, ListQueues{}, &Queues::queues, most_rows);
  if (!queues) return fail(queues.error(), console);
  const auto workers = fetch_all(client, ListWorkers{}, &Workers::workers, most_rows);
  if (!workers) return fail(workers.error(), console);
  const auto pong = client.ask_for<Pong>(Ping{});
  if (!pong) return fail(pong.error(), console);
  const ReachedNode node{pong->server, client.endpoint()};
  console.print(command.client.json
                    ? json_of_status(*stats, queues->rows, workers->rows)
                    : status_screen(*stats, queues->rows, workers->rows, wall_now_ms(), node, console));
  return ExitStatus::done;
}

ExitStatus run(const PingCommand& command, const Console& console) {
  ServerClient client(command.client.server);
  using Clock = std::chrono::steady_clock;
  const Clock::time_point give_up_at =
      Clock::now() + std::chrono::milliseconds(command.client.server.wait_ms);
  // The first round trip opens the connection; the last is what one costs. A node that is not ready yet may
  // become so while the command waits.
  for (bool is_ready = false; !is_ready;) {
    const auto first = client.ask_for<Pong>(Ping{});
    if (!first) return fail(first.error(), console);
    is_ready = first->ready || Clock::now() >= give_up_at;
    if (!is_ready) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  const auto begin = Clock::now();
  const auto pong = client.ask_for<Pong>(Ping{});
  if (!pong) return fail(pong.error(), console);
  const std::chrono::duration<double, std::milli> round_trip = Clock::now() - begin;
  if (command.client.json) {
    console.print(json_of(*pong, round_trip.count()));
  } else {
    console.print(fmt::format("{} at {}: {}, stint {}, {:.2f} ms\n", printable(pong->server),
                              client.endpoint(), pong->ready ? "ready" : "not ready",
                              printable(pong->version), round_trip.count()));
  }
  return pong->ready ? ExitStatus::done : ExitStatus::no_server;
}

}  // namespace stint
