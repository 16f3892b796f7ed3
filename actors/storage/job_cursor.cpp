#include "actors/storage/job_cursor.hpp"

#include <charconv>

namespace stint {

std::string to_string(const JobCursor& cursor) {
  const std::string id = std::to_string(cursor.after.id);
  return cursor.in_logs ? "l" + id + "." + std::to_string(cursor.after.run) : "j" + id;
}

std::optional<JobCursor> job_cursor_from(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const std::string_view place = text.substr(1);
  if (text.front() == 'j') {
    const auto id = number_from(place);
    return id ? std::optional(JobCursor{false, {*id, 0}}) : std::nullopt;
  }
  const std::size_t dot = place.find('.');
  if (text.front() != 'l' || dot == std::string_view::npos) return std::nullopt;
  const auto id = number_from(place.substr(0, dot));
  const auto run = number_from(place.substr(dot + 1));
  return id && run ? std::optional(JobCursor{true, {*id, *run}}) : std::nullopt;
}

std::optional<std::int64_t> number_from(std::string_view text) {
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, fault] = std::from_chars(text.data(), end, number);
  if (fault != std::errc{} || stopped != end || number < 0) return std::nullopt;
  if (text.front() == '-' || (text.front() == '0' && text.size() > 1)) return std::nullopt;
  return number;
}

}  // namespace stint
