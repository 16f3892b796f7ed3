// What crosses links, as bytes and back.
#include "nodes/links/link_codec.hpp"

#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "nodes/links/crossing.hpp"
#include "protocol/msgpack_writer.hpp"

namespace stint {
namespace {

using std::chrono::seconds;

// Two nodes whose clocks have nothing in common.
constexpr Instant here{std::chrono::hours(1'000)};
constexpr Instant there{std::chrono::hours(3)};

// Random messages of each kind that only actors say.
class Talk {
 public:
  explicit Talk(std::uint64_t seed) : random_(seed) {}

  std::vector<Message> one_of_each() {
    std::vector<Message> all;
    all.emplace_back(SessionOpened{session(), names(), maybe(number(0, 1'000))});
    all.emplace_back(SessionOpened{session(), names(), std::nullopt});
    all.emplace_back(SessionEnded{session()});
    all.emplace_back(SessionSilent{session()});
    all.emplace_back(delta());
    all.emplace_back(LimiterHead{number(0, 99), bits()});
    all.emplace_back(AskIsNew{ask(), asker()});
    all.emplace_back(AskAnswered{asker()});
    all.emplace_back(Claimed{bits(), number(0, 100), number(0, 99), bits(), refused()});
    all.emplace_back(CheckAsk{ask(), asker()});
    all.emplace_back(SnapshotWanted{});
    all.emplace_back(claim());
    all.emplace_back(Acknowledge{session(), number(0, 1'000)});
    all.emplace_back(BatchDropped{{{number(1, 1 << 30), number(1, 9)}, {number(1, 1 << 30), 1}}});
    return all;
  }

  LimiterDelta delta() {
    LimiterDelta delta{number(0, 99), bits(), flip(), {}, {}};
    for (std::int64_t i = number(0, 5); i > 0; --i)
      delta.counts.push_back({name(), name(), number(0, 1 << 30)});
    for (std::int64_t i = number(0, 5); i > 0; --i) {
      delta.gates.push_back({flip() ? LimitScope::queue : LimitScope::handler, name(), gate()});
    }
    return delta;
  }

  GateState gate() {
    GateState state;
    if (flip()) {
      state.rules.rate = TokenRate{static_cast<double>(number(1, 1'000'000)) / 7, number(1, 1'000'000)};
      state.bucket.emplace(*state.rules.rate, number(0, 1'000'000'000), moment());
    }
    if (flip()) {
      state.rules.window = WindowRule{number(1, 1'000'000), Duration(number(1, 1'000'000'000)),
                                      flip() ? CountPolicy::started : CountPolicy::completed};
      Instant at = moment();
      for (std::int64_t i = number(0, 16); i > 0; --i) {
        at += Duration(number(1, 1'000));
        state.entries.push_back({at, number(1, 1'000)});
      }
    }
    if (flip()) state.rules.max_running = number(1, 1'000'000);
    state.running = number(0, 1'000);
    if (flip()) state.paused_until = flip() ? Gate::for_ever : here + seconds(number(-10, 10'000));
    return state;
  }

 private:
  std::int64_t number(std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random_);
  }
  bool flip() { return number(0, 1) == 1; }
  std::uint64_t bits() { return flip() ? random_() : random_() % 100; }
  std::optional<std::int64_t> maybe(std::int64_t value) {
    return flip() ? std::optional(value) : std::nullopt;
  }
  Instant moment() { return here - Duration(number(0, 3'600'000'000)); }
  std::string name() { return "name-" + std::to_string(number(0, 1'000'000)); }
  SessionId session() {
    SessionId id;
    for (unsigned char& byte : id.bytes) byte = static_cast<unsigned char>(number(0, 255));
    return id;
  }
  std::shared_ptr<const std::vector<std::string>> names() {
    std::vector<std::string> all;
    for (std::int64_t i = number(0, 9); i > 0; --i) all.push_back(name());
    std::sort(all.begin(), all.end());
    return std::make_shared<const std::vector<std::string>>(std::move(all));
  }
  Address asker() {
    return {flip() ? Place::door : Place::worker, bits(), static_cast<NodeNumber>(number(1, 65'535))};
  }
  RequestBatch ask() {
    RequestBatch ask{session(), number(1, 1'000), {}, number(0, 1'000), maybe(7), number(0, 60'000)};
    for (std::int64_t i = number(1, 5); i > 0; --i) ask.queues[name()] = number(1, 100);
    return ask;
  }
  std::vector<RefusedLane> refused() {
    std::vector<RefusedLane> all;
    for (std::int64_t i = number(0, 3); i > 0; --i)
      all.push_back({name(), name(), Duration(number(0, 1 << 30))});
    return all;
  }
  Claim claim() {
    Claim claim{bits(), session(), number(1, 1'000), {{name(), 1}, {name(), 5}}, number(1, 100), {}, flip()};
    for (std::int64_t i = number(0, 4); i > 0; --i) claim.askers.push_back(asker());
    return claim;
  }

  std::mt19937_64 random_;
};

LinkBody sent(Message message, Instant now = here) {
  auto body = encode_for_link(std::move(message), now);
  EXPECT_TRUE(body.has_value());
  return body.value_or(LinkBody{});
}

Result<Message> received(const LinkBody& body, Instant now = there) {
  return decode_from_link(body.kind, body.bytes, now, Bounds{});
}

template <class Kind>
Kind crossed(Message message) {
  auto arrived = received(sent(std::move(message)));
  if (!arrived) {
    ADD_FAILURE() << arrived.error().field << " " << arrived.error().message;
    return {};
  }
  const Kind* kind = std::get_if<Kind>(&*arrived);
  EXPECT_NE(kind, nullptr);
  return kind != nullptr ? *kind : Kind{};
}

TEST(LinkCodec, brings_every_message_across_as_it_was) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    std::vector<Message> first = Talk(seed).one_of_each();
    for (std::size_t at = 0; at < first.size(); ++at) {
      const LinkBody once = sent(first[at]);
      auto arrived = received(once);
      ASSERT_TRUE(arrived.ok()) << once.kind << ": " << arrived.error().field << " "
                                << arrived.error().message;
      EXPECT_EQ(arrived->index(), first[at].index());
      const LinkBody again = sent(std::move(*arrived), there);
      EXPECT_EQ(again.kind, once.kind);
      EXPECT_EQ(again.bytes, once.bytes) << once.kind << ", seed " << seed;
    }
  }
}

TEST(LinkCodec, brings_every_member_across) {
  const Address asker{Place::door, 0xfedcba9876543210, 3};
  Claim claim{0x8000000000000001, {}, 4, {{"email", 2}}, 9, {asker}, true};
  claim.session.bytes.fill(7);

  const Claim arrived = crossed<Claim>(claim);

  EXPECT_EQ(arrived.claim, claim.claim);
  EXPECT_EQ(arrived.session, claim.session);
  EXPECT_EQ(arrived.ask, 4);
  EXPECT_EQ(arrived.queues, claim.queues);
  EXPECT_EQ(arrived.most, 9);
  EXPECT_EQ(arrived.askers, claim.askers);
  EXPECT_TRUE(arrived.is_repeated);
}

TEST(LinkCodec, turns_instants_into_those_of_the_receivers_clock_rule_D10) {
  GateState state;
  state.rules.rate = TokenRate{5, 10};
  state.bucket.emplace(*state.rules.rate, 1'500'000'000, here - seconds(2));
  state.rules.window = WindowRule{3, seconds(60), CountPolicy::completed};
  state.entries = {{here - seconds(50), 1}, {here - seconds(1), 2}};
  state.paused_until = here + seconds(30);
  LimiterDelta delta;
  delta.gates.push_back({LimitScope::queue, "email", state});

  const LimiterDelta arrived = crossed<LimiterDelta>(delta);

  ASSERT_EQ(arrived.gates.size(), 1u);
  ASSERT_TRUE(arrived.gates[0].state.has_value());
  const GateState& seen = *arrived.gates[0].state;
  EXPECT_EQ(seen.rules, state.rules);
  ASSERT_TRUE(seen.bucket.has_value());
  EXPECT_EQ(seen.bucket->at(), there - seconds(2));
  EXPECT_EQ(seen.bucket->level_billionths(), 1'500'000'000);
  EXPECT_EQ(seen.entries, (std::vector<WindowEntries>{{there - seconds(50), 1}, {there - seconds(1), 2}}));
  EXPECT_EQ(seen.paused_until, there + seconds(30));
}

TEST(LinkCodec, keeps_a_pause_without_end_without_end) {
  GateState state;
  state.paused_until = Gate::for_ever;
  LimiterDelta delta;
  delta.gates.push_back({LimitScope::handler, "send_email", state});

  EXPECT_EQ(crossed<LimiterDelta>(delta).gates.at(0).state->paused_until, Gate::for_ever);
}

TEST(LinkCodec, a_snapshot_with_more_values_than_a_clients_message_fits) {
  LimiterDelta delta;
  delta.is_snapshot = true;
  for (int i = 0; i < 60'000; ++i) delta.counts.push_back({"queue-" + std::to_string(i), "handler", i});

  EXPECT_EQ(crossed<LimiterDelta>(delta).counts.size(), 60'000u);
}

TEST(LinkCodec, brings_requests_and_answers_across) {
  Enqueue enqueue;
  enqueue.jobs.resize(2);
  for (NewJob& job : enqueue.jobs) job.handler = "greet";
  Batch batch;
  batch.ask = 3;
  batch.jobs.resize(1);
  batch.jobs[0].id = 77;
  batch.jobs[0].run = 2;
  batch.jobs[0].queue = "default";
  batch.jobs[0].handler = "greet";
  batch.jobs[0].payload = {std::string("\0\xff", 2), false};

  EXPECT_EQ(crossed<Enqueue>(enqueue).jobs.size(), 2u);
  const Batch arrived = crossed<Batch>(batch);
  EXPECT_EQ(arrived.jobs.at(0).id, 77);
  EXPECT_EQ(arrived.jobs.at(0).payload, batch.jobs[0].payload);
}

TEST(LinkCodec, sends_nothing_that_stays_in_its_node) {
  const std::vector<Message> staying = {Started{},     StartRun{},      StopRun{},      RunEnded{},
                                        RunProgress{}, LinkUp{},        LinkDown{},     StopWork{},
                                        LeaseTick{},   WorkerStopped{}, WorkerNotice{}, WorkTick{}};
  for (const Message& message : staying) EXPECT_FALSE(encode_for_link(Message(message), here).has_value());
}

TEST(LinkCodec, knows_no_other_kinds) {
  const std::string empty(1, '\x80');
  for (const std::string kind : {"", "started", "start_run", "link_up", "stop_work", "lease_tick", "claim ",
                                 "Claim", "link", "link_hello"}) {
    const auto decoded = decode_from_link(kind, empty, here, Bounds{});
    ASSERT_FALSE(decoded.ok()) << kind;
    EXPECT_EQ(decoded.error().code, ErrorCode::unknown_type);
  }
}

TEST(LinkCodec, refuses_every_message_that_is_cut_or_followed_by_more) {
  for (Message& message : Talk(5).one_of_each()) {
    const LinkBody body = sent(std::move(message));
    for (std::size_t size = 0; size < body.bytes.size(); ++size) {
      EXPECT_FALSE(received({body.kind, body.bytes.substr(0, size)}).ok()) << body.kind << " of " << size;
    }
    EXPECT_FALSE(received({body.kind, body.bytes + '\xc0'}).ok()) << body.kind;
  }
}

TEST(LinkCodec, survives_damaged_messages) {
  std::mt19937_64 random(11);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    for (Message& message : Talk(seed).one_of_each()) {
      const LinkBody body = sent(std::move(message));
      for (int i = 0; i < 50; ++i) {
        std::string bytes = body.bytes;
        bytes[random() % bytes.size()] = static_cast<char>(random() & 0xff);
        auto decoded = received({body.kind, bytes});
        if (decoded) encode_for_link(std::move(*decoded), there);
      }
    }
  }
}

// A map of these pairs, for faults that no encoder makes.
std::string gate_delta(const std::function<void(MsgpackWriter&)>& write_state) {
  MsgpackWriter writer;
  writer.map(3);
  writer.text("epoch");
  writer.integer(1);
  writer.text("sequence");
  writer.integer(1);
  writer.text("gates");
  writer.list(1);
  writer.map(3);
  writer.text("scope");
  writer.text("queue");
  writer.text("name");
  writer.text("email");
  writer.text("state");
  write_state(writer);
  return writer.take();
}

void write_rate(MsgpackWriter& writer, double per_second, std::int64_t burst) {
  writer.text("rate");
  writer.map(2);
  writer.text("per_second");
  writer.real(per_second);
  writer.text("burst");
  writer.integer(burst);
}

void write_level(MsgpackWriter& writer) {
  writer.text("level");
  writer.map(2);
  writer.text("billionths");
  writer.integer(5);
  writer.text("at");
  writer.integer(-5);
}

TEST(LinkCodec, refuses_gates_that_no_ledger_has) {
  const auto gate = [](double per_second, std::int64_t burst) {
    return gate_delta([=](MsgpackWriter& writer) {
      writer.map(2);
      write_rate(writer, per_second, burst);
      write_level(writer);
    });
  };
  EXPECT_TRUE(received({"limiter_delta", gate(1, 1)}).ok());
  const double infinite = std::numeric_limits<double>::infinity();
  for (const double rate : {0.0, -1.0, 2e6, infinite, std::nan("")}) {
    EXPECT_FALSE(received({"limiter_delta", gate(rate, 1)}).ok()) << rate;
  }
  for (const std::int64_t burst : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1'000'001}}) {
    EXPECT_FALSE(received({"limiter_delta", gate(1, burst)}).ok()) << burst;
  }
  const std::string rate_alone = gate_delta([](MsgpackWriter& writer) {
    writer.map(1);
    write_rate(writer, 1, 1);
  });
  const std::string level_alone = gate_delta([](MsgpackWriter& writer) {
    writer.map(1);
    write_level(writer);
  });
  EXPECT_FALSE(received({"limiter_delta", rate_alone}).ok());
  EXPECT_FALSE(received({"limiter_delta", level_alone}).ok());
}

TEST(LinkCodec, refuses_askers_that_are_no_doors_and_no_workers) {
  for (const Place place :
       {Place::nobody, Place::storage, Place::limiter, Place::server, Place::runner, Place::log}) {
    EXPECT_FALSE(received(sent(Claim{1, {}, 1, {{"email", 1}}, 1, {{place, 1, 2}}})).ok());
  }
}

TEST(LinkCodec, refuses_more_than_its_bounds) {
  Claim many_askers{1, {}, 1, {{"email", 1}}, 1, {}};
  many_askers.askers.resize(65, {Place::door, 1, 2});
  BatchDropped many_runs;
  many_runs.runs.resize(10'001, {1, 1});
  LimiterDelta many_entries;
  GateState state;
  for (int i = 0; i < 17; ++i) state.entries.push_back({here + seconds(i), 1});
  many_entries.gates.push_back({LimitScope::queue, "email", state});

  EXPECT_FALSE(received(sent(many_askers)).ok());
  EXPECT_FALSE(received(sent(many_runs)).ok());
  EXPECT_FALSE(received(sent(many_entries)).ok());
}

TEST(LinkHeaderTest, comes_back_as_it_was) {
  const LinkHeader header{
      0xfedcba9876543210, 1, {Place::door, 0x8000000000000000}, {Place::storage, 5}, "request_batch"};

  const auto decoded = decode_link_header(encode(header));

  ASSERT_TRUE(decoded.has_value());
  EXPECT_EQ(decoded->start, header.start);
  EXPECT_EQ(decoded->for_start, header.for_start);
  EXPECT_EQ(decoded->from, header.from);
  EXPECT_EQ(decoded->to, header.to);
  EXPECT_EQ(decoded->kind, header.kind);
}

TEST(LinkHeaderTest, fits_a_correlation_with_every_kind) {
  for (Message& message : Talk(1).one_of_each()) {
    const LinkBody body = sent(std::move(message));
    EXPECT_LE(encode(LinkHeader{1, 2, {}, {}, std::string(body.kind)}).size(), 64u);
  }
}

TEST(LinkHeaderTest, that_is_cut_or_names_no_place_is_none) {
  const std::string whole = encode(LinkHeader{1, 2, {Place::door, 3}, {Place::storage, 4}, "claim"});
  for (std::size_t size = 0; size + 5 <= whole.size(); ++size) {
    EXPECT_FALSE(decode_link_header(whole.substr(0, size)).has_value()) << size;
  }
  std::string nowhere = whole;
  nowhere[33] = '\x7f';
  EXPECT_FALSE(decode_link_header(nowhere).has_value());
}

TEST(LinkHelloTest, comes_back_as_it_was) {
  const LinkHello hello{1, "limiter-1", 2, false, true, 0xffffffffffffffff, 1, 0x8000000000000000, 9};

  const auto decoded = decode_link_hello(encode(hello));

  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(decoded->name, "limiter-1");
  EXPECT_EQ(decoded->number, 2);
  EXPECT_FALSE(decoded->is_storage);
  EXPECT_TRUE(decoded->is_limiter);
  EXPECT_EQ(decoded->cluster, hello.cluster);
  EXPECT_EQ(decoded->to, 1);
  EXPECT_EQ(decoded->start, hello.start);
  EXPECT_EQ(decoded->opening, 9u);
}

const ClusterNode storage_node{1, "storage", "", true, false};
const ClusterNode limiter_node{2, "limiter-1", "", false, true};

TEST(Crossing, lets_nodes_say_only_what_their_actors_say) {
  const Address storage{Place::storage}, limiter{Place::limiter}, door{Place::door, 5},
      worker{Place::worker, 5};

  EXPECT_TRUE(may_cross(storage, limiter, LimiterHead{}, storage_node));
  EXPECT_FALSE(may_cross(storage, limiter, LimiterHead{}, limiter_node)) << "it is no storage node";
  EXPECT_FALSE(may_cross(limiter, storage, LimiterHead{}, limiter_node));
  EXPECT_FALSE(may_cross(door, limiter, LimiterHead{}, storage_node));

  EXPECT_TRUE(may_cross(limiter, storage, Claim{}, limiter_node));
  EXPECT_FALSE(may_cross(limiter, storage, Claim{}, storage_node)) << "it is no limiter node";
  EXPECT_FALSE(may_cross(door, storage, Claim{}, limiter_node));
  EXPECT_FALSE(may_cross(limiter, limiter, Claim{}, limiter_node));

  EXPECT_TRUE(may_cross(door, storage, BatchDropped{}, limiter_node));
  EXPECT_FALSE(may_cross(door, limiter, BatchDropped{}, limiter_node));

  EXPECT_TRUE(may_cross(door, storage, Enqueue{}, limiter_node));
  EXPECT_TRUE(may_cross(worker, storage, Finish{}, limiter_node));
  EXPECT_TRUE(may_cross(door, limiter, RequestBatch{}, storage_node));
  EXPECT_FALSE(may_cross(door, limiter, Enqueue{}, limiter_node));
  EXPECT_FALSE(may_cross(storage, storage, Enqueue{}, storage_node));
  EXPECT_FALSE(may_cross(door, storage, Ping{}, limiter_node));

  EXPECT_TRUE(may_cross(storage, door, Enqueued{}, storage_node));
  EXPECT_TRUE(may_cross(limiter, worker, Batch{}, limiter_node));
  EXPECT_FALSE(may_cross(storage, door, Enqueued{}, limiter_node));
  EXPECT_FALSE(may_cross(door, door, Enqueued{}, limiter_node));
  EXPECT_FALSE(may_cross(storage, limiter, Enqueued{}, storage_node));

  EXPECT_FALSE(may_cross(storage, limiter, Started{}, storage_node));
  EXPECT_FALSE(may_cross(storage, worker, StopWork{}, storage_node));
}

}  // namespace
}  // namespace stint
