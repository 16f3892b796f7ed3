// Bad limits, by every message that carries one: each is refused with the path of the faulty field.
#include <gtest/gtest.h>
#include <vector>

#include "tests/protocol/body.hpp"
#include "tests/protocol/samples.hpp"

namespace stint::testing {
namespace {

struct BadLimit {
  std::string limit;  // msgpack
  std::string field;  // within the limit; empty: the limit as a whole
  std::string named;  // for messages of the test
};

BadLimit bad(const char* json, const char* field) { return {body(json), field, json}; }

// `{key: <a number of msgpack>, ...}`
BadLimit with_number(const char* key, const std::string& number, const char* named) {
  return {with_value(body(R"({"burst": 0})"), key, number), key, named};
}

const std::string not_a_number = "\xcb\x7f\xf8" + std::string(6, '\0');
const std::string infinity = "\xcb\x7f\xf0" + std::string(6, '\0');
const std::string minus_infinity = "\xcb\xff\xf0" + std::string(6, '\0');

std::vector<BadLimit> bad_of_either() {
  return {bad(R"({})", ""),
          bad(R"({"unlimited": false})", ""),
          bad(R"({"unlimited": 1})", "unlimited"),
          bad(R"({"unlimited": true, "max_running": 1})", "unlimited"),
          bad(R"({"max_running": 0})", "max_running"),
          bad(R"({"max_running": -1})", "max_running"),
          bad(R"({"max_running": 1000001})", "max_running"),
          bad(R"({"max_running": 18446744073709551615})", "max_running"),
          bad(R"({"max_running": 1.5})", "max_running"),
          bad(R"({"max_running": "5"})", "max_running"),
          with_number("max_running", not_a_number, "max_running: NaN")};
}

std::vector<BadLimit> bad_of_queues() {
  std::vector<BadLimit> all{bad(R"({"rate": 0})", "rate"),
                            bad(R"({"rate": -1})", "rate"),
                            bad(R"({"rate": 0.0000001})", "rate"),
                            bad(R"({"rate": 1000000.5})", "rate"),
                            bad(R"({"rate": 1e300})", "rate"),
                            bad(R"({"rate": "10"})", "rate"),
                            bad(R"({"rate": 1, "burst": -1})", "burst"),
                            bad(R"({"rate": 1, "burst": 1000001})", "burst"),
                            bad(R"({"rate": 1, "burst": 0.5})", "burst"),
                            bad(R"({"burst": 5})", "burst"),
                            bad(R"({"max": 60, "window_ms": 1000})", "max"),
                            bad(R"({"rate": 1, "window_ms": 1000})", "window_ms"),
                            bad(R"({"rate": 1, "count": "started"})", "count"),
                            bad(R"({"rate": 1, "unlimited": true})", "unlimited"),
                            with_number("rate", not_a_number, "rate: NaN"),
                            with_number("rate", infinity, "rate: infinity"),
                            with_number("rate", minus_infinity, "rate: -infinity")};
  for (BadLimit& more : bad_of_either()) all.push_back(std::move(more));
  return all;
}

std::vector<BadLimit> bad_of_handlers() {
  std::vector<BadLimit> all{bad(R"({"max": 0, "window_ms": 1000})", "max"),
                            bad(R"({"max": -1, "window_ms": 1000})", "max"),
                            bad(R"({"max": 1000001, "window_ms": 1000})", "max"),
                            bad(R"({"max": 1.5, "window_ms": 1000})", "max"),
                            bad(R"({"max": 1, "window_ms": 0})", "window_ms"),
                            bad(R"({"max": 1, "window_ms": -1000})", "window_ms"),
                            bad(R"({"max": 1, "window_ms": 31622400001})", "window_ms"),
                            bad(R"({"max": 1, "window_ms": "60s"})", "window_ms"),
                            bad(R"({"max": 1})", "window_ms"),
                            bad(R"({"window_ms": 1000})", "max"),
                            bad(R"({"max": 1, "window_ms": 1000, "count": "never"})", "count"),
                            bad(R"({"max_running": 1, "count": "started"})", "count"),
                            bad(R"({"rate": 10})", "rate"),
                            bad(R"({"max": 1, "window_ms": 1000, "burst": 1})", "burst"),
                            bad(R"({"max": 1, "window_ms": 1000, "unlimited": true})", "unlimited"),
                            with_number("max", infinity, "max: infinity"),
                            with_number("window_ms", not_a_number, "window_ms: NaN")};
  for (BadLimit& more : bad_of_either()) all.push_back(std::move(more));
  return all;
}

void expect_refused(std::string_view type, const std::string& bytes, const std::string& path,
                    const BadLimit& bad) {
  SCOPED_TRACE(std::string(type) + " " + bad.named);
  const auto error = request_error(type, bytes);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code, ErrorCode::bad_message);
  EXPECT_EQ(error->field, bad.field.empty() ? path : path + "." + bad.field);
  EXPECT_FALSE(error->message.empty());
}

TEST(BadLimits, are_refused_when_an_operator_sets_them_for_a_queue) {
  for (const BadLimit& bad : bad_of_queues()) {
    expect_refused("set_limit",
                   with_value(body(R"({"scope": "queue", "name": "email"})"), "limit", bad.limit), "limit",
                   bad);
  }
}

TEST(BadLimits, are_refused_when_an_operator_sets_them_for_a_handler) {
  for (const BadLimit& bad : bad_of_handlers()) {
    expect_refused("set_limit",
                   with_value(body(R"({"scope": "handler", "name": "send"})"), "limit", bad.limit), "limit",
                   bad);
  }
}

TEST(BadLimits, are_refused_when_a_job_brings_them) {
  const std::string job = body(R"({"handler": "send_email"})");
  for (const BadLimit& bad : bad_of_handlers()) {
    const std::string jobs = packed_list(4) + job + job + job + with_value(job, "limit", bad.limit);
    expect_refused("enqueue", body_with("jobs", jobs), "jobs[3].limit", bad);
  }
}

TEST(BadLimits, are_refused_when_a_worker_declares_them) {
  for (const BadLimit& bad : bad_of_handlers()) {
    const std::string handlers = body_with("send_email", body_with("limit", bad.limit));
    const std::string hello = body(R"({"worker": "w", "session": "0123456789abcdef", "queues": ["q"]})");
    expect_refused("hello", with_value(hello, "handlers", handlers), "handlers.send_email.limit", bad);
  }
}

TEST(GoodLimits, are_taken_from_every_message_that_carries_one) {
  for (const char* limit :
       {R"({"max": 60, "window_ms": 60000})", R"({"max": 60, "window_ms": 60000, "count": "started"})",
        R"({"max": 1, "window_ms": 1, "max_running": 3})", R"({"max_running": 3})", R"({"unlimited": true})",
        R"({"max": 60.0, "window_ms": 1000, "rate": null, "a_later_field": [1]})"}) {
    const std::string of_handler(limit);
    EXPECT_FALSE(request_error("set_limit",
                               body(R"({"scope": "handler", "name": "h", "limit": )" + of_handler + "}")));
    EXPECT_FALSE(
        request_error("enqueue", body(R"({"jobs": [{"handler": "h", "limit": )" + of_handler + "}]}")));
    EXPECT_FALSE(request_error("hello", body(R"({"worker": "w", "session": "0123456789abcdef", )"
                                             R"("queues": ["q"], "handlers": {"h": {"limit": )" +
                                             of_handler + "}}}")));
  }
  for (const char* limit : {R"({"rate": 0.5})", R"({"rate": 10, "burst": 20, "max_running": 5})",
                            R"({"max_running": 3})", R"({"unlimited": true})"}) {
    EXPECT_FALSE(request_error(
        "set_limit", body(R"({"scope": "queue", "name": "q", "limit": )" + std::string(limit) + "}")));
  }
}

}  // namespace
}  // namespace stint::testing
