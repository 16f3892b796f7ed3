#include "actors/storage/content_hash.hpp"

#include <bit>
#include <cstddef>
#include <optional>
#include <string_view>

namespace stint {

namespace {

// FNV-1a over words of eight bytes, with a finaliser; every value goes in with its length or its presence, so
// that no two contents feed the same words.
class Hash {
 public:
  void add(std::uint64_t word) { state_ = std::rotl((state_ ^ word) * 0x9E3779B97F4A7C15u, 29); }
  void add(std::int64_t value) { add(static_cast<std::uint64_t>(value)); }
  void add(double value) { add(std::bit_cast<std::uint64_t>(value)); }

  void add(std::string_view text) {
    add(static_cast<std::uint64_t>(text.size()));
    for (std::size_t at = 0; at < text.size(); at += 8) {
      std::uint64_t word = 0;
      for (const char byte : text.substr(at, 8)) word = word << 8 | static_cast<unsigned char>(byte);
      add(word);
    }
  }

  template <class Value>
  void add(const std::optional<Value>& value) {
    add(static_cast<std::uint64_t>(value.has_value()));
    if (value) add(*value);
  }

  void add(const Backoff& backoff) {
    add(backoff.first_ms);
    add(backoff.factor);
    add(backoff.cap_ms);
    add(backoff.jitter);
  }

  void add(const Limit& limit) {
    add(limit.rate);
    add(limit.burst);
    add(limit.max);
    add(limit.window_ms);
    add(static_cast<std::uint64_t>(limit.count));
    add(limit.max_running);
    add(static_cast<std::uint64_t>(limit.unlimited));
  }

  void add(const NewJob& job) {
    add(std::string_view(job.handler));
    add(std::string_view(job.queue));
    add(std::string_view(job.payload.bytes));
    add(static_cast<std::uint64_t>(job.payload.is_text));
    add(static_cast<std::int64_t>(job.priority));
    add(job.delay_ms);
    add(job.run_at_ms);
    add(job.max_attempts);
    add(job.backoff);
    add(job.timeout_ms);
    add(job.limit);
    add(static_cast<std::uint64_t>(job.meta.size()));
    for (const auto& [key, value] : job.meta) {
      add(std::string_view(key));
      add(std::string_view(value));
    }
  }

  std::uint64_t value() const {
    std::uint64_t mixed = state_;
    mixed = (mixed ^ mixed >> 33) * 0xFF51AFD7ED558CCDu;
    mixed = (mixed ^ mixed >> 33) * 0xC4CEB9FE1A85EC53u;
    return mixed ^ mixed >> 33;
  }

 private:
  std::uint64_t state_ = 0xCBF29CE484222325u;
};

}  // namespace

std::uint64_t content_hash(const std::vector<NewJob>& jobs) {
  Hash hash;
  hash.add(static_cast<std::uint64_t>(jobs.size()));
  for (const NewJob& job : jobs) hash.add(job);
  return hash.value();
}

}  // namespace stint
