#include "nodes/cli/views.hpp"

#include <fmt/core.h>

#include "nodes/cli/printable.hpp"
#include "nodes/cli/table.hpp"
#include "nodes/cli/time_text.hpp"
#include "protocol/values.hpp"

namespace stint {

namespace {

using Column = Table::Column;

Column number(const char* title) { return {.title = title, .right = true}; }
Column text(const char* title) { return {.title = title}; }
Column long_text(const char* title) { return {.title = title, .right = false, .may_cut = true}; }

// A count: faint when there is nothing, in its colour when there is.
Cell count(std::int64_t amount, Style style = Style::plain) {
  return {.text = count_text(amount), .style = amount == 0 ? Style::faint : style};
}

std::string joined(const std::vector<std::string>& words) {
  std::string result;
  for (const std::string& word : words) result += (result.empty() ? "" : ", ") + printable(word);
  return result.empty() ? "-" : result;
}

std::string or_dash(const std::string& word) { return word.empty() ? "-" : printable(word); }

std::string host_of(const WorkerView& worker) {
  std::string host = or_dash(worker.hostname);
  if (worker.pid) host += ":" + std::to_string(*worker.pid);
  return host;
}

}  // namespace

std::string queue_table(const std::vector<QueueView>& queues, const Console& console) {
  Table table({long_text("QUEUE"), number("WAITING"), number("SCHEDULED"), number("RETRYING"),
               number("RUNNING"), number("DEAD"), number("WORKERS")});
  for (const QueueView& queue : queues) {
    table.add({{.text = printable(queue.name)},
               count(queue.waiting),
               count(queue.scheduled),
               count(queue.retrying, Style::yellow),
               count(queue.running, Style::green),
               count(queue.dead, Style::red),
               count(queue.workers)});
  }
  return table.text(console);
}

std::string queue_screen(const QueueView& queue, const LimitState& limit, WallMs now_ms,
                         const Console& console) {
  std::string screen = queue_table({queue}, console);
  if (limit.limit || limit.paused) screen += "\n" + limit_lines(limit, now_ms, console);
  if (queue.waiting_by_handler.empty()) return screen;
  Table table({long_text("HANDLER"), number("WAITING")});
  for (const auto& [handler, waiting] : queue.waiting_by_handler) {
    table.add({{.text = printable(handler)}, count(waiting)});
  }
  screen += "\n" + table.text(console);
  if (queue.handlers_left_out > 0) {
    screen += fmt::format("and {} more handlers with waiting jobs\n", count_text(queue.handlers_left_out));
  }
  return screen;
}

std::string worker_table(const std::vector<WorkerView>& workers, WallMs now_ms, const Console& console) {
  Table table({long_text("WORKER"), text("SESSION"), long_text("HOST:PID"), long_text("QUEUES"),
               long_text("HANDLERS"), number("RUNNING"), number("HEARD"), number("UP")});
  for (const WorkerView& worker : workers) {
    const std::int64_t heard = worker.last_message_ago_ms;
    table.add({{.text = or_dash(worker.worker)},
               {.text = to_string(worker.session).substr(0, 8), .style = Style::faint},
               {.text = host_of(worker)},
               {.text = joined(worker.queues)},
               {.text = joined(worker.handlers)},
               count(worker.running, Style::green),
               {.text = span_text(heard), .style = heard > 60'000 ? Style::red : Style::plain},
               {.text = span_text(now_ms - worker.first_hello_ms), .style = Style::faint}});
  }
  return table.text(console);
}

std::string node_text(const ReachedNode& node, const Stats& stats) {
  const bool is_storage = node.name == stats.server;
  const std::string text = fmt::format("node {} ({}) at {}", or_dash(node.name),
                                       is_storage ? "storage" : "limiter", node.endpoint);
  return is_storage ? text : text + "\nstorage node " + or_dash(stats.server);
}

std::string status_screen(const Stats& stats, const std::vector<QueueView>& queues,
                          const std::vector<WorkerView>& workers, WallMs now_ms, const ReachedNode& node,
                          const Console& console) {
  std::string screen = fmt::format("{}, stint {}, up {}, start {}\n", node_text(node, stats),
                                   or_dash(stats.version), span_text(stats.uptime_ms), stats.epoch);
  screen += fmt::format("database {}, write-ahead log {}, events {}, sessions {}\n\n",
                        bytes_text(stats.database_bytes), bytes_text(stats.wal_bytes),
                        count_text(stats.event_seq), count_text(stats.sessions));

  Table jobs({number("WAITING"), number("SCHEDULED"), number("RETRYING"), number("RUNNING"), number("DEAD")});
  jobs.add({count(stats.waiting), count(stats.scheduled), count(stats.retrying, Style::yellow),
            count(stats.running, Style::green), count(stats.dead, Style::red)});
  screen += "Jobs now\n" + jobs.text(console) + "\n";

  Table since({number("ENQUEUED"), number("STARTED"), number("COMPLETED"), number("FAILED"), number("LOST"),
               number("UNDELIVERED"), number("STALE")});
  since.add({count(stats.enqueued), count(stats.started), count(stats.completed, Style::green),
             count(stats.failed, Style::red), count(stats.lost, Style::red),
             count(stats.undelivered, Style::yellow), count(stats.stale, Style::yellow)});
  screen += "Since the start\n" + since.text(console) + "\n";

  screen +=
      queues.empty() ? "No jobs now; `stint enqueue HANDLER` sends one.\n" : queue_table(queues, console);
  screen += "\n";
  screen +=
      workers.empty() ? "No workers; `stint work` starts one.\n" : worker_table(workers, now_ms, console);
  return screen;
}

}  // namespace stint
