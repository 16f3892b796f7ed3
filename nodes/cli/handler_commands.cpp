#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "nodes/cli/commands.hpp"
#include "nodes/cli/json_text.hpp"
#include "nodes/cli/pages.hpp"
#include "nodes/cli/time_text.hpp"
#include "nodes/cli/views.hpp"

namespace stint {

namespace {

constexpr std::int64_t most_rows = 100'000;
constexpr std::size_t most_asked = 1'000;  // of handlers that no list tells of

ExitStatus fail(const Failure& failure, const Console& console) {
  console.complain(failure);
  return failure.status;
}

// Handlers that nothing limits are in no list of limits, but they may have runs.
std::optional<Failure> ask_for_the_rest(ServerClient& client, const std::vector<LimitState>& listed,
                                        std::vector<HandlerRow>& rows) {
  std::set<std::string> known;
  for (const LimitState& state : listed) known.insert(state.name);
  std::map<std::uint64_t, HandlerRow*> asked;
  for (HandlerRow& row : rows) {
    if (known.contains(row.name) || asked.size() == most_asked) continue;
    asked[client.send(GetLimit{.scope = LimitScope::handler, .name = row.name})] = &row;
  }
  while (!asked.empty()) {
    auto answered = client.receive();
    if (!answered) return answered.error();
    if (const Error* error = std::get_if<Error>(&answered->answer)) return refusal(*error);
    const auto row = asked.find(answered->request);
    LimitState* const state = std::get_if<LimitState>(&answered->answer);
    if (row == asked.end() || state == nullptr) continue;
    row->second->state = std::move(*state);
    asked.erase(row);
  }
  return std::nullopt;
}

Result<std::vector<HandlerRow>, Failure> fetch_handlers(ServerClient& client) {
  ListLimits of_handlers;
  of_handlers.scope = LimitScope::handler;
  const auto limits = fetch_all(client, of_handlers, &Limits::limits, most_rows);
  if (!limits) return limits.error();
  const auto queues = fetch_all(client, ListQueues{}, &Queues::queues, most_rows);
  if (!queues) return queues.error();
  const auto workers = fetch_all(client, ListWorkers{}, &Workers::workers, most_rows);
  if (!workers) return workers.error();
  auto rows = handler_rows(limits->rows, queues->rows, workers->rows);
  if (const auto failure = ask_for_the_rest(client, limits->rows, rows)) return *failure;
  return rows;
}

}  // namespace

ExitStatus run(const HandlerListCommand& command, const Console& console) {
  ServerClient client(command.client.server);
  const auto handlers = fetch_handlers(client);
  if (!handlers) return fail(handlers.error(), console);
  if (command.client.json) {
    console.print(json_of(*handlers));
  } else {
    print_rows(console, handler_table(*handlers, console), handlers->empty(),
               "no handler has jobs, workers or a limit");
  }
  return ExitStatus::done;
}

ExitStatus run(const HandlerShowCommand& command, const Console& console) {
  ServerClient client(command.client.server);
  const auto state = client.ask_for<LimitState>(GetLimit{.scope = LimitScope::handler, .name = command.name});
  if (!state) return fail(state.error(), console);
  const auto handlers = fetch_handlers(client);
  if (!handlers) return fail(handlers.error(), console);
  const auto found = std::find_if(handlers->begin(), handlers->end(),
                                  [&](const HandlerRow& row) { return row.name == command.name; });
  HandlerRow handler;
  if (found != handlers->end()) handler = *found;
  handler.name = command.name;
  handler.state = *state;
  console.print(command.client.json ? json_of(handler) : handler_screen(handler, wall_now_ms(), console));
  return ExitStatus::done;
}

}  // namespace stint
