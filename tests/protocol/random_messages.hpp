// Random valid messages, made from the field tables, and the comparison of two messages by them.
#pragma once

#include <cstdint>
#include <vector>

#include "protocol/messages.hpp"

namespace stint::testing {

// How many of the fields that may be absent are there.
enum class Presence { some, all };

// One of every request or answer.
std::vector<Request> random_requests(std::uint64_t seed, Presence presence);
std::vector<Answer> random_answers(std::uint64_t seed, Presence presence);

// Whether all fields are equal.
bool same(const Request& a, const Request& b);
bool same(const Answer& a, const Answer& b);

}  // namespace stint::testing
