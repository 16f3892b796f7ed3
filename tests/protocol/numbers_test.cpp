// Numbers in all the forms in which clients send them, and in those in which the server answers.
#include <gtest/gtest.h>
#include <msgpack.hpp>

#include "protocol/codec.hpp"
#include "protocol/msgpack_writer.hpp"
#include "tests/protocol/body.hpp"
#include "tests/protocol/samples.hpp"

namespace stint::testing {
namespace {

std::int64_t id_of(const std::string& number) {
  const auto read = decode_request("get_job", body_with("id", number), Bounds{});
  return read ? std::get<GetJob>(read->request).id : -1;
}

TEST(Numbers, are_taken_in_any_width) {
  EXPECT_EQ(id_of("\x07"), 7);
  EXPECT_EQ(id_of("\xcc\x07"), 7);
  EXPECT_EQ(id_of(std::string("\xcd\x00\x07", 3)), 7);
  EXPECT_EQ(id_of(std::string("\xce\x00\x00\x00\x07", 5)), 7);
  EXPECT_EQ(id_of(std::string("\xcf\x00\x00\x00\x00\x00\x00\x00\x07", 9)), 7);
  EXPECT_EQ(id_of("\xd0\x07"), 7);
  EXPECT_EQ(id_of(std::string("\xd1\x00\x07", 3)), 7);
  EXPECT_EQ(id_of(std::string("\xd2\x00\x00\x00\x07", 5)), 7);
  EXPECT_EQ(id_of(std::string("\xd3\x00\x00\x00\x00\x00\x00\x00\x07", 9)), 7);
}

TEST(Numbers, are_taken_as_floats_without_a_fraction) {
  EXPECT_EQ(id_of(std::string("\xca\x40\xe0\x00\x00", 5)), 7);
  EXPECT_EQ(id_of(std::string("\xcb\x40\x1c\x00\x00\x00\x00\x00\x00", 9)), 7);
  EXPECT_EQ(id_of("\xcb\x43\x3f\xff\xff\xff\xff\xff\xff"), (std::int64_t{1} << 53) - 1);
}

TEST(Numbers, are_refused_as_floats_from_2_to_the_53_on) {
  const auto error = request_error("get_job", body_with("id", "\xcb\x43\x40" + std::string(6, '\0')));
  ASSERT_TRUE(error);
  EXPECT_EQ(error->message, "must be an integer, not a float");
}

TEST(Numbers, that_have_a_fraction_may_be_integers) {
  const auto read =
      decode_request("enqueue", body(R"({"jobs": [{"handler": "h", "backoff": {"factor": 3}}]})"), Bounds{});
  ASSERT_TRUE(read);
  EXPECT_EQ(std::get<Enqueue>(read->request).jobs[0].backoff->factor, 3.0);
}

std::string written(std::int64_t value, bool as_float = false) {
  MsgpackWriter writer(as_float);
  writer.integer(value);
  return writer.take();
}

TEST(Numbers, are_sent_as_the_shortest_integers) {
  EXPECT_EQ(written(127).size(), 1u);
  EXPECT_EQ(written(-32).size(), 1u);
  EXPECT_EQ(written(128).size(), 2u);
  EXPECT_EQ(written(255).size(), 2u);
  EXPECT_EQ(written(256).size(), 3u);
  EXPECT_EQ(written(65'536).size(), 5u);
  EXPECT_EQ(written(0xffffffff).size(), 5u);
  EXPECT_EQ(written(0x100000000).size(), 9u);
  EXPECT_EQ(written(0x100000000)[0], '\xcf');
}

TEST(Numbers, above_32_bits_are_sent_as_floats_to_who_wants_them) {
  EXPECT_EQ(written(0xffffffff, true), written(0xffffffff));
  EXPECT_EQ(written(0x100000000, true), std::string("\xcb\x41\xf0\x00\x00\x00\x00\x00\x00", 9));
  EXPECT_EQ(written(-1, true), "\xff");
}

TEST(Numbers, are_floats_in_an_answer_where_any_request_says_so) {
  for (Sample& sample : samples(5, false)) {
    if (!sample.is_request) continue;
    EXPECT_FALSE(decode_request(sample.type, sample.body, Bounds{})->numbers_as_float) << sample.type;
    const std::string with_numbers = with_value(sample.body, "numbers", packed_text("float"));
    EXPECT_TRUE(decode_request(sample.type, with_numbers, Bounds{})->numbers_as_float) << sample.type;
    EXPECT_FALSE(decode_request(sample.type, with_nil(sample.body, "numbers"), Bounds{})->numbers_as_float);
  }
}

TEST(Numbers, are_refused_in_any_other_form) {
  const auto error = request_error("ping", body(R"({"numbers": "double"})"));
  ASSERT_TRUE(error);
  EXPECT_EQ(error->field, "numbers");
  EXPECT_EQ(error->message, "must be \"float\"");
}

TEST(Numbers, are_a_field_of_the_request_alone) {
  const auto read =
      decode_request("enqueue", body(R"({"jobs": [{"handler": "h", "numbers": "float"}]})"), Bounds{});
  ASSERT_TRUE(read);
  EXPECT_FALSE(read->numbers_as_float);
}

// Another implementation reads what ours has written, and ours what it has written.
TEST(Numbers, are_understood_by_another_implementation) {
  for (const std::int64_t value :
       {0L,      1L,          127L,         128L,           255L,         256L,        65'535L,
        65'536L, 0xffffffffL, 0x100000000L, (1L << 53) - 1, -1L,          -32L,        -33L,
        -128L,   -129L,       -32'768L,     -32'769L,       -0x80000000L, -0x80000001L}) {
    const std::string ours = written(value);
    EXPECT_EQ(msgpack::unpack(ours.data(), ours.size())->as<std::int64_t>(), value);
    const std::string as_float = written(value, true);
    EXPECT_EQ(msgpack::unpack(as_float.data(), as_float.size())->as<double>(), static_cast<double>(value));
    msgpack::sbuffer theirs;
    msgpack::pack(theirs, value);
    EXPECT_EQ(std::string(theirs.data(), theirs.size()), ours);
  }
}

}  // namespace
}  // namespace stint::testing
