// The wire form of the messages in inspect.hpp, and of `error`.
#pragma once

#include "protocol/fields.hpp"
#include "protocol/messages/inspect.hpp"
#include "protocol/messages/worker_fields.hpp"

namespace stint::wire {

inline constexpr Integer page{1, Bounds::list_rows};
inline constexpr Text cursor{0, 512};

template <>
struct Fields<ListQueues> {
  static constexpr std::string_view name = "list_queues";
  static constexpr std::string_view doc = "Which queues there are, and how full.";
  static constexpr auto table =
      std::make_tuple(optional("name", &ListQueues::name, QueueName{}, "only this queue"),
                      optional("limit", &ListQueues::limit, page, "rows of a page at most"),
                      optional("cursor", &ListQueues::cursor, cursor, "of the page before"));
};

template <>
struct Fields<QueueView> {
  static constexpr std::string_view name = "queue";
  static constexpr std::string_view doc = "A queue and its jobs in numbers.";
  static constexpr auto table = std::make_tuple(
      required("name", &QueueView::name, QueueName{}, "its name"),
      required("waiting", &QueueView::waiting, any_count, "ready"),
      required("scheduled", &QueueView::scheduled, any_count, "not due yet"),
      required("retrying", &QueueView::retrying, any_count, "failed, waiting for the next attempt"),
      required("running", &QueueView::running, any_count, "handed out"),
      required("dead", &QueueView::dead, any_count, "given up"),
      required("waiting_by_handler", &QueueView::waiting_by_handler, any_map_of(HandlerName{}, any_count),
               "the ready ones, by handler"),
      optional("handlers_left_out", &QueueView::handlers_left_out, any_count,
               "handlers with ready jobs that `waiting_by_handler` has no room for: it holds 50,000"),
      required("workers", &QueueView::workers, any_count, "living sessions that name the queue"));
};

template <>
struct Fields<Queues> {
  static constexpr std::string_view name = "queues";
  static constexpr std::string_view doc = "One page of queues.";
  static constexpr auto table = std::make_tuple(
      required("queues", &Queues::queues, any_list_of(Nested{}), "by name"),
      optional("cursor", &Queues::cursor, cursor, "of the next page; absent: this is the last"));
};

template <>
struct Fields<ListWorkers> {
  static constexpr std::string_view name = "list_workers";
  static constexpr std::string_view doc = "Which sessions are open.";
  static constexpr auto table =
      std::make_tuple(optional("limit", &ListWorkers::limit, page, "rows of a page at most"),
                      optional("cursor", &ListWorkers::cursor, cursor, "of the page before"));
};

template <>
struct Fields<WorkerView> {
  static constexpr std::string_view name = "worker";
  static constexpr std::string_view doc = "An open session.";
  static constexpr auto table = std::make_tuple(
      required("worker", &WorkerView::worker, WorkerName{}, "the worker's name"),
      required("session", &WorkerView::session, Session{}, "this life of it"),
      optional("client", &WorkerView::client, any_text, "as in `hello`"),
      optional("hostname", &WorkerView::hostname, any_text, "as in `hello`"),
      optional("pid", &WorkerView::pid, any_count, "as in `hello`"),
      required("handlers", &WorkerView::handlers, any_list_of(HandlerName{}), "what it serves"),
      required("queues", &WorkerView::queues, any_list_of(QueueName{}), "where it asks"),
      optional("labels", &WorkerView::labels, Dictionary{}, "as in `hello`"),
      required("running", &WorkerView::running, any_count, "leases it holds"),
      required("first_hello_ms", &WorkerView::first_hello_ms, any_integer, "when the session opened"),
      required("last_message_ago_ms", &WorkerView::last_message_ago_ms, any_integer,
               "how long it has been silent"));
};

template <>
struct Fields<Workers> {
  static constexpr std::string_view name = "workers";
  static constexpr std::string_view doc = "One page of sessions.";
  static constexpr auto table = std::make_tuple(
      required("workers", &Workers::workers, any_list_of(Nested{}), "in the order they came"),
      optional("cursor", &Workers::cursor, cursor, "of the next page; absent: this is the last"));
};

template <>
struct Fields<ListJobs> {
  static constexpr std::string_view name = "list_jobs";
  static constexpr std::string_view doc = "Which jobs there are.";
  static constexpr auto table =
      std::make_tuple(optional("queue", &ListJobs::queue, QueueName{}, "only of this queue"),
                      optional("handler", &ListJobs::handler, HandlerName{}, "only of this handler"),
                      optional("state", &ListJobs::state, Word{}, "only in this state"),
                      optional("limit", &ListJobs::limit, page, "rows of a page at most"),
                      optional("cursor", &ListJobs::cursor, cursor, "of the page before"));
};

template <>
struct Fields<JobView> {
  static constexpr std::string_view name = "job summary";
  static constexpr std::string_view doc = "A job and how far it is.";
  static constexpr auto table = std::make_tuple(
      required("id", &JobView::id, any_integer, "the job"),
      required("queue", &JobView::queue, QueueName{}, "where it waits"),
      required("handler", &JobView::handler, HandlerName{}, "what runs it"),
      required("state", &JobView::state, Word{}, "see the states of a job"),
      required("priority", &JobView::priority, any_integer, "0 is handed out first"),
      required("runs", &JobView::runs, any_count, "hand-outs so far"),
      required("attempts", &JobView::attempts, any_count, "of those, spent"),
      required("max_attempts", &JobView::max_attempts, any_count, "attempts before it is dead"),
      required("lost", &JobView::lost, any_count, "of the attempts, lost with their worker"),
      required("enqueued_at_ms", &JobView::enqueued_at_ms, any_integer, "when it was accepted"),
      optional("due_in_ms", &JobView::due_in_ms, any_integer, "of a scheduled or retrying job"),
      optional("worker", &JobView::worker, any_text, "of the run that is on, or was the last"),
      optional("progress", &JobView::progress, any_integer, "as last reported"),
      optional("reason", &JobView::reason, any_text, "why it is dead or cancelled"));
};

template <>
struct Fields<Jobs> {
  static constexpr std::string_view name = "jobs";
  static constexpr std::string_view doc = "One page of jobs.";
  static constexpr auto table = std::make_tuple(
      required("jobs", &Jobs::jobs, any_list_of(Nested{}), "by id"),
      optional("cursor", &Jobs::cursor, cursor, "of the next page; absent: this is the last"));
};

template <>
struct Fields<GetJob> {
  static constexpr std::string_view name = "get_job";
  static constexpr std::string_view doc = "All that is known of one job.";
  static constexpr auto table = std::make_tuple(required("id", &GetJob::id, ordinal, "the job"));
};

template <>
struct Fields<RunView> {
  static constexpr std::string_view name = "run";
  static constexpr std::string_view doc = "The history of one run.";
  static constexpr auto table = std::make_tuple(
      required("run", &RunView::run, any_count, "its number"),
      required("attempt", &RunView::attempt, any_count, "the attempt it was"),
      optional("worker", &RunView::worker, any_text, "who ran it"),
      required("started_at_ms", &RunView::started_at_ms, any_integer, "when it was handed out"),
      required("ended_at_ms", &RunView::ended_at_ms, any_integer, "when it ended"),
      required("end", &RunView::end, Word{}, "how it ended"),
      optional("result", &RunView::result, Opaque{}, "bin or str, as reported"),
      optional("error", &RunView::error, Nested{}, "what went wrong"),
      optional("result_left_out", &RunView::result_left_out, Flag{},
               "there is a result, but with those of newer runs it would be more than 4 MiB"));
};

template <>
struct Fields<JobDetails> {
  static constexpr std::string_view name = "job_details";
  static constexpr std::string_view doc = "All that is known of one job.";
  static constexpr auto table = std::make_tuple(
      required("job", &JobDetails::job, Nested{}, "the job and how far it is"),
      optional("payload", &JobDetails::payload, Opaque{},
               "absent once the job has ended and its row is gone"),
      optional("meta", &JobDetails::meta, Dictionary{}, "as it was enqueued"),
      optional("timeout_ms", &JobDetails::timeout_ms, any_count, "as it was enqueued"),
      required("runs", &JobDetails::runs, any_list_of(Nested{}), "that have ended, the newest 100"),
      optional("runs_left_out", &JobDetails::runs_left_out, any_count,
               "that have ended too, but are older or no longer kept"));
};

template <>
struct Fields<RetryJob> {
  static constexpr std::string_view name = "retry_job";
  static constexpr std::string_view doc = "Makes a dead, retrying or scheduled job ready now.";
  static constexpr auto table = std::make_tuple(required("id", &RetryJob::id, ordinal, "the job"));
};

template <>
struct Fields<CancelJob> {
  static constexpr std::string_view name = "cancel_job";
  static constexpr std::string_view doc =
      "Cancels a job: at once if it waits, else when its worker reports or its lease ends.";
  static constexpr auto table = std::make_tuple(required("id", &CancelJob::id, ordinal, "the job"));
};

template <>
struct Fields<DeleteJob> {
  static constexpr std::string_view name = "delete_job";
  static constexpr std::string_view doc = "Forgets a job that is not running, with its history.";
  static constexpr auto table = std::make_tuple(required("id", &DeleteJob::id, ordinal, "the job"));
};

template <>
struct Fields<Deleted> {
  static constexpr std::string_view name = "deleted";
  static constexpr std::string_view doc = "The job is forgotten.";
  static constexpr auto table = std::make_tuple(required("id", &Deleted::id, any_integer, "the job"));
};

template <>
struct Fields<GetStats> {
  static constexpr std::string_view name = "get_stats";
  static constexpr std::string_view doc = "The server in numbers.";
  static constexpr auto table = std::make_tuple();
};

template <>
struct Fields<Stats> {
  static constexpr std::string_view name = "stats";
  static constexpr std::string_view doc =
      "The server in numbers; those from `enqueued` to `stale` count since its start.";
  static constexpr auto table =
      std::make_tuple(required("server", &Stats::server, any_text, "its name"),
                      required("version", &Stats::version, any_text, "of its program"),
                      required("epoch", &Stats::epoch, any_count, "the number of the storage's start"),
                      required("uptime_ms", &Stats::uptime_ms, any_count, "since that"),
                      required("waiting", &Stats::waiting, any_count, "jobs"),
                      required("scheduled", &Stats::scheduled, any_count, "jobs"),
                      required("retrying", &Stats::retrying, any_count, "jobs"),
                      required("running", &Stats::running, any_count, "jobs"),
                      required("dead", &Stats::dead, any_count, "jobs"),
                      required("sessions", &Stats::sessions, any_count, "open ones"),
                      required("event_seq", &Stats::event_seq, any_count, "the newest event's number"),
                      required("enqueued", &Stats::enqueued, any_count, "jobs accepted"),
                      required("started", &Stats::started, any_count, "runs handed out"),
                      required("completed", &Stats::completed, any_count, "runs"),
                      required("failed", &Stats::failed, any_count, "runs"),
                      required("lost", &Stats::lost, any_count, "runs that ended with their worker"),
                      required("undelivered", &Stats::undelivered, any_count, "runs that never arrived"),
                      required("stale", &Stats::stale, any_count, "results that were refused"),
                      required("database_bytes", &Stats::database_bytes, any_count, "the file"),
                      required("wal_bytes", &Stats::wal_bytes, any_count, "its write-ahead log"));
};

template <>
struct Fields<Ping> {
  static constexpr std::string_view name = "ping";
  static constexpr std::string_view doc = "Is anybody there?";
  static constexpr auto table = std::make_tuple();
};

template <>
struct Fields<Pong> {
  static constexpr std::string_view name = "pong";
  static constexpr std::string_view doc = "Somebody is.";
  static constexpr auto table =
      std::make_tuple(required("server", &Pong::server, any_text, "its name"),
                      required("version", &Pong::version, any_text, "of its program"),
                      required("epoch", &Pong::epoch, any_count, "the number of the storage's start"),
                      required("ready", &Pong::ready, Flag{}, "it serves jobs"));
};

template <>
struct Fields<ErrorItem> {
  static constexpr std::string_view name = "error item";
  static constexpr std::string_view doc = "The first fault of one job of an `enqueue`.";
  static constexpr auto table =
      std::make_tuple(required("at", &ErrorItem::at, any_count, "the job's position"),
                      required("field", &ErrorItem::field, any_text, "as in `error`"),
                      required("message", &ErrorItem::message, any_text, "as in `error`"));
};

template <>
struct Fields<Error> {
  static constexpr std::string_view name = "error";
  static constexpr std::string_view doc =
      "The request was refused; unless the code says otherwise, nothing has changed.";
  static constexpr auto table = std::make_tuple(
      required("code", &Error::code, Word{}, "what programs go by"),
      required("message", &Error::message, any_text, "what people read"),
      optional("field", &Error::field, any_text, "the path of the first fault: `jobs[17].priority`"),
      optional("items", &Error::items, any_list_of(Nested{}),
               "the first fault of each faulty job, at most 16"),
      optional("retry_in_ms", &Error::retry_in_ms, any_count, "the same request may be sent again after it"));
};

}  // namespace stint::wire
