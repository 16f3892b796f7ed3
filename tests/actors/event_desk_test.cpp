// Reading the log of events. An actor that has nothing but a desk writes the log turn by turn; each commit is
// a chunk of its own.
#include "actors/storage/event_desk.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <random>

#include "actors/kernel/actor_system.hpp"
#include "protocol/codec.hpp"
#include "tests/support/memory_store.hpp"

namespace stint {
namespace {

class DeskActor : public Handles<DeskActor, Started, ReadEvents, EventTick> {
 public:
  explicit DeskActor(Store& store) : state(store, {}) {
    EXPECT_TRUE(store.header().ok());
    state.events().continue_after(store.header()->event_seq, "a1b2");
  }

  void on(Started&&, Turn&) {}
  template <class Any>
  void on(Any&& message, Turn& turn) {
    desk.on(std::forward<Any>(message), turn);
  }
  void before_commit(Turn& turn) override {
    if (state.events().empty()) return;
    const EventChunk chunk = state.events().flush(turn.wall_now()).chunk;
    state.store.append_events(chunk);
    desk.answer_news(chunk, turn);
  }
  void rolled_back(Turn& turn) override {
    desk.answer_all({ErrorCode::storage_unavailable, "the disk is full"}, turn);
  }

  StorageState state;
  EventDesk desk{state};
};

class EventDeskBench : public testing::Test {
 protected:
  EventDeskBench() {
    system_.host(Place::storage, actor_);
    turn();
  }

  void turn() {
    system_.run(now_, 1'700'000'000'000);
    if (store_.has_changes() && !store_.commit(now_, 0)) {
      system_.rolled_back(now_, 1'700'000'000'000);
      return take_outgoing();
    }
    take_outgoing();
  }
  void pass_ms(std::int64_t ms) {
    const Instant end = now_ + from_ms(ms);
    while (system_.next_deadline() && *system_.next_deadline() <= end) {
      now_ = std::max(now_, *system_.next_deadline());
      turn();
    }
    now_ = end;
  }

  EventBuilder& events() { return actor_.state.events(); }
  // What the next turn commits.
  void say(EventKind kind, const std::string& queue, JobId job, const std::string& handler = "send") {
    events().add(kind, queue, {.job = job, .handler = handler});
  }
  // So many messages, each in a commit of its own, numbered on.
  void write(int messages) {
    for (; messages > 0; --messages) {
      say(EventKind::enqueued, "email", 1);
      turn();
    }
  }

  std::uint64_t ask_for(ReadEvents request) {
    EXPECT_TRUE(system_.post({{Place::door, ++asked_}, {Place::storage}, std::move(request)}));
    return asked_;
  }
  Events read(ReadEvents request) {
    const auto number = ask_for(std::move(request));
    turn();
    return answer(number);
  }
  Error refused(ReadEvents request) {
    const auto number = ask_for(std::move(request));
    turn();
    return error(number);
  }
  bool answered(std::uint64_t number) const { return answers_.contains(number); }
  Events answer(std::uint64_t number) {
    if (!answered(number)) return ADD_FAILURE() << "no answer came", Events{};
    const auto* events = std::get_if<Events>(&answers_.at(number));
    return events != nullptr ? *events : (ADD_FAILURE() << "an error came", Events{});
  }
  Error error(std::uint64_t number) {
    if (!answered(number)) return ADD_FAILURE() << "no answer came", Error{};
    const auto* error = std::get_if<Error>(&answers_.at(number));
    return error != nullptr ? *error : (ADD_FAILURE() << "no error came", Error{});
  }

  static ReadEvents from(std::int64_t seq, std::int64_t wait_ms = 0) {
    ReadEvents request;
    request.from_seq = seq;
    request.wait_ms = wait_ms;
    return request;
  }
  static ReadEvents from_now(std::int64_t wait_ms = 0) {
    ReadEvents request;
    request.wait_ms = wait_ms;
    return request;
  }
  static std::vector<std::int64_t> seqs(const Events& events) {
    std::vector<std::int64_t> seqs;
    for (const EventMessage& message : events.events) seqs.push_back(message.seq);
    return seqs;
  }
  // Read on and on until nothing more comes; how many answers it took.
  int read_all(ReadEvents request, std::vector<EventMessage>& all) {
    for (int answers = 1; answers < 100'000; ++answers) {
      const Events page = read(request);
      all.insert(all.end(), page.events.begin(), page.events.end());
      if (page.next_seq == request.from_seq) return answers;
      request.from_seq = page.next_seq;
    }
    ADD_FAILURE() << "reading comes to no end";
    return 0;
  }

