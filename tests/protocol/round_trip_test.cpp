// Random messages of every type, made from the field tables: what is sent is what is read.
#include <gtest/gtest.h>
#include <optional>

#include "protocol/codec.hpp"
#include "tests/protocol/random_messages.hpp"

namespace stint::testing {
namespace {

constexpr std::uint64_t seeds = 100;

std::string written(const Request& request, bool) { return encode(request); }
std::string written(const Answer& answer, bool numbers_as_float) { return encode(answer, numbers_as_float); }

// What is read of what was written for `sent`, if anything.
std::optional<Request> passed_on(const Request& sent, bool numbers_as_float) {
  auto read = decode_request(wire_type(sent), written(sent, numbers_as_float), Bounds{});
  return read ? std::optional(std::move(read->request)) : std::nullopt;
}
std::optional<Answer> passed_on(const Answer& sent, bool numbers_as_float) {
  auto read = decode_answer(wire_type(sent), written(sent, numbers_as_float), Bounds{});
  return read ? std::optional(std::move(*read)) : std::nullopt;
}

template <class Variant>
void expect_round_trip(const Variant& sent, bool numbers_as_float) {
  const std::optional<Variant> read = passed_on(sent, numbers_as_float);
  ASSERT_TRUE(read) << wire_type(sent);
  EXPECT_TRUE(same(sent, *read)) << wire_type(sent);
  EXPECT_EQ(written(sent, numbers_as_float), written(*read, numbers_as_float)) << wire_type(sent);
}

TEST(MessagesRoundTrip, every_request_is_read_as_it_was_written) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    for (const Request& request : random_requests(seed, Presence::some)) expect_round_trip(request, false);
  }
}

TEST(MessagesRoundTrip, every_answer_is_read_as_it_was_written) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    for (const Answer& answer : random_answers(seed, Presence::some)) expect_round_trip(answer, false);
  }
}

TEST(MessagesRoundTrip, an_answer_with_numbers_as_floats_says_the_same) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    for (const Answer& answer : random_answers(seed, Presence::some)) expect_round_trip(answer, true);
  }
}

TEST(MessagesRoundTrip, what_was_read_of_a_finish_stands_at_its_positions) {
  Finish sent;
  sent.results.resize(3);
  for (RunResult& result : sent.results) result.id = result.run = 1;
  const std::optional<Request> read = passed_on(sent, false);
  ASSERT_TRUE(read);
  EXPECT_EQ(std::get<Finish>(*read).positions, (std::vector<std::int64_t>{0, 1, 2}));
}

}  // namespace
}  // namespace stint::testing
