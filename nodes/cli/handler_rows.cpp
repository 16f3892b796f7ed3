#include "nodes/cli/handler_rows.hpp"

#include <utility>

namespace stint {

std::vector<HandlerRow> handler_rows(const std::vector<LimitState>& limits,
                                     const std::vector<QueueView>& queues,
                                     const std::vector<WorkerView>& workers) {
  std::map<std::string, HandlerRow> by_name;
  for (const LimitState& state : limits) {
    if (state.scope == LimitScope::handler) by_name[state.name].state = state;
  }
  for (const QueueView& queue : queues) {
    for (const auto& [handler, waiting] : queue.waiting_by_handler) {
      if (waiting == 0) continue;
      by_name[handler].waiting += waiting;
      by_name[handler].waiting_by_queue[queue.name] = waiting;
    }
  }
  for (const WorkerView& worker : workers) {
    for (const std::string& handler : worker.handlers) ++by_name[handler].workers;
  }
  std::vector<HandlerRow> rows;
  for (auto& [name, row] : by_name) {
    row.name = row.state.name = name;
    row.state.scope = LimitScope::handler;
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace stint
