// Every message of the wire: what may be asked of a front door, and what may be answered.
#pragma once

#include <variant>

#include "protocol/error.hpp"
#include "protocol/messages/enqueue.hpp"
#include "protocol/messages/events.hpp"
#include "protocol/messages/inspect.hpp"
#include "protocol/messages/limits.hpp"
#include "protocol/messages/worker.hpp"

namespace stint {

using Request =
    std::variant<Enqueue, Hello, RequestBatch, Finish, Heartbeat, Goodbye, ListQueues, ListWorkers, ListJobs,
                 GetJob, RetryJob, CancelJob, DeleteJob, GetStats, Ping, SetLimit, GetLimit, ClearLimit,
                 Pause, Resume, ListLimits, ReadEvents, ExplainJob>;

using Answer = std::variant<Enqueued, Welcome, Batch, Finished, HeartbeatOk, Farewell, Queues, Workers, Jobs,
                            JobDetails, Deleted, Stats, Pong, Error, LimitState, Limits, Events, Explanation>;

}  // namespace stint
