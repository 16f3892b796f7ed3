// HandlerRow: what is known of one handler, gathered from the lists of limits, queues and workers.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "protocol/messages.hpp"

namespace stint {

struct HandlerRow {
  std::string name;
  LimitState state;  // of one without limit, pause and runs: empty
  std::int64_t waiting = 0;
  std::map<std::string, std::int64_t> waiting_by_queue;
  std::int64_t workers = 0;  // open sessions that serve it
};

// By name: every handler that has a limit, waiting jobs or a worker.
std::vector<HandlerRow> handler_rows(const std::vector<LimitState>& limits,
                                     const std::vector<QueueView>& queues,
                                     const std::vector<WorkerView>& workers);

}  // namespace stint
