// Error: what a person or a program is told when a request is refused. It is also the wire message `error`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stint {

enum class ErrorCode {
  bad_frame,
  unsupported_version,
  unknown_type,
  bad_message,
  too_large,
  unknown_session,
  unauthorized,
  forbidden,
  not_found,
  conflict,
  gone,
  overloaded,
  unavailable,
  storage_unavailable,
  shutting_down,
  internal,
};

// The wire's word ("bad_message", ...).
std::string_view to_string(ErrorCode code);

// The first fault of one item of a list; `at` is its position, `field` a path as in Error.
struct ErrorItem {
  std::int64_t at = 0;
  std::string field;
  std::string message;
};

struct Error {
  ErrorCode code = ErrorCode::internal;
  std::string message;
  std::string field{};                        // path of the first fault (`jobs[17].priority`), empty: none
  std::vector<ErrorItem> items{};             // at most 16
  std::optional<std::int64_t> retry_in_ms{};  // present: the same request may be sent again after it
};

}  // namespace stint
