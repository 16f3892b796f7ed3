// The commands about limits, pauses and handlers, against a server that answers what a test wants.
#include <gtest/gtest.h>

#include "nodes/cli/arguments.hpp"
#include "nodes/cli/handler_rows.hpp"
#include "tests/nodes/fake_server.hpp"

namespace stint {
namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

Limit rate_limit(double rate, std::int64_t burst) {
  Limit limit;
  limit.rate = rate;
  limit.burst = burst;
  return limit;
}

LimitState state_of(LimitScope scope, const std::string& name) {
  LimitState state;
  state.scope = scope;
  state.name = name;
  return state;
}

LimitState limited_queue() {
  LimitState state = state_of(LimitScope::queue, "email");
  state.limit = rate_limit(10, 20);
  state.source = LimitSource::operated;
  state.version = 7;
  state.layers = {{"operator", rate_limit(10, 20)}, {"config", rate_limit(5, 0)}};
  state.limited = true;
  state.available = 0;
  state.available_in_ms = 1'250;
  state.running = 3;
  return state;
}

// A server that answers every question about limits with `state`.
class LimitServer {
 public:
  explicit LimitServer(const LimitState& state)
      : server_([state](const Request&) -> std::optional<Answer> { return state; }) {}

  ProgramRun run(std::vector<std::string> words) {
    words.insert(words.end(), {"--server", server_.endpoint()});
    return run_stint(std::move(words));
  }
  template <class Kind>
  Kind asked() const {
    const auto requests = server_.requests_of<Kind>();
    EXPECT_EQ(requests.size(), 1U);
    return requests.empty() ? Kind{} : requests.front();
  }

