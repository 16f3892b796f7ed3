// Random messages of every type, made from the field tables: what is sent is what is read.
#include <gtest/gtest.h>

#include "protocol/codec.hpp"
#include "tests/protocol/random_message.hpp"

namespace stint::testing {
namespace {

constexpr std::uint64_t seeds = 100;

TEST(MessagesRoundTrip, every_request_is_read_as_it_was_written) {
  EachMessage<Request>::visit([]<class Message>() {
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      SCOPED_TRACE(::testing::Message() << wire::Fields<Message>::name << " of seed " << seed);
      const Message sent = RandomMessages(seed).make<Message>();
      const std::string body = encode(Request(sent));
      const auto read = decode_request(wire_type(Request(sent)), body, Bounds{});
      ASSERT_TRUE(read) << read.error().field << " " << read.error().message;
      ASSERT_TRUE(equal(sent, std::get<Message>(read->request)));
      ASSERT_EQ(encode(read->request), body);
    }
  });
}

TEST(MessagesRoundTrip, every_answer_is_read_as_it_was_written) {
  EachMessage<Answer>::visit([]<class Message>() {
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      SCOPED_TRACE(::testing::Message() << wire::Fields<Message>::name << " of seed " << seed);
      const Message sent = RandomMessages(seed).make<Message>();
      const std::string body = encode(Answer(sent));
      const auto read = decode_answer(wire_type(Answer(sent)), body, Bounds{});
      ASSERT_TRUE(read) << read.error().field << " " << read.error().message;
      ASSERT_TRUE(equal(sent, std::get<Message>(*read)));
      ASSERT_EQ(encode(*read), body);
    }
  });
}

TEST(MessagesRoundTrip, an_answer_with_numbers_as_floats_says_the_same) {
  EachMessage<Answer>::visit([]<class Message>() {
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      SCOPED_TRACE(::testing::Message() << wire::Fields<Message>::name << " of seed " << seed);
      const Message sent = RandomMessages(seed).make<Message>();
      const auto read = decode_answer(wire_type(Answer(sent)), encode(Answer(sent), true), Bounds{});
      ASSERT_TRUE(read) << read.error().field << " " << read.error().message;
      ASSERT_TRUE(equal(sent, std::get<Message>(*read)));
    }
  });
}

TEST(MessagesRoundTrip, what_was_read_of_a_finish_stands_at_its_positions) {
  Finish sent;
  sent.results.resize(3);
  for (RunResult& result : sent.results) result.id = result.run = 1;
  const auto read = decode_request("finish", encode(Request(sent)), Bounds{});
  ASSERT_TRUE(read);
  EXPECT_EQ(std::get<Finish>(read->request).positions, (std::vector<std::int64_t>{0, 1, 2}));
}

}  // namespace
}  // namespace stint::testing
