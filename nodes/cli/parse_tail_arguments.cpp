#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <memory>

#include "nodes/cli/argument_parts.hpp"
#include "protocol/words.hpp"

namespace stint {

namespace {

constexpr std::int64_t largest_number = std::int64_t{1} << 53;

constexpr const char* examples =
    R"(Prints what happens to jobs and limits, a line for each, without a gap: when the
server restarts it goes on where it was. Events are kept for a while; those that
are asked for and gone are an error.

Examples:
  stint tail
  stint tail --queue email --event failed --event lost
  stint tail --from 0 --json > events.jsonl
)";

void add_filters(CLI::App& app, ReadEvents& filter) {
  app.add_option("-q,--queue", filter.queue, "only jobs of this queue, and events of its limit")
      ->option_text("NAME");
  app.add_option("--handler", filter.handler, "only jobs of this handler, and events of its limit")
      ->option_text("NAME");
  const auto add_event = [&filter](const std::vector<std::string>& words) {
    for (const std::string& word : words) {
      const auto kind = from_word<EventKind>(word);
      if (!kind) {
        std::string expected;
        for (const std::string_view one : words_of<EventKind>)
          expected.append(expected.empty() ? "" : ", ").append(one);
        refuse_argument("--event", "'" + word + "' is not an event; expected one of " + expected);
      }
      if (*kind == EventKind::reached || *kind == EventKind::freed) {
        refuse_argument("--event",
                        "'" + word + "' is only published and not in the log: subscribe to the event stream");
      }
      filter.events.push_back(*kind);
    }
  };
  app.add_option_function<std::vector<std::string>>(
         "--event", add_event, "only this event: enqueued, started, completed, failed, ...; may be repeated")
      ->option_text("EVENT")
      ->allow_extra_args(false);
}

}  // namespace

void add_tail_command(CLI::App& root, Parsing& parsing) {
  auto command = std::make_shared<TailCommand>();
  CLI::App* const app = add_client_command(root, parsing, command->client, "tail",
                                           "Follow what happens, as it happens.", examples);
  add_filters(*app, command->filter);
  app->add_option("--from", command->from_seq, "begin at this number; 0: the oldest that is kept (now)")
      ->option_text("SEQ")
      ->check(whole_number(0, largest_number));
  app->add_option("--log", command->filter.log, "only of this history: the `log` of an event read before")
      ->option_text("NAME");
  app->callback([command, &parsing] {
    const ReadEvents& filter = command->filter;
    if (!filter.queue.empty()) check_name(LimitScope::queue, filter.queue, "--queue");
    if (!filter.handler.empty()) check_name(LimitScope::handler, filter.handler, "--handler");
    parsing.command = *command;
  });
}

}  // namespace stint
