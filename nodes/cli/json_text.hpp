// The JSON of `--json`: one object each, its keys in a stable order. Payloads that are not UTF-8 text appear
// as `payload_base64`, results as `result_base64`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nodes/cli/handler_rows.hpp"
#include "nodes/cli/start_rates.hpp"
#include "nodes/config/config_fault.hpp"
#include "protocol/messages.hpp"

namespace stint {

// All end with a new line; what is said to be a line has no other.
std::string json_of(const Enqueued& enqueued);
std::string json_of(const std::vector<QueueView>& queues);
std::string json_of(const QueueView& queue);
std::string json_of(const std::vector<WorkerView>& workers);
std::string json_of(const std::vector<JobView>& jobs, bool more);
std::string json_of(const JobDetails& details);
std::string json_of(const std::vector<JobDetails>& jobs);
std::string json_of_deleted(const std::vector<JobId>& ids);
std::string json_of(const Pong& pong, double round_trip_ms);
std::string json_of_status(const Stats& stats, const std::vector<QueueView>& queues,
                           const std::vector<WorkerView>& workers);
std::string json_of(const LimitState& state);
std::string json_of(const std::vector<LimitState>& limits, bool more);
std::string json_of(const std::vector<HandlerRow>& handlers);
std::string json_of(const HandlerRow& handler);
std::string json_of(const Explanation& explanation);
// A line for each item, or one for an event of a limit.
std::string json_lines_of(const EventMessage& event);
// A line.
std::string json_of_watch(const Stats& stats, const std::vector<QueueView>& queues,
                          const std::vector<LimitState>& limits, const StartRates& rates);
std::string json_of_config(const std::string& file, const ConfigFaults& faults);
std::string json_of_version();

}  // namespace stint
