#include "nodes/config/read_limits.hpp"

#include <algorithm>
#include <array>

#include "nodes/config/limit_text.hpp"

namespace stint {

namespace {

// Refuses what nobody may set. A table that has a fault already may only look as if something were missing.
void judge(TableReader& table, const Limit& limit, LimitScope scope, std::optional<Limit>& target) {
  if (!table.is_sound()) return;
  if (auto fault = fault_of(limit, scope)) {
    table.refuse(in_config_words(std::move(fault->field)), in_config_words(std::move(fault->message)));
  } else {
    target = limit;
  }
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
  if (has_any) judge(queue, limit, LimitScope::queue, target);
}

void read_handler_limit(TableReader& handler, std::optional<Limit>& target) {
  Limit limit;
  read_window(handler, limit);
  handler.any_whole("max_running", limit.max_running);
  judge(handler, limit, LimitScope::handler, target);
}

void read_declared_limit(TableReader& handler, std::optional<Limit>& target) {
  Limit limit;
  handler.any_whole("max_running", limit.max_running);
  if (limit.max_running) judge(handler, limit, LimitScope::handler, target);
  if (!target) limit.max_running.reset();
  handler.table("limit", [&](TableReader& table) {
    read_window(table, limit);
    judge(table, limit, LimitScope::handler, target);
  });
}

}  // namespace stint
