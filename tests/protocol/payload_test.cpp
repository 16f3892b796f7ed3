// Payloads arrive byte for byte, of every size, and keep their kind.
#include <gtest/gtest.h>
#include <random>

#include "protocol/codec.hpp"
#include "tests/protocol/samples.hpp"

namespace stint::testing {
namespace {

constexpr std::size_t bound = 1 << 20;

// Bytes that no shift, cut or repetition leaves the same.
const std::string& noise() {
  static const std::string bytes = [] {
    std::mt19937 random(1);
    std::string text(2 * bound, ' ');
    for (char& c : text) c = static_cast<char>(random());
    return text;
  }();
  return bytes;
}

Payload payload_of(std::size_t size, bool is_text) { return {noise().substr(size % 1024, size), is_text}; }

// Through an enqueue, a batch and a finish.
bool passes(const Payload& payload) {
  Enqueue enqueue;
  enqueue.jobs.resize(1);
  enqueue.jobs[0].handler = "h";
  enqueue.jobs[0].payload = payload;
  const auto enqueued = decode_request("enqueue", encode(Request(enqueue)), Bounds{});
  if (!enqueued || std::get<Enqueue>(enqueued->request).jobs[0].payload != payload) return false;

  Batch batch;
  LeasedJob& job = batch.jobs.emplace_back();
  job.run = 1;
  job.queue = job.handler = "h";
  job.payload = payload;
  const auto leased = decode_answer("batch", encode(Answer(batch)), Bounds{});
  if (!leased || std::get<Batch>(*leased).jobs[0].payload != payload) return false;

  Finish finish;
  RunResult& result = finish.results.emplace_back();
  result.id = result.run = 1;
  result.result = payload;
  const auto finished = decode_request("finish", encode(Request(finish)), Bounds{});
  return finished && std::get<Finish>(finished->request).faulty.empty() &&
         std::get<Finish>(finished->request).results[0].result == payload;
}

TEST(Payloads, of_every_size_up_to_70000_bytes_arrive_byte_for_byte) {
  for (std::size_t size = 0; size <= 70'000; ++size) {
    ASSERT_TRUE(passes(payload_of(size, size % 2 == 0))) << size;
  }
}

TEST(Payloads, of_both_kinds_arrive_byte_for_byte_around_the_edges_of_msgpack_and_the_bound) {
  for (const std::size_t edge :
       {std::size_t{1}, std::size_t{32}, std::size_t{256}, std::size_t{65'536}, bound}) {
    for (std::size_t size = edge - std::min<std::size_t>(edge, 3); size <= std::min(edge + 3, bound);
         ++size) {
      ASSERT_TRUE(passes(payload_of(size, false))) << size;
      ASSERT_TRUE(passes(payload_of(size, true))) << size;
    }
  }
}

TEST(Payloads, of_one_byte_more_than_the_bound_are_too_large) {
  for (const bool is_text : {false, true}) {
    Enqueue enqueue;
    enqueue.jobs.resize(1);
    enqueue.jobs[0].handler = "h";
    enqueue.jobs[0].payload = payload_of(bound + 1, is_text);
    const auto error = request_error("enqueue", encode(Request(enqueue)));
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code, ErrorCode::too_large);
    EXPECT_EQ(error->field, "jobs[0].payload");
  }
}

TEST(Payloads, follow_the_bound_of_the_server) {
  Enqueue enqueue;
  enqueue.jobs.resize(1);
  enqueue.jobs[0].handler = "h";
  enqueue.jobs[0].payload = payload_of(11, false);
  Bounds bounds;
  bounds.payload_bytes = 10;
  EXPECT_FALSE(decode_request("enqueue", encode(Request(enqueue)), bounds).ok());
  bounds.payload_bytes = 11;
  EXPECT_TRUE(decode_request("enqueue", encode(Request(enqueue)), bounds).ok());
}

TEST(Payloads, that_are_absent_are_empty_binary) {
  Enqueue enqueue;
  enqueue.jobs.resize(1);
  enqueue.jobs[0].handler = "h";
  const std::string body = encode(Request(enqueue));
  EXPECT_EQ(body.find("payload"), std::string::npos);
  const auto read = decode_request("enqueue", body, Bounds{});
  EXPECT_EQ(std::get<Enqueue>(read->request).jobs[0].payload, Payload{});
}

TEST(Payloads, that_are_empty_text_stay_text) { EXPECT_TRUE(passes(payload_of(0, true))); }

}  // namespace
}  // namespace stint::testing
