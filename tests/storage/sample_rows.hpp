// Rows for tests: the plainest there are, and ones in which every field differs from its default.
#pragma once

#include <string>

#include "storage/store.hpp"

namespace stint::test {

inline Instant at_us(std::int64_t us) { return Instant(Duration(us)); }

inline JobRow plain_job(JobId id) {
  JobRow row;
  row.id = id;
  row.queue = "default";
  row.handler = "send_email";
  row.ready_at = at_us(1'000 + id);
  row.enqueued_at_ms = 1'750'000'000'000;
  return row;
}

inline JobRow full_job(JobId id) {
  JobRow row = plain_job(id);
  row.queue = "email:eu";
  row.handler = "größe";
  row.priority = 9;
  row.dead = true;
  row.runs = 5;
  row.attempts = 4;
  row.lost = 3;
  row.undelivered = 2;
  row.ready_at = at_us(-7);
  row.run_at_ms = 1'750'000'000'001;
  row.ended_at_ms = 1'750'000'000'002;
  row.cancel_requested = true;
  row.max_attempts = 0;
  row.timeout_ms = 60'000;
  row.backoff = Backoff{.first_ms = 5, .factor = 1.5, .cap_ms = {}, .jitter = 0.25};
  row.meta = {{"", "empty key"}, {"tenant", "7"}, {"zero", std::string(1, '\0')}};
  row.reason = "lost 3 times";
  return row;
}

inline Payload bytes_of(std::size_t length, bool is_text = false) {
  Payload payload;
  payload.is_text = is_text;
  payload.bytes.reserve(length);
  for (std::size_t i = 0; i < length; ++i) payload.bytes += static_cast<char>((i * 31 + i / 251) & 0xff);
  return payload;
}

inline ReceiptRow receipt(ReceiptId id, std::vector<JobRun> runs) {
  ReceiptRow row;
  row.id = id;
  row.session = 3;
  row.ask = 12;
  row.started_at = at_us(5'000);
  row.started_at_ms = 1'750'000'000'003;
  row.runs = std::move(runs);
  return row;
}

inline LogRow plain_log(JobRun run) {
  LogRow row;
  row.run = run;
  row.queue = "default";
  row.handler = "send_email";
  row.ended_at_ms = 1'750'000'000'010;
  return row;
}

inline LogRow full_log(JobRun run) {
  LogRow row = plain_log(run);
  row.session = 3;
  row.worker = "worker-1";
  row.attempt = 2;
  row.priority = 0;
  row.max_attempts = 25;
  row.enqueued_at_ms = 1'750'000'000'000;
  row.started_at_ms = 1'750'000'000'005;
  row.end = RunEnd::timed_out;
  row.state = JobState::dead;
  row.result = bytes_of(3'000, true);
  row.error = RunError{"Timeout", "took too long", std::string("line 1\nline\0 2", 14)};
  return row;
}

inline SessionRow session(SessionNumber number) {
  SessionRow row;
  row.number = number;
  row.id.bytes.fill(static_cast<unsigned char>(number));
  row.worker = "worker-1";
  row.client = "stint/0.1";
  row.hostname = "host";
  row.pid = 4'711;
  row.handlers = {"a", "b"};
  row.queues = {"default"};
  row.labels = {{"zone", "eu"}};
  row.first_hello_ms = 1'750'000'000'000;
  row.last_message = at_us(9'000);
  row.taken_over = true;
  return row;
}

inline BatchKeyRow batch_key(std::string key, Instant at = at_us(1)) {
  return {.key = std::move(key), .content_hash = 0xfedc'ba98'7654'3210, .ids = {5, 6, 7, 1}, .at = at};
}

inline Limit bucket_limit() {
  Limit limit;
  limit.rate = 2.5;
  limit.burst = 7;
  limit.max_running = 1'000'000;
  return limit;
}

inline Limit window_limit() {
  Limit limit;
  limit.max = 60;
  limit.window_ms = 60'000;
  limit.count = CountPolicy::started;
  return limit;
}

inline Limit no_limit() {
  Limit limit;
  limit.unlimited = true;
  return limit;
}

inline LimitRow limit_row(LimitScope scope, std::string name, LimitSource source, Limit limit) {
  return {.scope = scope, .name = std::move(name), .source = source, .limit = limit};
}

inline EventChunk events(std::int64_t first_seq, std::int64_t messages, std::size_t bytes = 10) {
  return {first_seq, messages, std::string(bytes, 'e')};
}

// Limits under which nothing is past its time.
inline PruneLimits keep_all() {
  PruneLimits limits;
  limits.events_bytes = 1 << 30;
  limits.batch_keys = 1'000'000;
  return limits;
}

}  // namespace stint::test
