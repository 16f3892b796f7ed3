#include "protocol/values.hpp"

#include <cstring>

#include "protocol/words.hpp"

namespace stint {

std::string_view to_string(JobState state) { return word_of(state); }
std::string_view to_string(Outcome outcome) { return word_of(outcome); }
std::string_view to_string(RunEnd end) { return word_of(end); }
std::string_view to_string(ErrorCode code) { return word_of(code); }

std::optional<JobState> job_state_from(std::string_view text) { return from_word<JobState>(text); }

std::string to_string(const SessionId& session) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * session.bytes.size());
  for (const unsigned char byte : session.bytes) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

}  // namespace stint

// Both halves count, also of sessions that are numbered rather than random.
std::size_t std::hash<stint::SessionId>::operator()(const stint::SessionId& session) const noexcept {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  std::memcpy(&low, session.bytes.data(), sizeof low);
  std::memcpy(&high, session.bytes.data() + sizeof low, sizeof high);
  std::uint64_t mixed = low ^ (high * 0x9e3779b97f4a7c15ULL);
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9ULL;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebULL;
  return static_cast<std::size_t>(mixed ^ (mixed >> 31));
}
