#include "actors/events/chunk_limit.hpp"

namespace stint {

namespace {

constexpr std::uint64_t is_limit = 1, has_rate = 2, has_max = 4, has_window = 8, has_running = 16,
                        is_unlimited = 32, counts_started = 64, all_bits = 127;

void append_number(std::string& bytes, std::optional<std::int64_t> number) {
  if (number) append_varint(bytes, static_cast<std::uint64_t>(*number));
}

}  // namespace

void append_limit(std::string& bytes, const Limit& limit) {
  append_varint(bytes, is_limit | (limit.rate ? has_rate : 0) | (limit.max ? has_max : 0) |
                           (limit.window_ms ? has_window : 0) | (limit.max_running ? has_running : 0) |
                           (limit.unlimited ? is_unlimited : 0) |
                           (limit.count == CountPolicy::started ? counts_started : 0));
  append_number(bytes, limit.burst);
  if (limit.rate) append_real(bytes, *limit.rate);
  append_number(bytes, limit.max);
  append_number(bytes, limit.window_ms);
  append_number(bytes, limit.max_running);
}

std::optional<Limit> read_limit(std::uint64_t bits, VarintReader& reader) {
  if ((bits & is_limit) == 0 || (bits & ~all_bits) != 0) return std::nullopt;
  const auto number = [&reader] { return static_cast<std::int64_t>(reader.number()); };
  Limit limit;
  limit.burst = number();
  if (bits & has_rate) limit.rate = reader.real();
  if (bits & has_max) limit.max = number();
  if (bits & has_window) limit.window_ms = number();
  if (bits & has_running) limit.max_running = number();
  limit.unlimited = (bits & is_unlimited) != 0;
  if (bits & counts_started) limit.count = CountPolicy::started;
  return limit;
}

}  // namespace stint
