// The wire form of the messages in worker.hpp.
#pragma once

#include "protocol/fields.hpp"
#include "protocol/messages/limits_fields.hpp"
#include "protocol/messages/worker.hpp"
#include "protocol/names.hpp"

namespace stint::wire {

// More than a session can hold at once; what is over it is sent in a second message.
inline constexpr std::int64_t runs_per_message = 10'000;
inline constexpr std::int64_t names_per_session = 1'000;
inline constexpr Integer wait{0, Bounds::wait_ms};
inline constexpr Integer percent{0, 100};

template <>
struct Fields<HandlerDeclaration> {
  static constexpr std::string_view name = "declaration";
  static constexpr std::string_view doc = "What a worker says of one handler. An empty map will do.";
  static constexpr auto table = std::make_tuple(
      optional("limit", &HandlerDeclaration::limit, Nested{}, "holds for every worker of the handler"));
  static Fault settle(HandlerDeclaration& declaration) {
    return declaration.limit ? limit_fault(*declaration.limit, LimitScope::handler) : Fault{};
  }
};

template <>
struct Fields<Hello> {
  static constexpr std::string_view name = "hello";
  static constexpr std::string_view doc =
      "Opens a session, or repeats that. With `worker`, also `session`, `handlers` and `queues` are "
      "required.";
  static constexpr auto table = std::make_tuple(
      optional("client", &Hello::client, Text{0, 255}, "what program this is, for people"),
      optional("worker", &Hello::worker, WorkerName{}, "the worker's name"),
      optional("session", &Hello::session, Session{}, "this life of the worker"),
      optional("handlers", &Hello::handlers, map_of(HandlerName{}, Nested{}, 1, names_per_session),
               "what the worker serves"),
      optional("queues", &Hello::queues, list_of(QueueName{}, 1, names_per_session),
               "where it will ask for jobs"),
      optional("takeover", &Hello::takeover, Flag{}, "end the leases of this worker's earlier sessions"),
      optional("hostname", &Hello::hostname, Text{0, 255}, "where the worker runs, for people"),
      optional("pid", &Hello::pid, any_count, "its process, for people"),
      optional("labels", &Hello::labels, Dictionary{&Bounds::meta_bytes},
               "whatever else people want to see"));