 private:
  FakeServer server_;
};

TEST(LimitSet, sends_a_bucket_of_a_queue_and_tells_what_holds_then) {
  LimitServer server(limited_queue());
  const ProgramRun run = server.run({"limit", "set", "queue", "email", "--rate", "10", "--burst", "20",
                                     "--max-running", "5", "--if-version", "6"});
  EXPECT_EQ(run.status, ExitStatus::done) << run.err;
  EXPECT_EQ(run.out, "queue email: 10/s, burst 20 (operator)\n");
  const SetLimit asked = server.asked<SetLimit>();
  EXPECT_EQ(asked.scope, LimitScope::queue);
  EXPECT_EQ(asked.name, "email");
  EXPECT_EQ(asked.limit.rate, 10.0);
  EXPECT_EQ(asked.limit.burst, 20);
  EXPECT_EQ(asked.limit.max_running, 5);
  EXPECT_EQ(asked.if_version, 6);
  EXPECT_EQ(asked.as, SetAs::operated);
}

TEST(LimitSet, sends_a_window_of_a_handler) {
  LimitServer server(state_of(LimitScope::handler, "send"));
  const ProgramRun run =
      server.run({"limit", "set", "handler", "send", "--max", "60", "--window", "1m", "--count", "started"});
  EXPECT_EQ(run.status, ExitStatus::done) << run.err;
  const SetLimit asked = server.asked<SetLimit>();
  EXPECT_EQ(asked.scope, LimitScope::handler);
  EXPECT_EQ(asked.limit.max, 60);
  EXPECT_EQ(asked.limit.window_ms, 60'000);
  EXPECT_EQ(asked.limit.count, CountPolicy::started);
}

TEST(LimitSet, refuses_what_nobody_may_set_with_the_option_named) {
  const auto fault = [](std::vector<std::string> words) {
    words.insert(words.begin(), {"limit", "set"});
    const ProgramRun run = run_stint(words);
    EXPECT_EQ(run.status, ExitStatus::usage) << run.out;
    return run.err;
  };
  for (const char* rate : {"0", "-1", "nan", "inf", "1e9", "-5/m"}) {
    EXPECT_TRUE(contains(fault({"queue", "q", "--rate", rate}), "--rate: must be a number above 0")) << rate;
  }
  EXPECT_TRUE(contains(fault({"queue", "q", "--rate", "5/w"}), "'5/w' is not a rate"));
  EXPECT_TRUE(contains(fault({"queue", "q", "--burst", "5"}), "--burst: needs a rate"));
  EXPECT_TRUE(contains(fault({"queue", "q", "--rate", "1", "--burst", "-1"}), "--burst: must be 0 to"));
  EXPECT_TRUE(contains(fault({"queue", "q"}), "expected --rate, --max-running or --unlimited"));
  EXPECT_TRUE(contains(fault({"queue", "q", "--max", "5"}), "--max: is for handlers"));
  EXPECT_TRUE(contains(fault({"handler", "h", "--rate", "5"}), "--rate: is for queues"));
  EXPECT_TRUE(contains(fault({"queue", "a b", "--rate", "1"}), "'a b' is not a queue name"));
  EXPECT_TRUE(contains(fault({"handler", "h", "--max", "0", "--window", "1s"}), "--max: must be 1 to"));
  EXPECT_TRUE(contains(fault({"handler", "h", "--max", "5"}), "--window: is required with max"));
  EXPECT_TRUE(contains(fault({"handler", "h", "--window", "0s", "--max", "1"}), "--window: must be 1 to"));
  EXPECT_TRUE(contains(fault({"handler", "h", "--max-running", "0"}), "--max-running: must be 1 to"));
  EXPECT_TRUE(contains(fault({"handler", "h", "--max-running", "1", "--unlimited"}), "--unlimited: lifts"));
  EXPECT_TRUE(contains(fault({"handler", "h"}), "expected --max and --window"));
}

TEST(LimitSet, tells_the_servers_refusal) {
  FakeServer server([](const Request&) -> std::optional<Answer> {
    return Error{.code = ErrorCode::conflict, .message = "the version is 8", .field = "if_version"};
  });
  const ProgramRun run = run_stint(
      {"limit", "set", "queue", "q", "--rate", "1", "--if-version", "7", "--server", server.endpoint()});
  EXPECT_EQ(run.status, ExitStatus::refused);
  EXPECT_TRUE(contains(run.err, "conflict: the version is 8 (if_version)"));
}

TEST(LimitShow, shows_what_holds_its_layers_and_its_room) {
  LimitServer server(limited_queue());
  const ProgramRun run = server.run({"limit", "show", "queue", "email"});
  EXPECT_EQ(run.status, ExitStatus::done);
  for (const char* part : {"10/s, burst 20 (operator)", "limited, room in 1.3 s", "Version   7", "config",
                           "5/s", "Running   3"}) {
    EXPECT_TRUE(contains(run.out, part)) << part << "\n" << run.out;
  }
}

TEST(LimitShow, shows_all_of_a_scope_page_by_page) {
  FakeServer server([](const Request& request) -> std::optional<Answer> {
    const auto* list = std::get_if<ListLimits>(&request);
    Limits page;
    page.limits = {list->cursor.empty() ? limited_queue() : state_of(LimitScope::queue, "reports")};
    if (list->cursor.empty()) page.cursor = "more";
    return page;
  });
  const ProgramRun run = run_stint({"limit", "show", "queue", "--server", server.endpoint()});
  EXPECT_EQ(run.status, ExitStatus::done) << run.err;
  EXPECT_TRUE(contains(run.out, "email")) << run.out;
  EXPECT_TRUE(contains(run.out, "reports")) << run.out;
  EXPECT_EQ(server.requests_of<ListLimits>().at(1).scope, LimitScope::queue);
}

TEST(LimitShow, gives_programs_all_there_is) {
  LimitServer server(limited_queue());
  const ProgramRun run = server.run({"limit", "show", "queue", "email", "--json"});
  for (const char* part : {R"("rate": 10.0)", R"("source": "operator")", R"("available_in_ms": 1250)",
                           R"("version": 7)", R"("limited": true)"}) {
    EXPECT_TRUE(contains(run.out, part)) << part << "\n" << run.out;
  }
}

TEST(LimitClear, removes_the_operators_record_or_all) {
  LimitServer server(state_of(LimitScope::handler, "send"));
  EXPECT_EQ(server.run({"limit", "clear", "handler", "send"}).out, "handler send: no limit\n");
  EXPECT_FALSE(server.asked<ClearLimit>().all);
  LimitServer other(state_of(LimitScope::handler, "send"));
  other.run({"limit", "clear", "handler", "send", "--all"});
  EXPECT_TRUE(other.asked<ClearLimit>().all);
}

ProgramRun check(const LimitState& state) {
  LimitServer server(state);
  return server.run({"limit", "check", "queue", "email"});
}

TEST(LimitCheck, exits_0_where_there_is_room) {
  LimitState state = limited_queue();
  state.limited = false;
  state.available = 12;
  const ProgramRun run = check(state);
  EXPECT_EQ(run.status, ExitStatus::done);
  EXPECT_EQ(run.out, "room for 12\n");
}

TEST(LimitCheck, exits_0_where_there_is_no_limit) {
  const ProgramRun run = check(state_of(LimitScope::queue, "email"));
  EXPECT_EQ(run.status, ExitStatus::done);
  EXPECT_EQ(run.out, "nothing limits it\n");
}

TEST(LimitCheck, exits_75_where_it_is_limited_and_prints_the_seconds) {
  const ProgramRun run = check(limited_queue());
  EXPECT_EQ(run.status, ExitStatus::limited);
  EXPECT_EQ(run.out, "limited, room in 1.250 s\n");
}

TEST(LimitCheck, says_when_room_depends_on_a_run) {
  LimitState state = limited_queue();
  state.available_in_ms.reset();
  const ProgramRun run = check(state);
  EXPECT_EQ(run.status, ExitStatus::limited);
  EXPECT_EQ(run.out, "limited, room when a run ends\n");
}

TEST(LimitCheck, says_when_it_is_paused) {
  LimitState state = state_of(LimitScope::queue, "email");
  state.limited = state.paused = true;
  EXPECT_EQ(check(state).out, "paused until it is resumed\n");
  EXPECT_EQ(check(state).status, ExitStatus::limited);
  state.paused_until_ms = 2'000'000'000'000;
  state.available_in_ms = 29'000;
  EXPECT_EQ(check(state).out, "paused, room in 29.000 s\n");
}

TEST(QueuePause, pauses_for_a_while_or_until_it_is_resumed) {
  LimitState state = state_of(LimitScope::queue, "email");
  state.limited = state.paused = true;
  LimitServer server(state);
  EXPECT_EQ(server.run({"queue", "pause", "email"}).out, "queue email: paused until it is resumed\n");
  EXPECT_FALSE(server.asked<Pause>().for_ms);
  state.paused_until_ms = 1'769'846'400'000;
  LimitServer other(state);
  EXPECT_EQ(other.run({"queue", "pause", "email", "--for", "30s"}).out,
            "queue email: paused until 2026-01-31T08:00:00Z\n");
  EXPECT_EQ(other.asked<Pause>().for_ms, 30'000);
}

TEST(HandlerResume, ends_a_pause) {
  LimitServer server(state_of(LimitScope::handler, "send"));
  EXPECT_EQ(server.run({"handler", "resume", "send"}).out, "handler send: not paused\n");
  EXPECT_EQ(server.asked<Resume>().scope, LimitScope::handler);
}

QueueView queue(const std::string& name, std::map<std::string, std::int64_t> waiting_by_handler) {
  QueueView view;
  view.name = name;
  view.waiting_by_handler = std::move(waiting_by_handler);
  return view;
}

WorkerView worker_of(std::vector<std::string> handlers) {
  WorkerView view;
  view.worker = "w";
  view.handlers = std::move(handlers);
  return view;
}

TEST(HandlerRows, gather_what_limits_queues_and_workers_tell) {
  LimitState limited = state_of(LimitScope::handler, "send");
  limited.running = 4;
  const auto rows = handler_rows({limited, state_of(LimitScope::queue, "email")},
                                 {queue("email", {{"send", 10}, {"sum", 1}}), queue("bulk", {{"send", 5}})},
                                 {worker_of({"send", "idle"}), worker_of({"send"})});
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].name, "idle");
  EXPECT_EQ(rows[0].workers, 1);
  EXPECT_EQ(rows[1].name, "send");
  EXPECT_EQ(rows[1].waiting, 15);
  EXPECT_EQ(rows[1].waiting_by_queue.at("bulk"), 5);
  EXPECT_EQ(rows[1].workers, 2);
  EXPECT_EQ(rows[1].state.running, 4);
  EXPECT_EQ(rows[2].name, "sum");
}

std::optional<Answer> lists(const Request& request) {
  if (std::holds_alternative<ListLimits>(request)) return Limits{};
  if (std::holds_alternative<ListQueues>(request)) {
    Queues page;
    page.queues = {queue("email", {{"send", 10}})};
    return page;
  }
  if (std::holds_alternative<ListWorkers>(request)) return Workers{};
  if (std::holds_alternative<GetLimit>(request)) {
    LimitState state = state_of(LimitScope::handler, "send");
    state.running = 7;
    return state;
  }
  return Error{.code = ErrorCode::unknown_type, .message = "not in this test"};
}

TEST(HandlerList, lists_handlers_that_wait_though_nothing_limits_them) {
  FakeServer server(lists);
  const ProgramRun run = run_stint({"handler", "list", "--server", server.endpoint()});
  EXPECT_EQ(run.status, ExitStatus::done) << run.err;
  EXPECT_TRUE(contains(run.out, "send"));
  EXPECT_TRUE(contains(run.out, "10"));
  EXPECT_TRUE(contains(run.out, "7")) << "runs of what nothing limits";
  EXPECT_TRUE(contains(run_stint({"handler", "list", "--json", "--server", server.endpoint()}).out,
                       R"("waiting": 10)"));
}

TEST(HandlerShow, shows_one_and_where_its_jobs_wait) {
  FakeServer server(lists);
  const ProgramRun run = run_stint({"handler", "show", "send", "--server", server.endpoint()});
  EXPECT_EQ(run.status, ExitStatus::done) << run.err;
  EXPECT_TRUE(contains(run.out, "email")) << run.out;
  EXPECT_TRUE(contains(run.out, "no limit")) << run.out;
}

TEST(JobExplain, tells_what_holds_a_job_and_for_how_long) {
  FakeServer server([](const Request&) -> std::optional<Answer> {
    Explanation explanation;
    explanation.id = 17;
    explanation.hold = JobHold::rate;
    explanation.message = "the bucket of its queue is empty";
    explanation.scope = LimitScope::queue;
    explanation.name = "email";
    explanation.in_ms = 1'250;
    return explanation;
  });
  const ProgramRun run = run_stint({"job", "explain", "17", "--server", server.endpoint()});
  EXPECT_EQ(run.status, ExitStatus::done);
  for (const char* part : {"rate of queue email", "1.3 s", "the bucket of its queue is empty"}) {
    EXPECT_TRUE(contains(run.out, part)) << part << "\n" << run.out;
  }
  EXPECT_EQ(server.requests_of<ExplainJob>().front().id, 17);
  EXPECT_TRUE(contains(run_stint({"job", "explain", "17", "--json", "--server", server.endpoint()}).out,
                       R"("hold": "rate")"));
}

TEST(EnqueueLimit, is_given_to_the_handler_of_the_job) {
  FakeServer server(plain_answer);
  const ProgramRun run = run_stint({"enqueue", "send", "--limit", "10/60s", "--server", server.endpoint()});
  EXPECT_EQ(run.status, ExitStatus::done) << run.err;
  const Limit limit = server.requests_of<Enqueue>().front().jobs.front().limit.value_or(Limit{});
  EXPECT_EQ(limit.max, 10);
  EXPECT_EQ(limit.window_ms, 60'000);
}

TEST(EnqueueLimit, is_refused_when_nobody_may_set_it) {
  for (const char* limit : {"0/60s", "10/0s", "10", "10/min", "10/s"}) {
    const ProgramRun run = run_stint({"enqueue", "send", "--limit", limit});
    EXPECT_EQ(run.status, ExitStatus::usage) << limit;
    EXPECT_TRUE(contains(run.err, "--limit")) << run.err;
  }
}

WorkerConfig worker_config(const std::vector<const char*>& words) {
  std::vector<const char*> all{"stint", "work"};
  all.insert(all.end(), words.begin(), words.end());
  const auto parsed = parse_arguments(static_cast<int>(all.size()), all.data());
  EXPECT_TRUE(parsed.ok()) << (parsed ? "" : parsed.error().message);
  return parsed ? std::get<WorkCommand>(std::get<Command>(*parsed)).worker : WorkerConfig{};
}

std::string work_fault(std::vector<std::string> words) {
  words.insert(words.begin(), "work");
  const ProgramRun run = run_stint(words);
  EXPECT_EQ(run.status, ExitStatus::usage);
  return run.err;
}

TEST(Work, declares_limits_of_its_handlers) {
  const WorkerConfig worker =
      worker_config({"-q", "q:1", "--handler", "a=x", "--handler", "b=y", "--limit", "a=60/1m"});
  EXPECT_EQ(worker.handlers.at("a").limit->max, 60);
  EXPECT_FALSE(worker.handlers.at("b").limit);
  EXPECT_TRUE(contains(work_fault({"-q", "q", "--handler", "a=x", "--limit", "b=60/1m"}),
                       "'b' is not a handler of this worker"));
  EXPECT_TRUE(contains(work_fault({"-q", "q", "--handler", "a=x", "--limit", "a=1/1m", "--limit", "a=2/1m"}),
                       "given twice"));
}

TEST(Work, shares_its_workers_among_weighted_queues) {
  const WorkerConfig worker =
      worker_config({"--workers", "20", "-q", "email:min=2,weight=3", "-q", "default", "--handler", "a=x"});
  EXPECT_EQ(worker.workers, 20);
  EXPECT_EQ(worker.shares.at("email"), (QueueShare{.min = 2, .weight = 3}));
  EXPECT_EQ(worker.shares.at("default"), QueueShare{});
  EXPECT_TRUE(worker.queues.empty());
}

TEST(Work, takes_permits_or_shares_but_not_both) {
  EXPECT_TRUE(contains(work_fault({"--workers", "20", "-q", "email:5", "--handler", "a=x"}),
                       "'email:5' has permits; with --workers expected min and weight"));
  EXPECT_TRUE(contains(work_fault({"-q", "email:min=2", "--handler", "a=x"}), "which is not given"));
  EXPECT_TRUE(contains(work_fault({"--workers", "2", "-q", "a:min=2", "-q", "b:min=1", "--handler", "a=x"}),
                       "fewer than the sum of min, 3"));
  EXPECT_TRUE(contains(work_fault({"--workers", "0", "-q", "a", "--handler", "a=x"}), "--workers"));
}

}  // namespace
}  // namespace stint
