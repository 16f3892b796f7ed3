#include <fmt/core.h>

#include "nodes/cli/commands.hpp"
#include "nodes/cli/json_text.hpp"
#include "nodes/cli/pages.hpp"
#include "nodes/cli/printable.hpp"
#include "nodes/cli/time_text.hpp"
#include "nodes/cli/views.hpp"
#include "nodes/config/duration.hpp"
#include "nodes/config/limit_text.hpp"

namespace stint {

namespace {

constexpr std::int64_t most_rows = 100'000;

ExitStatus fail(const Failure& failure, const Console& console) {
  console.complain(failure);
  return failure.status;
}

// `queue email: 10/s, burst 20 (operator)`, of what is in force after a change.
std::string changed_text(const LimitState& state) {
  std::string text = std::string(to_string(state.scope)) + " " + printable(state.name) + ": ";
  text += state.limit ? limit_text(*state.limit) : "no limit";
  if (state.source) text += " (" + std::string(to_string(*state.source)) + ")";
  return text + "\n";
}

std::string pause_text(const LimitState& state) {
  std::string text = std::string(to_string(state.scope)) + " " + printable(state.name) + ": ";
  if (!state.paused) return text + "not paused\n";
  if (!state.paused_until_ms) return text + "paused until it is resumed\n";
  return text + "paused until " + time_text(*state.paused_until_ms) + "\n";
}

// For scripts too: the exact seconds.
std::string check_text(const LimitState& state) {
  if (!state.available_in_ms || !(state.limited || state.paused)) return room_text(state) + "\n";
  return fmt::format("{}, room in {:.3f} s\n", state.paused ? "paused" : "limited",
                     static_cast<double>(*state.available_in_ms) / 1'000);
}

// Asks for a change, or only asks, and shows the state that is answered.
template <class Command>
ExitStatus show_answer(const Command& command, std::string (*text_of)(const LimitState&),
                       const Console& console) {
  ServerClient client(command.client.server);
  const auto state = client.ask_for<LimitState>(command.request);
  if (!state) return fail(state.error(), console);
  console.print(command.client.json ? json_of(*state) : text_of(*state));
  return ExitStatus::done;
}

}  // namespace

ExitStatus run(const LimitSetCommand& command, const Console& console) {
  return show_answer(command, changed_text, console);
}

ExitStatus run(const LimitClearCommand& command, const Console& console) {
  return show_answer(command, changed_text, console);
}

ExitStatus run(const PauseCommand& command, const Console& console) {
  return show_answer(command, pause_text, console);
}

ExitStatus run(const ResumeCommand& command, const Console& console) {
  return show_answer(command, pause_text, console);
}

ExitStatus run(const LimitShowCommand& command, const Console& console) {
  ServerClient client(command.client.server);
  if (!command.name.empty()) {
    const auto state = client.ask_for<LimitState>(GetLimit{.scope = *command.scope, .name = command.name});
    if (!state) return fail(state.error(), console);
    console.print(command.client.json ? json_of(*state) : limit_screen(*state, wall_now_ms(), console));
    return ExitStatus::done;
  }
  ListLimits request;
  request.scope = command.scope;
  const auto limits = fetch_all(client, request, &Limits::limits, most_rows);
  if (!limits) return fail(limits.error(), console);
  if (command.client.json) {
    console.print(json_of(limits->rows, limits->more));
  } else {
    print_rows(console, limit_table(limits->rows, console), limits->rows.empty(),
               "nothing is limited or paused");
  }
  if (limits->more) console.note(fmt::format("stint: only the first {} are shown", most_rows));
  return ExitStatus::done;
}

ExitStatus run(const LimitCheckCommand& command, const Console& console) {
  ServerClient client(command.client.server);
  const auto state = client.ask_for<LimitState>(command.request);
  if (!state) return fail(state.error(), console);
  console.print(command.client.json ? json_of(*state) : check_text(*state));
  return state->limited || state->paused ? ExitStatus::limited : ExitStatus::done;
}

}  // namespace stint