  test::MemoryDisk disk_;
  test::MemoryStore store_{disk_};
  DeskActor actor_{store_};

 private:
  void take_outgoing() {
    for (Envelope& envelope : system_.take_outgoing()) {
      EXPECT_TRUE(answers_.emplace(envelope.to.id, std::move(envelope.message)).second) << "answered twice";
    }
  }

  ActorSystem system_{7};
  Instant now_{std::chrono::hours(1)};
  std::uint64_t asked_ = 0;
  std::map<std::uint64_t, Message> answers_;
};

using EventDeskReading = EventDeskBench;
using EventDeskWaiting = EventDeskBench;
using Seqs = std::vector<std::int64_t>;

// --- Which events ---

TEST_F(EventDeskReading, gives_the_log_from_a_number_on) {
  write(5);
  const Events page = read(from(3));
  EXPECT_EQ(seqs(page), (Seqs{3, 4, 5}));
  EXPECT_EQ(page.next_seq, 6);
  EXPECT_EQ(page.oldest_seq, 1);
  EXPECT_EQ(page.log, "a1b2");
  EXPECT_EQ(page.events[0].log, "a1b2");
  EXPECT_EQ(page.events[0].prev, 2);
}

TEST_F(EventDeskReading, without_a_number_gives_what_comes_from_now_on) {
  write(5);
  const Events page = read(from_now());
  EXPECT_TRUE(page.events.empty());
  EXPECT_EQ(page.next_seq, 6);
  EXPECT_EQ(page.oldest_seq, 1);
}

TEST_F(EventDeskReading, from_zero_gives_all_that_is_kept) {
  write(5);
  disk_.events.erase(disk_.events.begin());
  EXPECT_EQ(seqs(read(from(0))), (Seqs{2, 3, 4, 5}));
}

TEST_F(EventDeskReading, an_empty_log_gives_its_first_number) {
  const Events page = read(from(1));
  EXPECT_TRUE(page.events.empty());
  EXPECT_EQ(page.next_seq, 1);
  EXPECT_EQ(page.oldest_seq, 1);
}

TEST_F(EventDeskReading, goes_on_inside_a_chunk) {
  for (const char* queue : {"a", "b", "c"}) say(EventKind::enqueued, queue, 1);
  turn();
  ReadEvents request = from(1);
  request.max = 2;
  EXPECT_EQ(seqs(read(request)), (Seqs{1, 2}));
  EXPECT_EQ(read(request).next_seq, 3);
  EXPECT_EQ(seqs(read(from(3))), Seqs{3});
}

// --- Filters ---

TEST_F(EventDeskReading, of_a_queue_leaves_out_all_others) {
  say(EventKind::enqueued, "email", 1);
  say(EventKind::enqueued, "other", 2);
  events().add_limit(EventKind::paused, LimitScope::queue, "email");
  events().add_limit(EventKind::paused, LimitScope::queue, "other");
  events().add_limit(EventKind::paused, LimitScope::handler, "email");
  turn();
  ReadEvents request = from(1);
  request.queue = "email";
  const Events page = read(request);
  EXPECT_EQ(seqs(page), (Seqs{1, 3}));
  EXPECT_EQ(page.next_seq, 6);
}

TEST_F(EventDeskReading, of_a_handler_leaves_out_other_jobs_of_a_message) {
  say(EventKind::enqueued, "email", 1, "send");
  say(EventKind::enqueued, "email", 2, "other");
  say(EventKind::enqueued, "email", 3, "send");
  say(EventKind::started, "email", 2, "other");
  events().add_limit(EventKind::paused, LimitScope::handler, "send");
  events().add_limit(EventKind::paused, LimitScope::queue, "send");
  turn();
  ReadEvents request = from(1);
  request.handler = "send";
  const Events page = read(request);
  ASSERT_EQ(seqs(page), (Seqs{1, 3}));
  ASSERT_EQ(page.events[0].items.size(), 2u);
  EXPECT_EQ(page.events[0].items[0].job, 1);
  EXPECT_EQ(page.events[0].items[1].job, 3);
}

TEST_F(EventDeskReading, of_some_kinds_leaves_out_all_others) {
  say(EventKind::enqueued, "email", 1);
  say(EventKind::started, "email", 1);
  say(EventKind::completed, "email", 1);
  turn();
  ReadEvents request = from(1);
  request.events = {EventKind::started, EventKind::failed};
  EXPECT_EQ(seqs(read(request)), Seqs{2});
}

// --- What is not there ---

TEST_F(EventDeskReading, what_is_no_longer_kept_is_gone_and_told_what_is) {
  write(5);
  disk_.events.erase(disk_.events.begin(), disk_.events.find(4));
  const Error error = refused(from(3));
  EXPECT_EQ(error.code, ErrorCode::gone);
  EXPECT_EQ(error.field, "from_seq");
  EXPECT_NE(error.message.find("oldest_seq is 4"), std::string::npos) << error.message;
  EXPECT_EQ(seqs(read(from(4))), (Seqs{4, 5}));
}

TEST_F(EventDeskReading, another_log_is_gone) {
  write(1);
  ReadEvents request = from(1);
  request.log = "ffff";
  EXPECT_EQ(refused(request).code, ErrorCode::gone);
  EXPECT_EQ(refused(request).field, "log");
  request.log = "a1b2";
  EXPECT_EQ(seqs(read(request)), Seqs{1});
}

TEST_F(EventDeskReading, a_number_beyond_the_next_is_of_another_history_and_gone) {
  write(5);
  EXPECT_EQ(refused(from(7, 1'000)).code, ErrorCode::gone);
  EXPECT_EQ(read(from(6)).next_seq, 6);
}

TEST_F(EventDeskReading, tells_when_the_store_cannot_be_read) {
  write(1);
  store_.fail_reads(1);
  EXPECT_EQ(refused(from(1)).code, ErrorCode::storage_unavailable);
}

// --- Bounds ---

TEST_F(EventDeskReading, an_answer_fits_a_message_however_much_there_is) {
  const std::string handler(255, 'h');
  const std::string worker(128, 'w');
  const SessionId id{{9}};
  const EventSession session{id, worker};
  for (int chunk = 0; chunk < 20; ++chunk) {
    for (JobId job = 1; job <= 3'000; ++job) {
      events().add(EventKind::failed, "q", {job << 30, handler, 1 << 20, 7, &session, EventNext::retry});
    }
    turn();
  }
  std::int64_t next = 1;
  for (int answers = 1; next <= 60; ++answers) {
    const Events page = read(from(next));
    ASSERT_LE(answers, 60);
    for (const std::int64_t seq : seqs(page)) EXPECT_EQ(seq, next++);
    EXPECT_EQ(page.next_seq, next);
    const std::string body = encode(Answer(page));
    EXPECT_LE(std::ssize(body), Bounds::message_bytes);
    const auto decoded = decode_answer("events", body, Bounds{});
    EXPECT_TRUE(decoded.ok()) << (decoded ? "" : decoded.error().message);
  }
}

TEST_F(EventDeskReading, looks_at_a_bounded_part_of_the_log_a_request) {
  write(2'000);
  ReadEvents request = from(1, 10'000);
  request.queue = "nobody";
  const Events page = read(request);
  EXPECT_TRUE(page.events.empty());
  EXPECT_GT(page.next_seq, 1);
  EXPECT_LT(page.next_seq, 2'001);
}

// Whatever the filters and wherever an answer ends, each event is read once, in order.
TEST_F(EventDeskReading, goes_on_without_gap_or_repetition) {
  std::mt19937_64 random(11);
  const auto any = [&random](auto... choices) {
    const std::vector<std::common_type_t<decltype(choices)...>> list{choices...};
    return list[random() % list.size()];
  };
  for (int turns = 0; turns < 400; ++turns) {
    for (auto left = random() % 6; left > 0; --left) {
      say(any(EventKind::enqueued, EventKind::started), any("a", "b"), static_cast<JobId>(random() % 9),
          any("send", "other"));
    }
    if (random() % 5 == 0) events().add_limit(EventKind::paused, LimitScope::queue, any("a", "b"));
    turn();
  }
  std::vector<EventMessage> log;
  ReadEvents everything = from(1);
  read_all(everything, log);
  ASSERT_EQ(std::ssize(log), events().last_seq());

  for (int round = 0; round < 60; ++round) {
    ReadEvents request = from(1 + static_cast<std::int64_t>(random() % 100));
    request.queue = any("", "a", "b");
    request.handler = any("", "send");
    if (random() % 2 == 0) request.events = {any(EventKind::enqueued, EventKind::paused)};
    request.max = static_cast<std::int64_t>(any(1, 7, 1'000));
    std::vector<EventMessage> wanted;
    for (EventMessage message : log) {
      if (message.seq < *request.from_seq) continue;
      if (!request.events.empty() && message.event != request.events.front()) continue;
      if (message.scope) {
        if (request.queue == message.name || (request.queue.empty() && request.handler.empty())) {
          wanted.push_back(message);
        }
        continue;
      }
      if (!request.queue.empty() && message.queue != request.queue) continue;
      std::erase_if(message.items, [&](const EventItem& item) {
        return !request.handler.empty() && item.handler != request.handler;
      });
      if (!message.items.empty()) wanted.push_back(message);
    }
    std::vector<EventMessage> got;
    read_all(request, got);
    EXPECT_EQ(got, wanted);
  }
}

// --- Waiting ---

TEST_F(EventDeskWaiting, a_reader_at_the_end_is_answered_with_the_next_turn_that_writes) {
  write(3);
  const auto reader = ask_for(from(4, 10'000));
  turn();
  EXPECT_FALSE(answered(reader));
  write(1);
  EXPECT_EQ(seqs(answer(reader)), Seqs{4});
  EXPECT_EQ(answer(reader).next_seq, 5);
}

TEST_F(EventDeskWaiting, a_reader_of_what_comes_is_told_of_the_turn_in_which_it_asked) {
  const auto reader = ask_for(from_now(10'000));
  write(1);
  EXPECT_EQ(seqs(answer(reader)), Seqs{1});
}

TEST_F(EventDeskWaiting, a_reader_is_not_answered_with_what_its_filters_drop) {
  ReadEvents request = from(1, 10'000);
  request.queue = "other";
  const auto reader = ask_for(request);
  write(3);
  EXPECT_FALSE(answered(reader));
  say(EventKind::enqueued, "other", 1);
  turn();
  EXPECT_EQ(seqs(answer(reader)), Seqs{4});
}

TEST_F(EventDeskWaiting, ends_with_an_empty_answer_that_goes_on_behind_what_was_dropped) {
  ReadEvents request = from(1, 1'000);
  request.queue = "other";
  const auto reader = ask_for(request);
  write(3);
  pass_ms(900);
  EXPECT_FALSE(answered(reader));
  pass_ms(150);
  EXPECT_TRUE(answer(reader).events.empty());
  EXPECT_EQ(answer(reader).next_seq, 4);
  EXPECT_EQ(actor_.desk.parked(), 0u);
}

TEST_F(EventDeskWaiting, each_reader_waits_for_its_own_time) {
  const auto longer = ask_for(from(1, 2'000));
  const auto shorter = ask_for(from(1, 1'000));
  turn();
  pass_ms(1'500);
  EXPECT_TRUE(answered(shorter));
  EXPECT_FALSE(answered(longer));
  pass_ms(1'000);
  EXPECT_TRUE(answered(longer));
}

TEST_F(EventDeskWaiting, an_answer_may_end_inside_what_a_turn_wrote) {
  ReadEvents request = from(1, 10'000);
  request.max = 2;
  const auto reader = ask_for(request);
  turn();
  for (const char* queue : {"a", "b", "c"}) say(EventKind::enqueued, queue, 1);
  turn();
  EXPECT_EQ(seqs(answer(reader)), (Seqs{1, 2}));
  request.from_seq = answer(reader).next_seq;
  EXPECT_EQ(seqs(read(request)), Seqs{3});
}

TEST_F(EventDeskWaiting, more_readers_than_may_wait_are_told_to_come_back) {
  for (std::size_t reader = 0; reader < EventDesk::most_parked; ++reader) ask_for(from_now(10'000));
  turn();
  EXPECT_EQ(actor_.desk.parked(), EventDesk::most_parked);
  const Error error = refused(from_now(10'000));
  EXPECT_EQ(error.code, ErrorCode::overloaded);
  EXPECT_TRUE(error.retry_in_ms);
  EXPECT_EQ(read(from_now(0)).next_seq, 1);
  write(1);
  EXPECT_EQ(actor_.desk.parked(), 0u);
}

TEST_F(EventDeskWaiting, a_commit_that_fails_tells_readers_nothing_of_it) {
  const auto reader = ask_for(from_now(10'000));
  turn();
  const auto other = ask_for(from_now(10'000));
  say(EventKind::enqueued, "email", 1);
  store_.fail_commits(1);
  turn();
  EXPECT_FALSE(answered(reader));
  EXPECT_FALSE(answered(other));
  EXPECT_EQ(actor_.desk.parked(), 0u);
}

TEST_F(EventDeskWaiting, ends_with_an_error_when_memory_is_rebuilt) {
  const auto reader = ask_for(from_now(10'000));
  turn();
  store_.put_topic({"job/a/enqueued", 1});
  store_.fail_commits(1);
  turn();
  EXPECT_EQ(error(reader).code, ErrorCode::storage_unavailable);
}

}  // namespace
}  // namespace stint
