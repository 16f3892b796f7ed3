#include <gtest/gtest.h>

#include "nodes/cli/base64.hpp"
#include "nodes/cli/job_lines.hpp"

namespace stint {
namespace {

NewJob job_of(std::string_view line, const NewJob& defaults = {}) {
  const auto job = parse_job_line(line, defaults);
  EXPECT_TRUE(job.ok()) << line << ": " << (job ? "" : job.error().message);
  return job ? *job : NewJob{};
}

std::string field_of_fault(std::string_view line) {
  const auto job = parse_job_line(line, NewJob{});
  return job ? "none" : job.error().field;
}

TEST(JobLine, is_a_job_of_the_wire) {
  const NewJob job =
      job_of(R"({"handler": "h", "queue": "q", "priority": 2, "delay_ms": 1500, "max_attempts": 3,
    "timeout_ms": 20, "backoff": {"first_ms": 5, "factor": 1.5, "cap_ms": 9, "jitter": 0}, "meta": {"k": "v"}})");
  EXPECT_EQ(job.handler, "h");
  EXPECT_EQ(job.queue, "q");
  EXPECT_EQ(job.priority, 2);
  EXPECT_EQ(job.delay_ms, 1'500);
  EXPECT_EQ(job.max_attempts, 3);
  EXPECT_EQ(job.timeout_ms, 20);
  EXPECT_EQ(job.backoff, (Backoff{.first_ms = 5, .factor = 1.5, .cap_ms = 9, .jitter = 0.0}));
  EXPECT_EQ(job.meta, (Meta{{"k", "v"}}));
}

TEST(JobLine, takes_durations_as_people_write_them) {
  const NewJob job =
      job_of(R"({"handler":"h","delay":"2m","timeout":"30s","backoff":{"first":"1s","cap":"1h"}})");
  EXPECT_EQ(job.delay_ms, 120'000);
  EXPECT_EQ(job.timeout_ms, 30'000);
  EXPECT_EQ(job.backoff->first_ms, 1'000);
  EXPECT_EQ(job.backoff->cap_ms, 3'600'000);
  EXPECT_EQ(job_of(R"({"handler":"h","delay_ms":"5s"})").delay_ms, 5'000);
}

TEST(JobLine, keeps_a_string_payload_as_it_is) {
  EXPECT_EQ(job_of(R"({"handler":"h","payload":"a\n\"b\" \u00e9"})").payload, (Payload{"a\n\"b\" é", true}));
}

TEST(JobLine, keeps_any_other_payload_as_its_text) {
  for (const char* json :
       {R"({"b": 1,  "a": [1.0, 2]})", "[ ]", "17", "-1.50", "true", "null", R"({"x":"}],\"{"})"}) {
    const std::string line = R"({ "payload" : )" + std::string(json) + R"( , "handler":"h" })";
    EXPECT_EQ(job_of(line).payload, (Payload{json, true})) << line;
  }
}

TEST(JobLine, keeps_numbers_in_a_payload_that_no_double_holds) {
  EXPECT_EQ(job_of(R"({"handler":"h","payload":[12345678901234567890123, 1.10]})").payload.bytes,
            "[12345678901234567890123, 1.10]");
}

TEST(JobLine, takes_bytes_as_base64) {
  EXPECT_EQ(job_of(R"({"handler":"h","payload_base64":"AP8Q"})").payload,
            (Payload{std::string("\0\xff\x10", 3), false}));
}

TEST(JobLine, takes_from_the_command_line_what_it_leaves_out) {
  NewJob defaults;
  defaults.handler = "d";
  defaults.queue = "dq";
  defaults.run_at_ms = 5;
  EXPECT_EQ(job_of("{}", defaults).handler, "d");
  EXPECT_EQ(job_of("{}", defaults).queue, "dq");
  EXPECT_EQ(job_of("{}", defaults).run_at_ms, 5);
  const NewJob delayed = job_of(R"({"delay":"1s","handler":"h"})", defaults);
  EXPECT_EQ(delayed.handler, "h");
  EXPECT_FALSE(delayed.run_at_ms.has_value());
}

TEST(JobLine, is_refused_with_the_field_that_is_wrong) {
  EXPECT_EQ(field_of_fault(R"({})"), "handler");
  EXPECT_EQ(field_of_fault(R"({"handler":5})"), "handler");
  EXPECT_EQ(field_of_fault(R"({"handler":"a b"})"), "handler");
  EXPECT_EQ(field_of_fault(R"({"handler":"h","queue":"a b"})"), "queue");
  EXPECT_EQ(field_of_fault(R"({"handler":"h","priority":10})"), "priority");
  EXPECT_EQ(field_of_fault(R"({"handler":"h","priority":1.5})"), "priority");
  EXPECT_EQ(field_of_fault(R"({"handler":"h","priority":"1"})"), "priority");
  EXPECT_EQ(field_of_fault(R"({"handler":"h","max_attempts":18446744073709551615})"), "max_attempts");
  EXPECT_EQ(field_of_fault(R"({"handler":"h","delay":5})"), "delay");
  EXPECT_EQ(field_of_fault(R"({"handler":"h","delay":"soon"})"), "delay");
  EXPECT_EQ(field_of_fault(R"({"handler":"h","delay_ms":-1})"), "delay_ms");
  EXPECT_EQ(field_of_fault(R"({"handler":"h","timeout":"0s"})"), "timeout");
  EXPECT_EQ(field_of_fault(R"({"handler":"h","meta":{"k":1}})"), "meta.k");
  EXPECT_EQ(field_of_fault(R"({"handler":"h","meta":[]})"), "meta");
  EXPECT_EQ(field_of_fault(R"({"handler":"h","backoff":{"factor":0.5}})"), "backoff.factor");
  EXPECT_EQ(field_of_fault(R"({"handler":"h","backoff":{"x":1}})"), "backoff.x");
  EXPECT_EQ(field_of_fault(R"({"handler":"h","payload_base64":"AP8"})"), "payload_base64");
  EXPECT_EQ(field_of_fault(R"({"handler":"h","prioritty":1})"), "prioritty");
  EXPECT_EQ(field_of_fault(R"({"handler":"h","unique":{"key":"k"}})"), "unique");
}

