// The wire form of the messages in enqueue.hpp.
#pragma once

#include "protocol/fields.hpp"
#include "protocol/messages/enqueue.hpp"
#include "protocol/messages/limits_fields.hpp"

namespace stint::wire {

template <>
struct Fields<Backoff> {
  static constexpr std::string_view name = "backoff";
  static constexpr std::string_view doc =
      "How long a failed job waits: `first_ms` × `factor`^(attempt − 1), at most `cap_ms`, spread by "
      "±`jitter`.";
  static constexpr auto table = std::make_tuple(
      optional("first_ms", &Backoff::first_ms, duration_ms, "the wait after the first failed attempt"),
      optional("factor", &Backoff::factor, Number{1.0, Bounds::backoff_factor},
               "what each further attempt multiplies it by"),
      optional("cap_ms", &Backoff::cap_ms, duration_ms, "the longest wait"),
      optional("jitter", &Backoff::jitter, Number{0.0, 1.0},
               "the share by which the wait is spread at random"));
};

template <>
struct Fields<NewJob> {
  static constexpr std::string_view name = "job";
  static constexpr std::string_view doc = "A job as it is enqueued.";
  static constexpr auto table = std::make_tuple(
      required("handler", &NewJob::handler, HandlerName{}, "what runs it"),
      optional("queue", &NewJob::queue, QueueName{}, "where it waits"),
      optional("payload", &NewJob::payload, Opaque{&Bounds::payload_bytes},
               "given to the handler byte for byte"),
      optional("priority", &NewJob::priority, Integer{0, 9}, "0 is handed out first"),
      optional("delay_ms", &NewJob::delay_ms, duration_ms,
               "not before this has passed; not with `run_at_ms`"),
      optional("run_at_ms", &NewJob::run_at_ms, instant_ms, "not before this point in time"),
      optional("max_attempts", &NewJob::max_attempts, Integer{1, 1'000'000}, "attempts before it is dead"),
      optional("backoff", &NewJob::backoff, Nested{}, "the wait between attempts"),
      optional("timeout_ms", &NewJob::timeout_ms, Integer{1, longest_ms}, "how long one run may take"),
      optional("meta", &NewJob::meta, Dictionary{&Bounds::meta_bytes}, "labels, given to the handler"),
      optional("limit", &NewJob::limit, Nested{}, "of its handler, for all its jobs; the newest one holds"),
      reserved("unique", "at most one such job"));

  static Fault settle(NewJob& job) {
    if (job.delay_ms && job.run_at_ms) return {.field = "run_at_ms", .message = "not together with delay_ms"};
    if (job.limit) return limit_fault(*job.limit, LimitScope::handler);
    return {};
  }
};

template <>
struct Fields<Enqueue> {
  static constexpr std::string_view name = "enqueue";
  static constexpr std::string_view doc = "Adds jobs: all of them, or with an error none.";
  static constexpr auto table = std::make_tuple(
      required("jobs", &Enqueue::jobs,
               List<Nested>{{}, 0, 0, &Bounds::jobs_per_request, ItemFault::is_collected}, "what to add"),
      optional("batch_key", &Enqueue::batch_key, Text{1, 64},
               "makes the request safe to repeat: the same key with the same content adds nothing again"));
};

template <>
struct Fields<Enqueued> {
  static constexpr std::string_view name = "enqueued";
  static constexpr std::string_view doc = "The jobs are on disk.";
  static constexpr auto table = std::make_tuple(
      required("ids", &Enqueued::ids, any_list_of(any_integer), "one a job, in the order of the request"),
      required("duplicates", &Enqueued::duplicates, any_list_of(any_count),
               "positions of jobs that existed already"));
};

}  // namespace stint::wire
