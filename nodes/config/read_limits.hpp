// The limits of a config file, judged as those of every other way in.
#pragma once

#include <optional>

#include "nodes/config/table_reader.hpp"
#include "protocol/limit.hpp"

namespace stint {

// rate, burst, max_running and unlimited of `[queues.X]`, beside its other keys. None of them: no limit.
void read_queue_limit(TableReader& queue, std::optional<Limit>& target);

// max, window, count, max_running and unlimited: all that `[handlers.X]` has.
void read_handler_limit(TableReader& handler, std::optional<Limit>& target);

// `limit = { max, window, count }` and `max_running` of `[worker.handlers.X]`, beside its other keys.
void read_declared_limit(TableReader& handler, std::optional<Limit>& target);

}  // namespace stint