TEST(JobLine, is_refused_when_it_says_a_thing_twice) {
  EXPECT_EQ(field_of_fault(R"({"handler":"h","handler":"i"})"), "handler");
  EXPECT_EQ(field_of_fault(R"({"handler":"h","payload":"a","payload_base64":"AA=="})"), "payload_base64");
  EXPECT_EQ(field_of_fault(R"({"handler":"h","delay":"1s","delay_ms":5})"), "delay_ms");
  EXPECT_EQ(field_of_fault(R"({"handler":"h","delay":"1s","run_at_ms":5})"), "run_at_ms");
}

TEST(JobLine, is_refused_when_it_is_no_json_object) {
  for (const char* line :
       {"{", "[]", "17", "{\"handler\":\"h\"} x", "{'handler':'h'}", "\x80", "{\"handler\":\"\xff\"}"}) {
    const auto job = parse_job_line(line, NewJob{});
    ASSERT_FALSE(job.ok()) << line;
    EXPECT_FALSE(job.error().message.empty());
  }
}

TEST(Base64, goes_there_and_back_for_every_length) {
  std::string bytes;
  for (int i = 0; i < 70; ++i) {
    EXPECT_EQ(from_base64(to_base64(bytes)), bytes);
    bytes += static_cast<char>(i * 37);
  }
  EXPECT_EQ(to_base64("Man"), "TWFu");
  EXPECT_EQ(to_base64("Ma"), "TWE=");
  EXPECT_EQ(to_base64("M"), "TQ==");
}

TEST(Base64, is_refused_when_it_is_none) {
  for (const char* text : {"A", "AA", "AAA", "AA=A", "====", "A===", "AA-_", "AB==", "AAAA=", "AA ="}) {
    EXPECT_FALSE(from_base64(text).has_value()) << text;
  }
}

TEST(JobLine, may_bring_a_limit_of_its_handler) {
  const auto limit_of = [](const std::string& limit) {
    return job_of(R"({"handler": "h", "limit": )" + limit + "}").limit.value_or(Limit{});
  };
  EXPECT_EQ(limit_of(R"("60/1m")").max, 60);
  EXPECT_EQ(limit_of(R"("60/1m")").window_ms, 60'000);
  const Limit whole = limit_of(R"({"max": 5, "window": "2s", "count": "started", "max_running": 3})");
  EXPECT_EQ(whole.max, 5);
  EXPECT_EQ(whole.window_ms, 2'000);
  EXPECT_EQ(whole.count, CountPolicy::started);
  EXPECT_EQ(whole.max_running, 3);
  EXPECT_EQ(limit_of(R"({"max": 5, "window_ms": 250})").window_ms, 250);
  EXPECT_TRUE(limit_of(R"({"unlimited": true})").unlimited);
}

TEST(JobLine, is_refused_with_a_limit_that_nobody_may_set) {
  const auto fault_of_limit = [](const std::string& limit) {
    return field_of_fault(R"({"handler": "h", "limit": )" + limit + "}");
  };
  EXPECT_EQ(fault_of_limit(R"({"max": 0, "window": "1s"})"), "limit.max");
  EXPECT_EQ(fault_of_limit(R"({"max": 1.5, "window": "1s"})"), "limit.max");
  EXPECT_EQ(fault_of_limit(R"({"max": 1})"), "limit.window");
  EXPECT_EQ(fault_of_limit(R"({"max": 1, "window": "0s"})"), "limit.window");
  EXPECT_EQ(fault_of_limit(R"({"max": 1, "window": 60})"), "limit.window");
  EXPECT_EQ(fault_of_limit(R"({"max": 1, "window": "1s", "count": "all"})"), "limit.count");
  EXPECT_EQ(fault_of_limit(R"({"rate": 10})"), "limit.rate");
  EXPECT_EQ(fault_of_limit(R"({"max_running": 0})"), "limit.max_running");
  EXPECT_EQ(fault_of_limit(R"({"max_running": 1, "unlimited": true})"), "limit.unlimited");
  EXPECT_EQ(fault_of_limit(R"({"unlimited": 1})"), "limit.unlimited");
  EXPECT_EQ(fault_of_limit("{}"), "limit");
  EXPECT_EQ(fault_of_limit("60"), "limit");
  EXPECT_EQ(fault_of_limit(R"("60/min")"), "limit");
  EXPECT_EQ(fault_of_limit(R"("0/60s")"), "limit.max");
}

}  // namespace
}  // namespace stint
