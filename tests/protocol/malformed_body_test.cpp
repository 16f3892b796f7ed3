// Every kind of malformed body: what is told of it.
#include <gtest/gtest.h>

#include "tests/protocol/body.hpp"
#include "tests/protocol/samples.hpp"

namespace stint::testing {
namespace {

struct Refusal {
  std::string_view type;
  std::string body;
  ErrorCode code;
  std::string field;
  std::string message;
};

void expect_refused(const Refusal& expected) {
  SCOPED_TRACE(::testing::Message() << expected.type << " " << expected.field << ": " << expected.message);
  const std::optional<Error> error = request_error(expected.type, expected.body);
  ASSERT_TRUE(error);
  EXPECT_EQ(to_string(error->code), to_string(expected.code));
  EXPECT_EQ(error->field, expected.field);
  EXPECT_EQ(error->message, expected.message);
  EXPECT_FALSE(error->retry_in_ms);
}

void expect_bad(std::string_view type, const std::string& bytes, const std::string& field,
                const std::string& message) {
  expect_refused({type, bytes, ErrorCode::bad_message, field, message});
}

void expect_too_large(std::string_view type, const std::string& bytes, const std::string& field,
                      const std::string& message) {
  expect_refused({type, bytes, ErrorCode::too_large, field, message});
}

std::string one_job(const std::string& more) {
  return body(R"({"jobs": [{"handler": "h")" + (more.empty() ? "" : ", " + more) + "}]}");
}

// An enqueue whose only job has `key: <value of msgpack>`.
std::string job_with(std::string_view key, std::string_view value) {
  return packed_map(1) + packed_text("jobs") + packed_list(1) + packed_map(2) + packed_text("handler") +
         packed_text("h") + packed_text(key) + std::string(value);
}

TEST(Body, is_refused_when_it_is_not_one_map_of_msgpack) {
  expect_bad("ping", "", "", "the message ends too early");
  expect_bad("ping", "hello", "", "must be a map, not an integer");
  expect_bad("ping", packed_list(0), "", "must be a map, not a list");
  expect_bad("ping", "\xc0", "", "must be a map, not nil");
  expect_bad("ping", "\xc1", "", "is not msgpack: the byte c1");
  expect_bad("ping", "\x81\xa1", "", "the message ends too early");
  expect_bad("ping", packed_map(0) + packed_map(0), "", "there are bytes behind the message");
}

TEST(Body, is_refused_when_a_key_is_not_text) {
  expect_bad("ping", std::string("\x81\x01\x01"), "", "keys are text, not an integer");
  expect_bad("ping", "\x81" + packed_binary("key") + "\x01", "", "keys are text, not binary");
  expect_bad("enqueue", packed_map(1) + packed_text("jobs") + packed_list(1) + "\x81\xc0\xc0", "jobs[0]",
             "keys are text, not nil");
}

TEST(Body, is_refused_with_extension_types_wherever_they_stand) {
  const std::string message = "extension types are not accepted";
  for (const std::string& extension :
       {std::string("\xd4\x01\x02"), std::string("\xd8\x01") + repeated("x", 16),
        std::string("\xc7\x01\x01x"), std::string("\xd6\xff\x00\x00\x00\x00", 6)}) {
    expect_bad("ping", extension, "", message);
    expect_bad("ping", body_with("unknown", extension), "", message);
    expect_bad("goodbye", body_with("session", extension), "session", message);
    expect_bad("enqueue", job_with("priority", extension), "jobs[0]", message);
    expect_bad("enqueue", body_with("jobs", packed_list(1) + extension), "jobs[0]", message);
  }
}

TEST(Body, is_refused_where_a_field_has_the_wrong_type) {
  expect_bad("enqueue", body(R"({"jobs": {}})"), "jobs", "must be a list, not a map");
  expect_bad("enqueue", body(R"({"jobs": ["h"]})"), "jobs[0]", "must be a map, not text");
  expect_bad("enqueue", body(R"({"jobs": [null]})"), "jobs[0]", "must be a map, not nil");
  expect_bad("enqueue", body(R"({"jobs": [], "batch_key": 1})"), "batch_key", "must be text, not an integer");
  expect_bad("enqueue", body(R"({"jobs": [], "batch_key": "bin:k"})"), "batch_key",
             "must be text, not binary");
  expect_bad("enqueue", one_job(R"("payload": 1)"), "jobs[0].payload",
             "must be binary or text, not an integer");
  expect_bad("enqueue", one_job(R"("priority": "5")"), "jobs[0].priority", "must be an integer, not text");
  expect_bad("enqueue", one_job(R"("priority": true)"), "jobs[0].priority",
             "must be an integer, not a boolean");
  expect_bad("enqueue", one_job(R"("priority": 5.5)"), "jobs[0].priority", "must be an integer, not a float");
  expect_bad("enqueue", one_job(R"("meta": {"k": 1})"), "jobs[0].meta.k", "must be text, not an integer");
  expect_bad("enqueue", one_job(R"("meta": [])"), "jobs[0].meta", "must be a map, not a list");
  expect_bad("enqueue", one_job(R"("backoff": {"factor": "2"})"), "jobs[0].backoff.factor",
             "must be a number, not text");
  expect_bad("hello", body(R"({"takeover": 1})"), "takeover", "must be a boolean, not an integer");
  expect_bad("hello", body(R"({"queues": ["a", 2]})"), "queues[1]", "must be text, not an integer");
  expect_bad("hello", body(R"({"handlers": {"h": 1}})"), "handlers.h", "must be a map, not an integer");
}

TEST(Body, is_refused_where_a_number_is_out_of_range) {
  expect_bad("enqueue", one_job(R"("priority": 10)"), "jobs[0].priority", "must be 0 to 9, not 10");
  expect_bad("enqueue", one_job(R"("priority": -1)"), "jobs[0].priority", "must be 0 to 9, not -1");
  expect_bad("enqueue", one_job(R"("priority": 18446744073709551615)"), "jobs[0].priority",
             "must be 0 to 9, not above 2^63");
  expect_bad("enqueue", one_job(R"("max_attempts": 0)"), "jobs[0].max_attempts",
             "must be 1 to 1000000, not 0");
  expect_bad("enqueue", one_job(R"("timeout_ms": 0)"), "jobs[0].timeout_ms",
             "must be 1 to 315360000000, not 0");
  expect_bad("enqueue", one_job(R"("delay_ms": -5)"), "jobs[0].delay_ms",
             "must be 0 to 315360000000, not -5");
  expect_bad("enqueue", one_job(R"("backoff": {"factor": 0.5})"), "jobs[0].backoff.factor",
             "must be 1 to 1000000");
  expect_bad("enqueue", one_job(R"("backoff": {"jitter": 1.5})"), "jobs[0].backoff.jitter", "must be 0 to 1");
  expect_bad("list_jobs", body(R"({"limit": 0})"), "limit", "must be 1 to 1000, not 0");
  expect_bad("list_jobs", body(R"({"limit": 1001})"), "limit", "must be 1 to 1000, not 1001");
  expect_bad("get_job", body(R"({"id": 0})"), "id", "must be 1 to 9007199254740991, not 0");
}

TEST(Body, is_refused_where_an_ask_is_out_of_range) {
  const std::string session = R"("session": "0123456789abcdef")";
  const auto ask = [&](const std::string& rest) { return body("{" + session + ", " + rest + "}"); };
  expect_bad("request_batch", ask(R"("ask": 0, "queues": {"q": 1}, "got": 0)"), "ask",
             "must be 1 to 9007199254740991, not 0");
  expect_bad("request_batch", ask(R"("ask": 1, "queues": {"q": 0}, "got": 0)"), "queues.q",
             "must be 1 to 1000000, not 0");
  expect_bad("request_batch", ask(R"("ask": 1, "queues": {}, "got": 0)"), "queues", "must not be empty");
  expect_bad("request_batch", ask(R"("ask": 1, "queues": {"q": 1}, "got": -1)"), "got",
             "must be 0 to 9007199254740991, not -1");
  expect_bad("request_batch", ask(R"("ask": 1, "queues": {"q": 1}, "got": 0, "wait_ms": 60001)"), "wait_ms",
             "must be 0 to 60000, not 60001");
}

TEST(Body, is_refused_with_numbers_that_are_not_finite) {
  const std::string nan = "\xcb\x7f\xf8" + std::string(6, '\0');
  const std::string infinity = "\xcb\x7f\xf0" + std::string(6, '\0');
  for (const std::string& number : {nan, infinity}) {
    expect_bad("enqueue", job_with("backoff", packed_map(1) + packed_text("factor") + number),
               "jobs[0].backoff.factor", "must be a finite number");
    expect_bad("enqueue", job_with("priority", number), "jobs[0].priority",
               "must be an integer, not a float");
  }
}

TEST(Body, is_refused_with_names_that_are_none) {
  expect_bad("enqueue", body(R"({"jobs": [{"handler": ""}]})"), "jobs[0].handler",
             "is not the name of a handler");
  expect_bad("enqueue", body(R"({"jobs": [{"handler": "a b"}]})"), "jobs[0].handler",
             "is not the name of a handler");
  expect_bad("enqueue", one_job(R"("queue": "a/b")"), "jobs[0].queue", "is not the name of a queue");
  expect_bad("enqueue", one_job(R"("queue": "")"), "jobs[0].queue", "is not the name of a queue");
  expect_bad("hello", body(R"({"worker": "-w"})"), "worker", "is not the name of a worker");
  expect_bad("hello", body(R"({"handlers": {"a=b": {}}})"), "handlers", "is not the name of a handler");
  expect_bad("enqueue", body(R"({"jobs": [], "batch_key": ""})"), "batch_key", "must not be empty");
  expect_bad("enqueue",
             packed_map(2) + packed_text("jobs") + packed_list(0) + packed_text("batch_key") + "\xa1\xff",
             "batch_key", "must be UTF-8");
}

TEST(Body, is_refused_with_a_word_that_is_none) {
  expect_bad("list_jobs", body(R"({"state": "done"})"), "state",
             "must be one of waiting, scheduled, retrying, blocked, running, completed, dead, cancelled");
}

TEST(Body, is_refused_with_a_session_that_is_not_16_bytes) {
  expect_bad("goodbye", body(R"({"session": "0123456789abcde"})"), "session",
             "must be exactly 16 bytes, not 15");
  expect_bad("goodbye", body(R"({"session": "bin:0123456789abcdef0"})"), "session",
             "must be exactly 16 bytes, not 17");
  expect_bad("goodbye", body(R"({"session": 16})"), "session", "must be 16 bytes, not an integer");
}

TEST(Body, may_give_a_session_as_binary_or_text) {
  EXPECT_FALSE(request_error("goodbye", body(R"({"session": "0123456789abcdef"})")));
  EXPECT_FALSE(request_error("goodbye", body(R"({"session": "bin:0123456789abcdef"})")));
}

TEST(Body, is_refused_where_a_map_names_something_twice) {
  const std::string twice =
      "\x82" + packed_text("k") + packed_text("1") + packed_text("k") + packed_text("2");
  expect_bad("enqueue", job_with("meta", twice), "jobs[0].meta.k", "is given twice");
  expect_bad("enqueue", job_with("handler", packed_text("h")), "jobs[0].handler", "is given twice");
}

TEST(Body, is_refused_where_an_unknown_key_is_given_twice) {
  const std::string message = "is given twice";
  const auto pair = [](std::string_view key) { return packed_text(key) + packed_text("v"); };
  expect_bad("ping", packed_map(3) + pair("x") + pair("y") + pair("x"), "x", message);
  expect_bad("enqueue",
             body_with("jobs", packed_list(1) + packed_map(3) + pair("handler") + pair("x") + pair("x")),
             "jobs[0].x", message);
  expect_bad("ping", packed_map(2) + pair(repeated("x", 1000)) + pair(repeated("x", 1000)),
             repeated("x", 128), message);
  EXPECT_FALSE(request_error("ping", packed_map(3) + pair("x") + pair("y") + pair("z")));
}

TEST(Body, is_refused_where_a_key_comes_again_after_or_with_nil) {
  const std::string with_nil = packed_text("k") + "\xc0";
  const std::string with_text = packed_text("k") + packed_text("v");
  for (const std::string& twice : {with_nil + with_text, with_text + with_nil, with_nil + with_nil}) {
    expect_bad("enqueue", job_with("meta", packed_map(2) + twice), "jobs[0].meta.k", "is given twice");
  }
  expect_bad("ping",
             packed_map(2) + packed_text("numbers") + "\xc0" + packed_text("numbers") + packed_text("float"),
             "numbers", "is given twice");
  EXPECT_FALSE(request_error(
      "enqueue", body_with("jobs", packed_list(1) + packed_map(2) + packed_text("handler") +
                                       packed_text("h") + packed_text("meta") + packed_map(1) + with_nil)));
}

TEST(Body, is_refused_where_a_key_is_not_UTF_8) {
  expect_bad("ping", body_with("\xff", packed_text("v")), "", "keys are UTF-8");
  expect_bad("enqueue", body_with("jobs", packed_list(1) + body_with("\xc3(", "\xc0")), "jobs[0]",
             "keys are UTF-8");
  EXPECT_FALSE(request_error("ping", body_with("\xc3\xa9", packed_text("v"))));
}

TEST(Body, of_a_hello_names_no_handlers_or_queues_by_leaving_them_out) {
  expect_bad("hello", body(R"({"handlers": {}})"), "handlers", "must not be empty");
  expect_bad("hello", body(R"({"queues": []})"), "queues", "must not be empty");
}

TEST(Body, is_refused_with_what_this_version_does_not_do) {
  const std::string message = "is not supported by this version";
  expect_bad("enqueue", one_job(R"("unique": {"key": "k"})"), "jobs[0].unique", message);
  EXPECT_FALSE(request_error("enqueue", one_job(R"("unique": null)")));
}

TEST(Body, is_refused_where_fields_contradict_each_other) {
  expect_bad("enqueue", one_job(R"("delay_ms": 1, "run_at_ms": 1)"), "jobs[0].run_at_ms",
             "not together with delay_ms");
  expect_bad("hello", body(R"({"worker": "w"})"), "session", "is required of a worker");
  expect_bad("hello", body(R"({"session": "0123456789abcdef"})"), "worker", "is required of a worker");
  expect_bad("hello", body(R"({"worker": "w", "session": "0123456789abcdef", "queues": ["q"]})"), "handlers",
             "a worker serves at least one");
  expect_bad("hello", body(R"({"worker": "w", "session": "0123456789abcdef", "handlers": {"h": {}}})"),
             "queues", "a worker asks at least one");
}

TEST(Body, is_too_large_over_each_bound) {
  expect_too_large("enqueue", body(R"({"jobs": [], "batch_key": ")" + repeated("k", 65) + "\"}"), "batch_key",
                   "has at most 64 bytes, not 65");
  expect_too_large("enqueue",
                   body_with("jobs", packed_list(1001) + repeated(body(R"({"handler": "h"})"), 1001)), "jobs",
                   "has at most 1000 items, not 1001");
  expect_too_large("enqueue", one_job(R"("meta": {"k": ")" + repeated("v", 4096) + "\"}"), "jobs[0].meta.k",
                   "has at most 4096 bytes of keys and values");
  EXPECT_FALSE(request_error("enqueue", one_job(R"("meta": {"k": ")" + repeated("v", 4095) + "\"}")));
  EXPECT_FALSE(request_error(
      "enqueue", body_with("jobs", packed_list(1000) + repeated(body(R"({"handler": "h"})"), 1000))));
}

TEST(Body, may_be_empty_where_nothing_is_required) {
  for (const std::string_view type : {"ping", "hello", "list_queues", "list_workers", "list_jobs",
                                      "list_limits", "read_events", "get_stats"}) {
    EXPECT_FALSE(request_error(type, packed_map(0))) << type;
  }
}

TEST(Body, of_an_unknown_type_is_refused) {
  expect_refused(
      {"nonsense", packed_map(0), ErrorCode::unknown_type, "", "no message of this type is known"});
  expect_refused({"welcome", packed_map(0), ErrorCode::unknown_type, "", "no message of this type is known"});
  expect_refused({"", packed_map(0), ErrorCode::unknown_type, "", "no message of this type is known"});
}

}  // namespace
}  // namespace stint::testing