  static Fault settle(Hello& hello) {
    const bool is_worker = hello.worker || hello.session || !hello.handlers.empty() || !hello.queues.empty();
    if (!is_worker) return {};
    if (!hello.worker) return {.field = "worker", .message = "is required of a worker"};
    if (!hello.session) return {.field = "session", .message = "is required of a worker"};
    if (hello.handlers.empty()) return {.field = "handlers", .message = "a worker serves at least one"};
    if (hello.queues.empty()) return {.field = "queues", .message = "a worker asks at least one"};
    return {};
  }
};

template <>
struct Fields<WelcomeBounds> {
  static constexpr std::string_view name = "bounds";
  static constexpr std::string_view doc = "What the server accepts.";
  static constexpr auto table = std::make_tuple(
      required("message_bytes", &WelcomeBounds::message_bytes, any_count, "of a body"),
      required("payload_bytes", &WelcomeBounds::payload_bytes, any_count, "of a job's payload"),
      required("result_bytes", &WelcomeBounds::result_bytes, any_count, "of a result"),
      required("meta_bytes", &WelcomeBounds::meta_bytes, any_count, "of all keys and values of a job's meta"),
      required("jobs_per_request", &WelcomeBounds::jobs_per_request, any_count, "of an `enqueue`"),
      required("batch_max", &WelcomeBounds::batch_max, any_count, "jobs of a batch"),
      required("wait_ms", &WelcomeBounds::wait_ms, any_count, "of any `wait_ms`"));
};

template <>
struct Fields<WelcomeDefaults> {
  static constexpr std::string_view name = "defaults";
  static constexpr std::string_view doc = "What holds where a job or a worker says nothing.";
  static constexpr auto table = std::make_tuple(
      required("max_attempts", &WelcomeDefaults::max_attempts, any_count, "of a job"),
      required("backoff", &WelcomeDefaults::backoff, Nested{}, "of a job"),
      required("max_lost", &WelcomeDefaults::max_lost, any_count, "lost runs before a job is dead"),
      required("lease_ms", &WelcomeDefaults::lease_ms, any_count,
               "how long a lease lasts without a heartbeat"),
      required("timeout_ms", &WelcomeDefaults::timeout_ms, any_count, "of a job's run"),
      required("wait_ms", &WelcomeDefaults::wait_ms, any_count, "advised for `request_batch`"));
};

template <>
struct Fields<Welcome> {
  static constexpr std::string_view name = "welcome";
  static constexpr std::string_view doc = "The session is open.";
  static constexpr auto table = std::make_tuple(
      required("server", &Welcome::server, any_text, "the server's name"),
      required("version", &Welcome::version, any_text, "of its program"),
      required("versions", &Welcome::versions, any_list_of(any_count), "of the wire that it speaks"),
      required("epoch", &Welcome::epoch, any_count, "the number of the storage's start"),
      required("now_ms", &Welcome::now_ms, any_integer, "the server's wall clock"),
      required("bounds", &Welcome::bounds, Nested{}, "what it accepts"),
      required("defaults", &Welcome::defaults, Nested{}, "what holds where nothing is said"),
      optional("events", &Welcome::events, any_text, "the endpoint of the event stream"),
      required("event_seq", &Welcome::event_seq, any_count, "the newest event's number"),
      required("homes", &Welcome::homes, any_map_of(QueueName{}, any_text),
               "for each queue of the hello its limiter: one ask names queues of one home"));
};

template <>
struct Fields<RequestBatch> {
  static constexpr std::string_view name = "request_batch";
  static constexpr std::string_view doc = "Asks for jobs; waits for the first of them.";
  static constexpr auto table = std::make_tuple(
      required("session", &RequestBatch::session, Session{}, "who asks"),
      required("ask", &RequestBatch::ask, ordinal, "the number of this ask, kept when it is repeated"),
      required("queues", &RequestBatch::queues,
               map_of(QueueName{}, Integer{1, 1'000'000}, 1, names_per_session),
               "the permits for each queue"),
      required("got", &RequestBatch::got, any_count,
               "every ask up to it was answered and the answer received"),
      optional("max", &RequestBatch::max, Integer{1, 1'000'000}, "the most jobs wanted"),
      optional("wait_ms", &RequestBatch::wait_ms, wait, "how long the server may wait for a job"));
};

template <>
struct Fields<LeasedJob> {
  static constexpr std::string_view name = "leased job";
  static constexpr std::string_view doc = "One run that is handed out.";
  static constexpr auto table = std::make_tuple(
      required("id", &LeasedJob::id, any_integer, "the job"),
      required("run", &LeasedJob::run, ordinal, "the number of this hand-out of the job"),
      required("attempt", &LeasedJob::attempt, any_count, "the number of this attempt, from 1"),
      required("max_attempts", &LeasedJob::max_attempts, any_count, "attempts before the job is dead"),
      required("queue", &LeasedJob::queue, QueueName{}, "where it waited"),
      required("handler", &LeasedJob::handler, HandlerName{}, "what runs it"),
      required("payload", &LeasedJob::payload, Opaque{}, "as it was enqueued, bin or str"),
      required("lease_ms", &LeasedJob::lease_ms, any_count, "the lease ends without a heartbeat for so long"),
      optional("timeout_ms", &LeasedJob::timeout_ms, any_count, "how long the run may take"),
      required("enqueued_at_ms", &LeasedJob::enqueued_at_ms, any_integer, "when it was accepted"),
      optional("meta", &LeasedJob::meta, Dictionary{}, "as it was enqueued"),
      optional("progress", &LeasedJob::progress, any_integer, "what an earlier run last reported"));
};

template <>
struct Fields<Batch> {
  static constexpr std::string_view name = "batch";
  static constexpr std::string_view doc = "The answer of an ask. An empty one says why.";
  static constexpr auto table =
      std::make_tuple(required("ask", &Batch::ask, any_count, "which ask"),
                      required("jobs", &Batch::jobs, any_list_of(Nested{}), "what to run"),
                      optional("reason", &Batch::reason, Word{}, "why there are no jobs"),
                      optional("retry_in_ms", &Batch::retry_in_ms, any_count, "when asking again may help"));
};

template <>
struct Fields<RunError> {
  static constexpr std::string_view name = "run error";
  static constexpr std::string_view doc =
      "What went wrong in a run. The type is cut at 256 bytes, the whole at 16 KiB, the trace first; bytes "
      "that are not UTF-8 are "
      "replaced.";
  static constexpr auto table =
      std::make_tuple(optional("type", &RunError::type, Report{}, "the kind of failure, as programs know it"),
                      required("message", &RunError::message, Report{}, "what people should read"),
                      optional("trace", &RunError::trace, Report{}, "where it happened"));

  // A type is a word: however long, it leaves room for what people read.
  static constexpr std::size_t most_type_bytes = 256;

