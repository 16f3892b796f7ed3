#include "storage/encodings.hpp"

#include <utility>

#include "storage/bytes.hpp"

namespace stint {

namespace {

// Which fields of a backoff follow, as bits.
constexpr std::int64_t has_first = 1, has_factor = 2, has_cap = 4, has_jitter = 8, all_fields = 15;

// Which parts of a limit follow, and what else it says, as bits.
constexpr std::int64_t has_rate = 1, has_max = 2, has_window = 4, has_running = 8, counts_started = 16,
                       is_unlimited = 32, all_parts = 63;

// Distances wrap around: every id has one, even from the far end.
std::int64_t distance(JobId from, JobId to) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from));
}
JobId onward(JobId from, std::int64_t distance) {
  return static_cast<JobId>(static_cast<std::uint64_t>(from) + static_cast<std::uint64_t>(distance));
}

template <class Value>
std::optional<Value> if_whole(const ByteReader& reader, Value value) {
  if (!reader.good() || !reader.at_end()) return std::nullopt;
  return value;
}

}  // namespace

std::string encode_meta(const Meta& meta) {
  ByteWriter writer;
  for (const auto& [key, value] : meta) {
    writer.text(key);
    writer.text(value);
  }
  return writer.take();
}

std::optional<Meta> decode_meta(std::string_view bytes) {
  Meta meta;
  ByteReader reader(bytes);
  while (!reader.at_end()) {
    const auto key = reader.text();
    meta.emplace(key, reader.text());
  }
  return if_whole(reader, std::move(meta));
}

std::string encode_names(const std::vector<std::string>& names) {
  ByteWriter writer;
  for (const auto& name : names) writer.text(name);
  return writer.take();
}

std::optional<std::vector<std::string>> decode_names(std::string_view bytes) {
  std::vector<std::string> names;
  ByteReader reader(bytes);
  while (!reader.at_end()) names.emplace_back(reader.text());
  return if_whole(reader, std::move(names));
}

std::string encode_backoff(const Backoff& backoff) {
  ByteWriter writer;
  writer.number((backoff.first_ms ? has_first : 0) | (backoff.factor ? has_factor : 0) |
                (backoff.cap_ms ? has_cap : 0) | (backoff.jitter ? has_jitter : 0));
  if (backoff.first_ms) writer.number(*backoff.first_ms);
  if (backoff.factor) writer.real(*backoff.factor);
  if (backoff.cap_ms) writer.number(*backoff.cap_ms);
  if (backoff.jitter) writer.real(*backoff.jitter);
  return writer.take();
}

std::optional<Backoff> decode_backoff(std::string_view bytes) {
  Backoff backoff;
  ByteReader reader(bytes);
  const auto fields = reader.number();
  if (fields & ~all_fields) return std::nullopt;
  if (fields & has_first) backoff.first_ms = reader.number();
  if (fields & has_factor) backoff.factor = reader.real();
  if (fields & has_cap) backoff.cap_ms = reader.number();
  if (fields & has_jitter) backoff.jitter = reader.real();
  return if_whole(reader, backoff);
}

std::string encode_limit(const Limit& limit) {
  ByteWriter writer;
  writer.number((limit.rate ? has_rate : 0) | (limit.max ? has_max : 0) | (limit.window_ms ? has_window : 0) |
                (limit.max_running ? has_running : 0) |
                (limit.count == CountPolicy::started ? counts_started : 0) |
                (limit.unlimited ? is_unlimited : 0));
  if (limit.rate) writer.real(*limit.rate);
  writer.number(limit.burst);
  if (limit.max) writer.number(*limit.max);
  if (limit.window_ms) writer.number(*limit.window_ms);
  if (limit.max_running) writer.number(*limit.max_running);
  return writer.take();
}

std::optional<Limit> decode_limit(std::string_view bytes) {
  Limit limit;
  ByteReader reader(bytes);
  const auto parts = reader.number();
  if (parts & ~all_parts) return std::nullopt;
  if (parts & has_rate) limit.rate = reader.real();
  limit.burst = reader.number();
  if (parts & has_max) limit.max = reader.number();
  if (parts & has_window) limit.window_ms = reader.number();
  if (parts & has_running) limit.max_running = reader.number();
  if (parts & counts_started) limit.count = CountPolicy::started;
  limit.unlimited = (parts & is_unlimited) != 0;
  return if_whole(reader, limit);
}

std::string encode_error(const RunError& error) {
  ByteWriter writer;
  writer.text(error.type);
  writer.text(error.message);
  writer.text(error.trace);
  return writer.take();
}

std::optional<RunError> decode_error(std::string_view bytes) {
  RunError error;
  ByteReader reader(bytes);
  error.type = reader.text();
  error.message = reader.text();
  error.trace = reader.text();
  return if_whole(reader, std::move(error));
}

std::string encode_runs(const std::vector<JobRun>& runs) {
  ByteWriter writer;
  JobId previous = 0;
  for (const auto& run : runs) {
    writer.number(distance(previous, run.id));
    writer.number(run.run);
    previous = run.id;
  }
  return writer.take();
}

std::optional<std::vector<JobRun>> decode_runs(std::string_view bytes) {
  std::vector<JobRun> runs;
  ByteReader reader(bytes);
  JobId id = 0;
  while (!reader.at_end()) {
    id = onward(id, reader.number());
    runs.push_back(JobRun{id, reader.number()});
  }
  return if_whole(reader, std::move(runs));
}

std::string encode_ids(const std::vector<JobId>& ids) {
  ByteWriter writer;
  JobId previous = 0;
  for (const auto id : ids) {
    writer.number(distance(previous, id));
    previous = id;
  }
  return writer.take();
}

std::optional<std::vector<JobId>> decode_ids(std::string_view bytes) {
  std::vector<JobId> ids;
  ByteReader reader(bytes);
  JobId id = 0;
  while (!reader.at_end()) {
    id = onward(id, reader.number());
    ids.push_back(id);
  }
  return if_whole(reader, std::move(ids));
}

}  // namespace stint
