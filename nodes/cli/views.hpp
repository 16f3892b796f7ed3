// What people are shown of queues, workers, jobs, limits and events: the tables and screens of the inspecting
// commands.
#pragma once

#include <string>
#include <vector>

#include "nodes/cli/console.hpp"
#include "nodes/cli/handler_rows.hpp"
#include "nodes/cli/start_rates.hpp"
#include "protocol/messages.hpp"

namespace stint {

// The node that a command talks to: it answers itself, or passes on to the storage node.
struct ReachedNode {
  std::string name;
  std::string endpoint;
};

std::string queue_table(const std::vector<QueueView>& queues, const Console& console);
// With its limit and pause, as far as it has any.
std::string queue_screen(const QueueView& queue, const LimitState& limit, WallMs now_ms,
                         const Console& console);
std::string worker_table(const std::vector<WorkerView>& workers, WallMs now_ms, const Console& console);
std::string job_table(const std::vector<JobView>& jobs, WallMs now_ms, const Console& console);
// `whole`: payloads and results are not cut.
std::string job_screen(const JobDetails& details, WallMs now_ms, bool whole, const Console& console);
std::string limit_table(const std::vector<LimitState>& limits, const Console& console);
// What is in force, how much room there is, and until when it is paused.
std::string limit_lines(const LimitState& state, WallMs now_ms, const Console& console);
std::string limit_screen(const LimitState& state, WallMs now_ms, const Console& console);
std::string handler_table(const std::vector<HandlerRow>& handlers, const Console& console);
std::string handler_screen(const HandlerRow& handler, WallMs now_ms, const Console& console);
std::string explanation_screen(const Explanation& explanation, const Console& console);
// Lines: one for each item, or one for an event of a limit.
std::string event_lines(const EventMessage& event, const Console& console);
std::string watch_screen(const Stats& stats, const std::vector<QueueView>& queues,
                         const std::vector<LimitState>& limits, const StartRates& rates, WallMs now_ms,
                         const ReachedNode& node, const Console& console);
// `room for 12`, `limited, room in 1.3 s`, `paused until it is resumed`.
std::string room_text(const LimitState& state);
std::string status_screen(const Stats& stats, const std::vector<QueueView>& queues,
                          const std::vector<WorkerView>& workers, WallMs now_ms, const ReachedNode& node,
                          const Console& console);
// `node server (storage) at tcp://127.0.0.1:7611`, of one that passes on with the storage node it reaches.
std::string node_text(const ReachedNode& node, const Stats& stats);

}  // namespace stint
