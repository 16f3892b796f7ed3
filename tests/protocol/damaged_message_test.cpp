// Valid messages that are damaged: at random, and field by field. Whatever comes is either read or refused
// with one error; it never crashes.
#include <gtest/gtest.h>
#include <random>

#include "tests/protocol/body.hpp"
#include "tests/protocol/samples.hpp"

namespace stint::testing {
namespace {

class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : random_(seed) {}

  std::string mutate(std::string body, const std::string& other) {
    for (std::size_t i = below(3) + 1; i > 0; --i) mutate_once(body, other);
    return body;
  }

 private:
  std::size_t below(std::size_t bound) {
    return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random_);
  }
  char byte() { return static_cast<char>(below(256)); }
  // Bytes that begin something: heads of lists, maps, texts, numbers and what is not allowed.
  char head() {
    constexpr std::string_view heads =
        "\xc0\xc1\xc2\xc4\xc6\xc7\xca\xcb\xcc\xcf\xd3\xd4\xd9\xdb\xdd\xdf\x80\x90\xa0\xff";
    return heads[below(heads.size())];
  }
  void mutate_once(std::string& body, const std::string& other) {
    const std::size_t at = below(body.size() + 1);
    const std::size_t length = std::min<std::size_t>(below(16) + 1, body.size() - at);
    switch (below(7)) {
      case 0:
        body.resize(at);
        break;
      case 1:
        body.insert(at, 1, head());
        break;
      case 2:
        body.erase(at, length);
        break;
      case 3:
        body.insert(at, body.substr(at, length));
        break;
      case 4:
        body.replace(at, length, other.substr(std::min(at, other.size()), length));
        break;
      case 5:
        if (at < body.size()) body[at] = byte();
        break;
      default:
        if (at < body.size()) body[at] = head();
    }
  }

  std::mt19937_64 random_;
};

TEST(DamagedMessages, are_read_or_refused_with_one_error_whatever_is_done_to_them) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    Mutator mutator(seed);
    const std::vector<Sample> all = samples(seed, seed % 2 == 0);
    for (const Sample& sample : all) {
      for (int i = 0; i < 60; ++i) {
        const std::string damaged =
            mutator.mutate(sample.body, all[static_cast<std::size_t>(i) % all.size()].body);
        const std::optional<Error> error = decode_error(sample, damaged);
        if (!error) continue;
        ASSERT_TRUE(error->code == ErrorCode::bad_message || error->code == ErrorCode::too_large)
            << sample.type;
        ASSERT_FALSE(error->message.empty()) << sample.type;
        ASSERT_LE(error->items.size(), 16u) << sample.type;
      }
    }
  }
}

TEST(DamagedMessages, are_refused_when_cut_anywhere) {
  for (const Sample& sample : samples(1, true)) {
    for (std::size_t size = 0; size < sample.body.size(); ++size) {
      const std::optional<Error> error = decode_error(sample, std::string_view(sample.body).substr(0, size));
      ASSERT_TRUE(error) << sample.type << " cut at " << size;
      ASSERT_EQ(error->code, ErrorCode::bad_message) << sample.type << " cut at " << size;
    }
  }
}

TEST(DamagedMessages, are_refused_with_a_byte_too_many) {
  for (const Sample& sample : samples(2, true)) {
    const std::optional<Error> error = decode_error(sample, sample.body + '\xc0');
    ASSERT_TRUE(error) << sample.type;
    EXPECT_EQ(error->code, ErrorCode::bad_message) << sample.type;
  }
}

// Calls `check(sample, field)` for every field of every message, with all fields present.
template <class Check>
void for_each_field(Check check) {
  for (const Sample& sample : samples(3, true)) {
    for (const SampleField& field : sample.fields) {
      SCOPED_TRACE(sample.type + "." + field.key);
      check(sample, field);
    }
  }
}

TEST(DamagedMessages, name_each_required_field_that_is_missing_or_nil) {
  for_each_field([](const Sample& sample, const SampleField& field) {
    if (!field.is_required) return;
    for (const std::string& body : {without(sample.body, field.key), with_nil(sample.body, field.key)}) {
      const std::optional<Error> error = decode_error(sample, body);
      ASSERT_TRUE(error);
      EXPECT_EQ(error->code, ErrorCode::bad_message);
      EXPECT_EQ(error->field, field.key);
      EXPECT_EQ(error->message, "is required");
    }
  });
}

TEST(DamagedMessages, take_nil_for_absent) {
  for_each_field([](const Sample& sample, const SampleField& field) {
    const std::optional<Error> absent = decode_error(sample, without(sample.body, field.key));
    const std::optional<Error> nil = decode_error(sample, with_nil(sample.body, field.key));
    ASSERT_EQ(nil.has_value(), absent.has_value());
    EXPECT_TRUE(!nil || nil->message == absent->message);
  });
}

TEST(DamagedMessages, name_each_field_that_has_the_wrong_type) {
  for_each_field([](const Sample& sample, const SampleField& field) {
    // A faulty result is no fault of the message.
    if (sample.type == "finish" && field.key == "results") return;
    // No field holds a list of maps of lists.
    const std::optional<Error> error =
        decode_error(sample, with_value(sample.body, field.key, body("[{\"a\": []}]")));
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code, ErrorCode::bad_message);
    EXPECT_EQ(error->field.substr(0, field.key.size()), field.key);
  });
}

TEST(DamagedMessages, name_each_field_that_is_given_twice) {
  for_each_field([](const Sample& sample, const SampleField& field) {
    if (field.is_reserved) return;
    const std::string twice = with_twice(sample.body, field.key);
    if (twice.size() == sample.body.size()) return;  // the random value was the default, which is not sent
    const std::optional<Error> error = decode_error(sample, twice);
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code, ErrorCode::bad_message);
    EXPECT_EQ(error->field, field.key);
  });
}

TEST(DamagedMessages, are_no_more_damaged_by_what_nobody_knows) {
  for (const Sample& sample : samples(4, true)) {
    const std::string body_with_more =
        with_value(sample.body, "of_a_later_version", body(R"({"a": [1, {"b": null}], "c": 1.5})"));
    EXPECT_FALSE(decode_error(sample, body_with_more)) << sample.type;
  }
}

}  // namespace
}  // namespace stint::testing
