#include "nodes/config/read_limits.hpp"

#include <algorithm>
#include <array>

#include "nodes/config/limit_text.hpp"

namespace stint {

namespace {

constexpr double some_rate = 1;
constexpr std::int64_t some_count = 1;
constexpr std::int64_t some_window_ms = 1'000;

// What could not be read is a fault that was named; it is not also missing.
Limit with_unread_keys(const TableReader& table, Limit limit, LimitScope scope) {
  const bool is_queue = scope == LimitScope::queue;
  if (is_queue && table.has("rate") && !limit.rate) limit.rate = some_rate;
  if (!is_queue && table.has("max") && !limit.max) limit.max = some_count;
  if (!is_queue && table.has("window") && !limit.window_ms) limit.window_ms = some_window_ms;
  if (table.has("max_running") && !limit.max_running) limit.max_running = some_count;
  return limit;
}

// Puts one field right, so that the next fault can be seen. False: it is a fault of no field.
bool put_right(const std::string& field, Limit& limit) {
  if (field == "rate") return limit.rate = some_rate, true;
  if (field == "burst") return limit.burst = 0, true;
  if (field == "max") return limit.max = some_count, true;
  if (field == "window_ms") return limit.window_ms = some_window_ms, true;
  if (field == "max_running") return limit.max_running = some_count, true;
  if (field == "count") return limit.count = CountPolicy::completed, true;
  if (field == "unlimited") return limit.unlimited = false, true;
  return false;
}

// Refuses every key that makes it a limit nobody may set. Gives the limit without these faults.
Limit judge(TableReader& table, const Limit& limit, LimitScope scope) {
  Limit judged = with_unread_keys(table, limit, scope);
  while (auto fault = fault_of(judged, scope)) {
    const bool was_put_right = put_right(fault->field, judged);
    table.refuse(in_config_words(std::move(fault->field)), in_config_words(std::move(fault->message)));
    if (!was_put_right) break;
  }
  return judged;
}

void read_unlimited(TableReader& table, Limit& limit) {
  std::optional<bool> unlimited;
  table.boolean("unlimited", unlimited);
  limit.unlimited = unlimited.value_or(false);
}

void read_window(TableReader& table, Limit& limit) {
  table.any_whole("max", limit.max);
  table.any_duration("window", limit.window_ms);
  std::optional<std::string> count;
  table.text("count", count, [](const std::string& text) -> std::optional<std::string> {
    if (text == "completed" || text == "started") return {};
    return "completed or started";
  });
  if (count == "started") limit.count = CountPolicy::started;
  read_unlimited(table, limit);
}

}  // namespace

void read_queue_limit(TableReader& queue, std::optional<Limit>& target) {
  constexpr std::array<std::string_view, 4> keys{"rate", "burst", "max_running", "unlimited"};
  const bool has_any = std::any_of(keys.begin(), keys.end(), [&](auto key) { return queue.has(key); });
  Limit limit;
  std::optional<std::int64_t> burst;
  queue.any_rate("rate", limit.rate);
  queue.any_whole("burst", burst);
  queue.any_whole("max_running", limit.max_running);
  read_unlimited(queue, limit);
  limit.burst = burst.value_or(0);
  if (has_any) target = judge(queue, limit, LimitScope::queue);
}

void read_handler_limit(TableReader& handler, std::optional<Limit>& target) {
  Limit limit;
  read_window(handler, limit);
  handler.any_whole("max_running", limit.max_running);
  target = judge(handler, limit, LimitScope::handler);
}

void read_declared_limit(TableReader& handler, std::optional<Limit>& target) {
  Limit limit;
  handler.any_whole("max_running", limit.max_running);
  if (handler.has("max_running")) target = limit = judge(handler, limit, LimitScope::handler);
  handler.table("limit", [&](TableReader& table) {
    read_window(table, limit);
    target = judge(table, limit, LimitScope::handler);
  });
}

}  // namespace stint
