// Malformed bodies of the messages about limits and events: what is told of them.
#include <gtest/gtest.h>

#include "tests/protocol/body.hpp"
#include "tests/protocol/samples.hpp"

namespace stint::testing {
namespace {

void expect_bad(std::string_view type, const std::string& json, const std::string& field,
                const std::string& message) {
  SCOPED_TRACE(std::string(type) + " " + json);
  const auto error = request_error(type, body(json));
  ASSERT_TRUE(error);
  EXPECT_EQ(to_string(error->code), to_string(ErrorCode::bad_message));
  EXPECT_EQ(error->field, field);
  EXPECT_EQ(error->message, message);
}

constexpr const char* named_types[] = {"set_limit", "get_limit", "clear_limit", "pause", "resume"};

// A body of the type, with what else it must have.
std::string naming(std::string_view type, const std::string& scope_and_name) {
  const char* const limit = R"(, "limit": {"max_running": 1})";
  return "{" + scope_and_name + (type == "set_limit" ? limit : "") + "}";
}

TEST(MessagesThatNameALimit, are_refused_without_a_scope_or_name) {
  for (const char* type : named_types) {
    expect_bad(type, naming(type, R"("name": "q")"), "scope", "is required");
    expect_bad(type, naming(type, R"("scope": "queue")"), "name", "is required");
  }
}

TEST(MessagesThatNameALimit, are_refused_with_a_scope_that_is_none) {
  for (const char* type : named_types) {
    expect_bad(type, naming(type, R"("scope": "worker", "name": "q")"), "scope",
               "must be one of queue, handler");
    expect_bad(type, naming(type, R"("scope": 1, "name": "q")"), "scope", "must be text, not an integer");
  }
}

TEST(MessagesThatNameALimit, are_refused_with_a_name_that_is_none_of_its_scope) {
  for (const char* type : named_types) {
    expect_bad(type, naming(type, R"("scope": "queue", "name": "a/b")"), "name", "is not a name of a queue");
    expect_bad(type, naming(type, R"("scope": "queue", "name": "größe")"), "name",
               "is not a name of a queue");
    expect_bad(type, naming(type, R"("scope": "queue", "name": ")" + repeated("q", 129) + "\""), "name",
               "is not a name of a queue");
    expect_bad(type, naming(type, R"("scope": "handler", "name": "a=b")"), "name",
               "is not a name of a handler");
    expect_bad(type, naming(type, R"("scope": "handler", "name": "")"), "name", "must not be empty");
    EXPECT_FALSE(request_error(type, body(naming(type, R"("scope": "handler", "name": "größe")"))));
    EXPECT_FALSE(request_error(type, body(naming(type, R"("scope": "queue", "name": "a:b.c")"))));
  }
}

TEST(SetLimit, is_refused_without_a_limit_or_with_a_source_that_cannot_be_set) {
  expect_bad("set_limit", R"({"scope": "queue", "name": "q"})", "limit", "is required");
  expect_bad("set_limit", R"({"scope": "queue", "name": "q", "limit": 10})", "limit",
             "must be a map, not an integer");
  expect_bad("set_limit", R"({"scope": "queue", "name": "q", "limit": {"rate": 1}, "as": "config"})", "as",
             "must be one of operator, declared");
  expect_bad("set_limit", R"({"scope": "queue", "name": "q", "limit": {"rate": 1}, "if_version": -1})",
             "if_version", "must be 0 to 9007199254740991, not -1");
}

TEST(Pause, is_refused_with_a_length_out_of_range) {
  expect_bad("pause", R"({"scope": "queue", "name": "q", "for_ms": 0})", "for_ms",
             "must be 1 to 315360000000, not 0");
  expect_bad("pause", R"({"scope": "queue", "name": "q", "for_ms": -1})", "for_ms",
             "must be 1 to 315360000000, not -1");
  expect_bad("pause", R"({"scope": "queue", "name": "q", "for_ms": "30s"})", "for_ms",
             "must be an integer, not text");
}

TEST(ClearLimit, is_refused_where_all_is_no_boolean) {
  expect_bad("clear_limit", R"({"scope": "queue", "name": "q", "all": 1})", "all",
             "must be a boolean, not an integer");
}

TEST(ListLimits, is_refused_with_filters_that_are_none) {
  expect_bad("list_limits", R"({"scope": "limit"})", "scope", "must be one of queue, handler");
  expect_bad("list_limits", R"({"limit": 1001})", "limit", "must be 1 to 1000, not 1001");
  expect_bad("list_limits", R"({"cursor": 5})", "cursor", "must be text, not an integer");
}

TEST(ReadEvents, is_refused_with_filters_that_are_none) {
  expect_bad("read_events", R"({"from_seq": -1})", "from_seq", "must be 0 to 9007199254740991, not -1");
  expect_bad("read_events", R"({"max": 0})", "max", "must be 1 to 1000, not 0");
  expect_bad("read_events", R"({"wait_ms": 60001})", "wait_ms", "must be 0 to 60000, not 60001");
  expect_bad("read_events", R"({"queue": "a/b"})", "queue", "is not the name of a queue");
  expect_bad("read_events", R"({"handler": "a b"})", "handler", "is not the name of a handler");
  expect_bad("read_events", R"({"events": "started"})", "events", "must be a list, not text");
  expect_bad("read_events", R"({"events": ["started", "begun"]})", "events[1]",
             "must be one of enqueued, started, completed, failed, snoozed, released, undelivered, lost, "
             "cancelled, requeued, set, cleared, conflict, paused, resumed, reached, freed");
}

TEST(ExplainJob, is_refused_without_an_id) {
  expect_bad("explain_job", "{}", "id", "is required");
  expect_bad("explain_job", R"({"id": 0})", "id", "must be 1 to 9007199254740991, not 0");
}

std::string finish_with_pause(const std::string& pause) {
  return R"({"session": "0123456789abcdef", "got": 1, "results": [
      {"id": 1, "run": 1, "outcome": "snoozed", "pause": )" +
         pause + "}]}";
}

// The fault of the finish's only result.
Finish::Faulty faulty_result(const std::string& pause) {
  const auto read = decode_request("finish", body(finish_with_pause(pause)), Bounds{});
  EXPECT_TRUE(read.ok());
  const Finish& finish = std::get<Finish>(read->request);
  return finish.faulty.empty() ? Finish::Faulty{} : finish.faulty.front();
}

TEST(PauseOfAResult, rejects_the_result_when_it_is_malformed) {
  EXPECT_EQ(faulty_result(R"({"scope": "handler"})").field, "results[0].pause.for_ms");
  EXPECT_EQ(faulty_result(R"({"for_ms": 1000})").field, "results[0].pause.scope");
  EXPECT_EQ(faulty_result(R"({"scope": "worker", "for_ms": 1})").field, "results[0].pause.scope");
  EXPECT_EQ(faulty_result(R"({"scope": "handler", "for_ms": 0})").field, "results[0].pause.for_ms");
  EXPECT_EQ(faulty_result(R"({"scope": "handler", "for_ms": "30s"})").field, "results[0].pause.for_ms");
  EXPECT_EQ(faulty_result(R"({"scope": "queue", "for_ms": 30000})").field, "");
}

TEST(EventMessages, are_published_in_the_form_in_which_they_are_read) {
  EventMessage sent;
  sent.seq = 7;
  sent.prev = 5;
  sent.log = "a1b2";
  sent.at_ms = 1'000;
  sent.event = EventKind::failed;
  sent.queue = "email";
  EventItem item;
  item.job = 3;
  item.handler = "send";
  item.run = 2;
  item.attempt = 1;
  item.next = EventNext::retry;
  sent.items = {item};
  const std::string answer = packed_map(4) + packed_text("events") + packed_list(1) + encode(sent) +
                             packed_text("next_seq") + "\x08" + packed_text("oldest_seq") + "\x01" +
                             packed_text("log") + packed_text("a1b2");
  const auto read = decode_answer("events", answer, Bounds{});
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(std::get<Events>(*read).events.front(), sent);
}

TEST(Topics, name_queue_and_event_or_scope_name_and_event) {
  EventMessage of_jobs;
  of_jobs.event = EventKind::started;
  of_jobs.queue = "email";
  EXPECT_EQ(topic_of(of_jobs), "job/email/started");
  EventMessage of_limit;
  of_limit.event = EventKind::reached;
  of_limit.scope = LimitScope::handler;
  of_limit.name = "send_email";
  EXPECT_EQ(topic_of(of_limit), "limit/handler/send_email/reached");
}

}  // namespace
}  // namespace stint::testing
