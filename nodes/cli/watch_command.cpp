#include <chrono>
#include <memory>
#include <thread>

#include "nodes/cli/commands.hpp"
#include "nodes/cli/json_text.hpp"
#include "nodes/cli/pages.hpp"
#include "nodes/cli/time_text.hpp"
#include "nodes/cli/views.hpp"
#include "nodes/cli/watch.hpp"

namespace stint {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t most_rows = 1'000;
constexpr std::chrono::seconds between_looks{1};

struct Look {
  Stats stats;
  std::vector<QueueView> queues;
  std::vector<LimitState> limits;
  ReachedNode node;
};

Result<Look, Failure> look(ServerClient& client) {
  auto stats = client.ask_for<Stats>(GetStats{});
  if (!stats) return stats.error();
  auto queues = fetch_all(client, ListQueues{}, &Queues::queues, most_rows);
  if (!queues) return queues.error();
  auto limits = fetch_all(client, ListLimits{}, &Limits::limits, most_rows);
  if (!limits) return limits.error();
  auto pong = client.ask_for<Pong>(Ping{});
  if (!pong) return pong.error();
  return Look{std::move(*stats), std::move(queues->rows), std::move(limits->rows),
              ReachedNode{std::move(pong->server), client.endpoint()}};
}

// A terminal is drawn over from its upper left corner; elsewhere an empty line stands between two blocks.
void show(const std::string& block, bool is_first, const Console& console) {
  if (console.out_is_terminal) console.print("\x1b[H\x1b[2J");
  if (!console.out_is_terminal && !is_first) console.print("\n");
  console.print(block);
  std::fflush(console.out);
}

}  // namespace

ExitStatus watch(const StatusCommand& command, const Console& console) {
  auto client = std::make_unique<ServerClient>(command.client.server);
  StartCounts counts;
  Clock::time_point before = Clock::now();
  Clock::time_point next = before;
  for (std::int64_t shown = 0; !command.times || shown < *command.times; ++shown) {
    std::this_thread::sleep_until(next);
    next += between_looks;
    const auto seen = look(*client);
    // Watching begins where there is a server, and then waits for it to come back.
    if (!seen) {
      console.complain(seen.error());
      if (shown == 0 || seen.error().status != ExitStatus::no_server) return seen.error().status;
      // Answers to what was asked before may still come there.
      client = std::make_unique<ServerClient>(command.client.server);
      next = Clock::now() + between_looks;
      continue;
    }
    const Clock::time_point now = Clock::now();
    const auto rates =
        counts.look(seen->stats, seen->limits, std::chrono::duration<double>(now - before).count());
    before = now;
    if (command.client.json) {
      console.print(json_of_watch(seen->stats, seen->queues, seen->limits, rates));
      std::fflush(console.out);
    } else {
      show(watch_screen(seen->stats, seen->queues, seen->limits, rates, wall_now_ms(), seen->node, console),
           shown == 0, console);
    }
    if (std::ferror(console.out) != 0) return ExitStatus::io;
  }
  return ExitStatus::done;
}

}  // namespace stint