  static Fault settle(RunError& error) {
    error.type.resize(cut_utf8(error.type, most_type_bytes).size());
    std::size_t left = Bounds::error_bytes;
    for (std::string* part : {&error.type, &error.message, &error.trace}) {
      part->resize(cut_utf8(*part, left).size());
      left -= part->size();
    }
    return {};
  }
};

template <>
struct Fields<PauseReport> {
  static constexpr std::string_view name = "pause report";
  static constexpr std::string_view doc = "An API said that it wants no more for a while.";
  static constexpr auto table =
      std::make_tuple(required("scope", &PauseReport::scope, Word{}, "the job's `queue`, or its `handler`"),
                      required("for_ms", &PauseReport::for_ms, pause_ms, "how long"));
};

template <>
struct Fields<RunResult> {
  static constexpr std::string_view name = "result";
  static constexpr std::string_view doc = "How one run ended.";
  static constexpr auto table = std::make_tuple(
      required("id", &RunResult::id, ordinal, "the job"),
      required("run", &RunResult::run, ordinal, "its run"),
      required("outcome", &RunResult::outcome, Word{},
               "`dead`: do not retry; `snoozed`: again after `retry_in_ms`, no attempt spent; `released`: "
               "put back"),
      optional("result", &RunResult::result, Opaque{&Bounds::result_bytes}, "bin or str, kept with the run"),
      optional("error", &RunResult::error, Nested{}, "what went wrong"),
      optional("retry_in_ms", &RunResult::retry_in_ms, duration_ms,
               "of a failed run, instead of the backoff; of a snoozed one, when it runs again"),
      optional("pause", &RunResult::pause, Nested{},
               "starts no more of the job's queue or handler for a while"));
};

template <>
struct Fields<Finish> {
  static constexpr std::string_view name = "finish";
  static constexpr std::string_view doc =
      "Reports runs that have ended. A fault in one result rejects that one alone.";
  static constexpr auto table = std::make_tuple(
      required("session", &Finish::session, Session{}, "who reports"),
      required("got", &Finish::got, any_count, "as in `request_batch`"),
      required("results", &Finish::results,
               List<Nested>{{}, 0, runs_per_message, nullptr, ItemFault::sets_item_apart}, "one a run"));
};

template <>
struct Fields<StaleResult> {
  static constexpr std::string_view name = "stale result";
  static constexpr std::string_view doc = "The session does not hold that run any more: drop the result.";
  static constexpr auto table =
      std::make_tuple(required("at", &StaleResult::at, any_count, "its position in `results`"),
                      required("reason", &StaleResult::reason, any_text, "what became of the run"));
};

template <>
struct Fields<Finish::Faulty> {
  static constexpr std::string_view name = "rejected result";
  static constexpr std::string_view doc = "The result could not be read: mend it or drop it.";
  static constexpr auto table =
      std::make_tuple(required("at", &Finish::Faulty::at, any_count, "its position in `results`"),
                      required("code", &Finish::Faulty::code, Word{}, "as in `error`"),
                      required("field", &Finish::Faulty::field, any_text, "as in `error`"),
                      required("message", &Finish::Faulty::message, any_text, "as in `error`"));
};

template <>
struct Fields<Finished> {
  static constexpr std::string_view name = "finished";
  static constexpr std::string_view doc = "Each result is in exactly one of the three lists.";
  static constexpr auto table = std::make_tuple(
      required("accepted", &Finished::accepted, any_list_of(any_count),
               "positions of results that count, also when resent"),
      required("stale", &Finished::stale, any_list_of(Nested{}),
               "results of runs that are not the session's"),
      required("rejected", &Finished::rejected, any_list_of(Nested{}), "results that could not be read"));
};

template <>
struct Fields<RunningJob> {
  static constexpr std::string_view name = "running job";
  static constexpr std::string_view doc = "A lease to extend.";
  static constexpr auto table =
      std::make_tuple(required("id", &RunningJob::id, ordinal, "the job"),
                      required("run", &RunningJob::run, ordinal, "its run"),
                      optional("progress", &RunningJob::progress, percent, "how far it is, in percent"));
};

template <>
struct Fields<Heartbeat> {
  static constexpr std::string_view name = "heartbeat";
  static constexpr std::string_view doc = "Extends the leases it lists; says nothing of others.";
  static constexpr auto table = std::make_tuple(
      required("session", &Heartbeat::session, Session{}, "who lives"),
      required("got", &Heartbeat::got, any_count, "as in `request_batch`"),
      required("jobs", &Heartbeat::jobs, list_of(Nested{}, 0, runs_per_message), "what it runs"),
      optional("wait_ms", &Heartbeat::wait_ms, wait,
               "the server may answer so much later, or when something changes"));
};

template <>
struct Fields<JobRun> {
  static constexpr std::string_view name = "job run";
  static constexpr std::string_view doc = "One hand-out of a job.";
  static constexpr auto table = std::make_tuple(required("id", &JobRun::id, any_integer, "the job"),
                                                required("run", &JobRun::run, any_count, "its run"));
};

template <>
struct Fields<HeartbeatOk> {
  static constexpr std::string_view name = "heartbeat_ok";
  static constexpr std::string_view doc = "What the worker should know of its runs.";
  static constexpr auto table = std::make_tuple(
      required("lost", &HeartbeatOk::lost, any_list_of(Nested{}),
               "listed, but not the session's: stop them, do not report"),
      required("cancel", &HeartbeatOk::cancel, any_list_of(Nested{}),
               "to be stopped, and reported in whatever way they end"),
      required("state", &HeartbeatOk::state, Word{}, "`quiet`: ask for no more; `stop`: end when idle"));
};

template <>
struct Fields<Goodbye> {
  static constexpr std::string_view name = "goodbye";
  static constexpr std::string_view doc = "Ends the session; what it still holds is released.";
  static constexpr auto table = std::make_tuple(required("session", &Goodbye::session, Session{}, "which"));
};

template <>
struct Fields<Farewell> {
  static constexpr std::string_view name = "farewell";
  static constexpr std::string_view doc = "The session is over.";
  static constexpr auto table = std::make_tuple();
};

}  // namespace stint::wire
