#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <memory>

#include "nodes/cli/argument_parts.hpp"
#include "nodes/cli/time_text.hpp"
#include "nodes/config/limit_text.hpp"
#include "protocol/names.hpp"

namespace stint {

namespace {

constexpr std::int64_t year_ms = 365LL * 86'400'000;
constexpr std::int64_t most_copies = 1'000'000'000;
constexpr std::size_t longest_batch_key = 64;

constexpr const char* examples =
    R"(PAYLOAD is sent as text; `-` reads it from stdin, as bytes. Prints the ids, one
a line. A file has one JSON object a line: handler, queue, payload (a string, or
any JSON kept as its text) or payload_base64, priority, delay or delay_ms,
run_at_ms, max_attempts, timeout or timeout_ms, backoff, meta, limit (a text
like "60/60s", or max, window, count, max_running). What a line leaves out is
taken from the command line. All lines are checked before the first is sent.

A limit is the handler's, for all its jobs and every worker: the newest one
given this way holds, unless a worker, the config or an operator says otherwise.

Examples:
  stint enqueue send_email '{"to": "ada@example.org"}'
  stint enqueue -q reports monthly --delay 2h --meta customer=42
  stint enqueue thumbnail - < picture.png
  stint enqueue --file jobs.jsonl
  stint enqueue call_api --limit 60/60s --count 100000
)";

// What is typed and must be looked at before it is a job.
struct Typed {
  std::string payload;
  std::string at;
  std::vector<std::string> meta;
};

void take_meta(const std::vector<std::string>& texts, Meta& meta) {
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      refuse_argument("--meta", "'" + text + "' is not like key=value");
    if (!is_utf8(text)) refuse_argument("--meta", "expected UTF-8");
    if (!meta.emplace(text.substr(0, equals), text.substr(equals + 1)).second) {
      refuse_argument("--meta", "'" + text.substr(0, equals) + "' is given twice");
    }
  }
}

void take_payload(EnqueueCommand& command, const std::string& payload) {
  if (payload == "-") {
    command.payload_from_stdin = true;
  } else {
    command.job.payload = Payload{.bytes = payload, .is_text = is_utf8(payload)};
  }
}

void check_together(const EnqueueCommand& command, bool has_payload) {
  if (command.file.empty()) {
    if (command.job.handler.empty()) refuse_argument("HANDLER", "expected one, or --file");
  } else {
    if (has_payload) refuse_argument("PAYLOAD", "the lines of --file have their own");
    if (command.count != 1) refuse_argument("--count", "does not go with --file");
  }
  if (!command.job.handler.empty() && !is_handler_name(command.job.handler)) {
    refuse_argument("HANDLER",
                    "'" + command.job.handler +
                        "' is not a handler name; expected 1 to 255 bytes of UTF-8 without spaces, / or =");
  }
  if (!is_queue_name(command.job.queue)) {
    refuse_argument("--queue", "'" + command.job.queue +
                                   "' is not a queue name; expected letters, digits or any of . _ : -");
  }
}

void add_job_options(CLI::App& app, NewJob& job, Typed& typed) {
  app.add_option("-q,--queue", job.queue, "the queue (default)")->option_text("NAME");
  CLI::Option* const delay =
      add_duration(app, "--delay", job.delay_ms, 0, 10 * year_ms, "not before this has passed");
  app.add_option("--at", typed.at, "not before this time: RFC 3339, or milliseconds since 1970")
      ->option_text("TIME")
      ->excludes(delay);
  app.add_option("--priority", job.priority, "0 (first) to 9; 5 unless said")
      ->option_text("N")
      ->check(whole_number(0, 9));
  app.add_option("--max-attempts", job.max_attempts, "dead after so many attempts")
      ->option_text("N")
      ->check(whole_number(1, 1'000'000));
  add_duration(app, "--timeout", job.timeout_ms, 1, year_ms, "a run that takes longer is ended");
  const auto take_limit = [&job](const std::string& text) {
    const auto limit = parse_window(text);
    if (!limit) refuse_argument("--limit", limit.error().message);
    check_limit(*limit, LimitScope::handler, "--limit");
    job.limit = *limit;
  };
  app.add_option_function<std::string>("--limit", take_limit,
                                       "of the handler: at most MAX in any WINDOW, like 60/60s")
      ->option_text("MAX/WINDOW");
  app.add_option("--meta", typed.meta, "a note for the handler; may be repeated")
      ->option_text("KEY=VALUE")
      ->allow_extra_args(false);
}

void add_source_options(CLI::App& app, EnqueueCommand& command, Typed& typed) {
  app.add_option("HANDLER", command.job.handler, "the name of what shall run the job");
  app.add_option("PAYLOAD", typed.payload, "the job's payload; `-`: stdin; absent: empty");
  app.add_option("--file", command.file, "one job a line, as JSON; `-`: stdin")->option_text("FILE");
  app.add_option("--count", command.count, "enqueue the job so many times")
      ->option_text("N")
      ->check(whole_number(1, most_copies));
  app.add_option("--batch-key", command.batch_key, "the same key with the same jobs enqueues them once")
      ->option_text("KEY")
      ->check([](const std::string& key) {
        return key.empty() || key.size() > longest_batch_key || !is_utf8(key)
                   ? "expected 1 to 64 bytes of UTF-8"
                   : "";
      });
}

}  // namespace

void add_enqueue_command(CLI::App& root, Parsing& parsing) {
  CLI::App* const app =
      add_command(root, "enqueue", "Enqueue a job, copies of it, or a file of jobs.", examples);
  auto command = std::make_shared<EnqueueCommand>();
  auto typed = std::make_shared<Typed>();
  add_source_options(*app, *command, *typed);
  add_job_options(*app, command->job, *typed);
  add_client_options(*app, command->client);
  add_later_options(*app, parsing, {"--unique", "--key", "--server-key"});
  app->callback([app, command, typed, &parsing] {
    if (!typed->at.empty()) {
      const auto at_ms = parse_time_ms(typed->at);
      if (!at_ms) refuse_argument("--at", at_ms.error().message);
      command->job.run_at_ms = *at_ms;
    }
    const bool has_payload = app->get_option("PAYLOAD")->count() > 0;
    if (has_payload) take_payload(*command, typed->payload);
    take_meta(typed->meta, command->job.meta);
    check_together(*command, has_payload);
    parsing.command = *command;
  });
}

}  // namespace stint
