#include <fmt/core.h>

#include "nodes/cli/printable.hpp"
#include "nodes/cli/table.hpp"
#include "nodes/cli/time_text.hpp"
#include "nodes/cli/views.hpp"
#include "nodes/config/limit_text.hpp"
#include "protocol/words.hpp"

namespace stint {

namespace {

std::string limit_or_dash(const LimitState& state) { return state.limit ? limit_text(*state.limit) : "-"; }

Cell room_cell(const LimitState& state) {
  return {.text = room_text(state), .style = state.limited || state.paused ? Style::yellow : Style::plain};
}

Cell count(std::int64_t amount, Style style = Style::plain) {
  return {.text = count_text(amount), .style = amount == 0 ? Style::faint : style};
}

void add_line(std::string& screen, const char* name, const std::string& value, const Console& console) {
  screen += fmt::format("{}{:<10}{}{}\n", style_begin(Style::bold, console.colour), name,
                        style_end(Style::bold, console.colour), value);
}

std::string in_force(const LimitState& state) {
  if (!state.limit) return "no limit";
  return limit_text(*state.limit) + (state.source ? " (" + std::string(to_string(*state.source)) + ")" : "");
}

std::string rate_cell(const std::optional<double>& rate) { return rate ? fmt::format("{:.1f}", *rate) : "-"; }

}  // namespace

std::string room_text(const LimitState& state) {
  if (!state.limited && !state.paused) {
    return state.available ? "room for " + count_text(*state.available) : "nothing limits it";
  }
  const std::string why = state.paused ? "paused" : "limited";
  if (state.available_in_ms) return why + ", room in " + span_text(*state.available_in_ms);
  if (state.paused && !state.paused_until_ms) return "paused until it is resumed";
  return why + ", room when a run ends";
}

std::string limit_table(const std::vector<LimitState>& limits, const Console& console) {
  Table table({{.title = "SCOPE"},
               {.title = "NAME", .right = false, .may_cut = true},
               {.title = "LIMIT"},
               {.title = "SOURCE"},
               {.title = "RUNNING", .right = true},
               {.title = "NOW"}});
  for (const LimitState& state : limits) {
    table.add({{.text = std::string(to_string(state.scope))},
               {.text = printable(state.name)},
               {.text = limit_or_dash(state)},
               {.text = state.source ? std::string(to_string(*state.source)) : "-", .style = Style::faint},
               count(state.running, Style::green),
               room_cell(state)});
  }
  return table.text(console);
}

std::string limit_lines(const LimitState& state, WallMs now_ms, const Console& console) {
  std::string screen;
  add_line(screen, "Limit", in_force(state), console);
  add_line(screen, "Now", room_text(state), console);
  if (state.paused_until_ms) {
    add_line(screen, "Paused",
             fmt::format("until {} ({})", time_text(*state.paused_until_ms),
                         span_text(std::max<std::int64_t>(0, *state.paused_until_ms - now_ms))),
             console);
  }
  return screen;
}

std::string limit_screen(const LimitState& state, WallMs now_ms, const Console& console) {
  std::string screen;
  add_line(screen, state.scope == LimitScope::queue ? "Queue" : "Handler", printable(state.name), console);
  screen += limit_lines(state, now_ms, console);
  add_line(screen, "Running", count_text(state.running), console);
  add_line(screen, "Version", std::to_string(state.version), console);
  if (state.layers.empty()) return screen;
  Table table({{.title = "SOURCE"}, {.title = "LIMIT"}});
  // In the order in which they are asked.
  for (const std::string_view source : words_of<LimitSource>) {
    const auto layer = state.layers.find(std::string(source));
    if (layer != state.layers.end())
      table.add({{.text = std::string(source)}, {.text = limit_text(layer->second)}});
  }
  return screen + "\n" + table.text(console);
}

std::string handler_table(const std::vector<HandlerRow>& handlers, const Console& console) {
  Table table({{.title = "HANDLER", .right = false, .may_cut = true},
               {.title = "WAITING", .right = true},
               {.title = "RUNNING", .right = true},
               {.title = "WORKERS", .right = true},
               {.title = "LIMIT"},
               {.title = "NOW"}});
  for (const HandlerRow& handler : handlers) {
    table.add({{.text = printable(handler.name)},
               count(handler.waiting),
               count(handler.state.running, Style::green),
               count(handler.workers),
               {.text = limit_or_dash(handler.state)},
               room_cell(handler.state)});
  }
  return table.text(console);
}

std::string handler_screen(const HandlerRow& handler, WallMs now_ms, const Console& console) {
  std::string screen = limit_screen(handler.state, now_ms, console);
  screen += "\n";
  add_line(screen, "Workers", count_text(handler.workers), console);
  add_line(screen, "Waiting", count_text(handler.waiting), console);
  if (handler.waiting_by_queue.empty()) return screen;
  Table table({{.title = "QUEUE", .right = false, .may_cut = true}, {.title = "WAITING", .right = true}});
  for (const auto& [queue, waiting] : handler.waiting_by_queue) {
    table.add({{.text = printable(queue)}, count(waiting)});
  }
  return screen + "\n" + table.text(console);
}

std::string explanation_screen(const Explanation& explanation, const Console& console) {
  std::string screen;
  add_line(screen, "Job", std::to_string(explanation.id), console);
  add_line(screen, "State", std::string(to_string(explanation.state)), console);
  std::string hold = explanation.hold == JobHold::paused ? "pause" : spaced(word_of(explanation.hold));
  if (explanation.scope)
    hold += " of " + std::string(to_string(*explanation.scope)) + " " + printable(explanation.name);
  add_line(screen, "Held by", hold, console);
  if (explanation.in_ms) add_line(screen, "For", span_text(*explanation.in_ms), console);
  return screen + printable_lines(explanation.message) + "\n";
}

std::string watch_screen(const Stats& stats, const std::vector<QueueView>& queues,
                         const std::vector<LimitState>& limits, const StartRates& rates, WallMs now_ms,
                         const ReachedNode& node, const Console& console) {
  std::string screen = fmt::format("{}, up {}\n{}\n", time_text(now_ms / 1'000 * 1'000),
                                   span_text(stats.uptime_ms), node_text(node, stats));
  screen += fmt::format("started {}/s, completed {}/s; waiting {}, running {}, retrying {}, dead {}\n\n",
                        rate_cell(rates.started), rate_cell(rates.completed), count_text(stats.waiting),
                        count_text(stats.running), count_text(stats.retrying), count_text(stats.dead));
  screen += queue_table(queues, console);
  if (limits.empty()) return screen;
  Table table({{.title = "SCOPE"},
               {.title = "NAME", .right = false, .may_cut = true},
               {.title = "STARTS/S", .right = true},
               {.title = "LIMIT"},
               {.title = "RUNNING", .right = true},
               {.title = "NOW"}});
  for (const LimitState& state : limits) {
    table.add({{.text = std::string(to_string(state.scope))},
               {.text = printable(state.name)},
               {.text = rate_cell(rates.of(state))},
               {.text = limit_or_dash(state)},
               count(state.running, Style::green),
               room_cell(state)});
  }
  return screen + "\n" + table.text(console);
}

}  // namespace stint
