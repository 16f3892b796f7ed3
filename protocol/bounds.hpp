// The bounds of the wire and what applies where a job or a worker says nothing. Set by the config, told in
// `welcome`.
#pragma once

#include <cstdint>

namespace stint {

// What a message may not exceed. Those that protect the reader itself are constants of the protocol.
struct Bounds {
  static constexpr std::int64_t message_bytes = 16 << 20;
  static constexpr std::int64_t message_values = 200'000;
  static constexpr std::int64_t message_nesting = 16;
  static constexpr std::int64_t correlation_bytes = 64;
  static constexpr std::int64_t envelope_frames = 8;
  static constexpr std::int64_t error_bytes = 16 << 10;  // of a run's error; more is cut
  static constexpr std::int64_t error_items = 16;
  static constexpr std::int64_t batch_bytes = 8 << 20;  // of payload; a batch ends there
  static constexpr std::int64_t list_rows = 1000;
  static constexpr std::int64_t wait_ms = 60'000;
  static constexpr std::int64_t open_asks = 64;  // of one session
  static constexpr double backoff_factor = 1e6;  // at least 1

  std::int64_t payload_bytes = 1 << 20;
  std::int64_t result_bytes = 1 << 20;
  std::int64_t meta_bytes = 4 << 10;
  std::int64_t jobs_per_request = 1000;
  std::int64_t batch_max = 100;
};

struct Defaults {
  std::int64_t max_attempts = 25;
  std::int64_t backoff_first_ms = 1'000;
  double backoff_factor = 2.0;
  std::int64_t backoff_cap_ms = 6 * 3'600'000;
  double backoff_jitter = 0.2;
  std::int64_t max_lost = 3;
  std::int64_t lease_ms = 30'000;
  std::int64_t timeout_ms = 30 * 60'000;
  std::int64_t wait_ms = 30'000;
  std::int64_t keep_logs_ms = 24 * 3'600'000;
  std::int64_t keep_dead_ms = 30LL * 24 * 3'600'000;
  std::int64_t keep_events_ms = 24 * 3'600'000;
  std::int64_t keep_events_bytes = 1LL << 30;
  std::int64_t keep_sessions_ms = 24 * 3'600'000;
  std::int64_t keep_batch_keys_ms = 24 * 3'600'000;
  std::int64_t keep_batch_keys = 1'000'000;
};

}  // namespace stint
