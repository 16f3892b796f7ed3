// What a node records is read again as it was.
#include "nodes/record/recording.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

#include "nodes/record/recorded_message.hpp"
#include "nodes/record/recorder.hpp"

namespace stint {
namespace {

constexpr Instant now{std::chrono::seconds(5'000)};

template <class Part>
Part again(const Part& part) {
  const RecordedBody body = record(Message(part), now);
  auto message = message_of(body.kind, body.bytes, now);
  if (!message) return ADD_FAILURE() << message.error().message, Part{};
  const Part* same = std::get_if<Part>(&*message);
  if (same == nullptr) return ADD_FAILURE() << "another kind of message", Part{};
  return *same;
}

TEST(RecordedMessage, keeps_what_of_a_finish_could_not_be_read_and_where_the_rest_stood) {
  Finish finish;
  finish.got = 7;
  RunResult& result = finish.results.emplace_back();
  result.id = 4;
  result.run = 2;
  result.outcome = Outcome::failed;
  result.error = RunError{"exit", "status 1", ""};
  finish.positions = {3};
  finish.faulty.push_back({1, ErrorCode::too_large, "results[1].result", "is too large"});
  const Finish read = again(finish);
  EXPECT_EQ(read.got, 7);
  EXPECT_EQ(read.results.at(0).error->message, "status 1");
  EXPECT_EQ(read.positions, finish.positions);
  ASSERT_EQ(read.faulty.size(), 1U);
  EXPECT_EQ(read.faulty[0].at, 1);
  EXPECT_EQ(read.faulty[0].code, ErrorCode::too_large);
  EXPECT_EQ(read.faulty[0].field, "results[1].result");
}

TEST(RecordedMessage, keeps_what_a_runner_says) {
  RunResult result;
  result.id = 9;
  result.run = 1;
  result.result = Payload{"bytes", true};
  EXPECT_EQ(again(RunEnded{result}).result.result->bytes, "bytes");
  EXPECT_EQ(again(RunProgress{{9, 1}, 40}).progress, 40);
  again(StopWork{});
}

TEST(RecordedMessage, keeps_whose_link_it_was) {
  EXPECT_EQ(again(LinkUp{3}).peer, 3);
  EXPECT_EQ(again(LinkDown{4}).peer, 4);
}

TEST(RecordedMessage, keeps_instants_to_the_microsecond) {
  LimiterDelta delta;
  delta.epoch = 1;
  delta.sequence = 2;
  GateState state;
  state.paused_until = now + Duration(1'234'567);
  delta.gates.push_back({LimitScope::handler, "send", state});
  EXPECT_EQ(again(delta).gates.at(0).state->paused_until, now + Duration(1'234'567));
}

TEST(RecordedMessage, tells_apart_what_leaves_with_another_body_or_to_another_place) {
  const Envelope one{{}, {Place::door, 7}, Enqueued{{1, 2}, {}}};
  const Envelope body{{}, {Place::door, 7}, Enqueued{{1, 3}, {}}};
  const Envelope place{{}, {Place::door, 8}, Enqueued{{1, 2}, {}}};
  EXPECT_EQ(line_of(one, now), line_of(one, now));
  EXPECT_NE(line_of(one, now), line_of(body, now));
  EXPECT_NE(line_of(one, now), line_of(place, now));
}

struct RecordingFile : ::testing::Test {
  RecordingFile() {
    start.version = "1.2.3";
    start.config_text = "[node]\n";
    start.name = "server";
    start.seed = ~std::uint64_t{0};
    start.session.bytes[15] = 9;
    start.storage.now = now;
    start.storage.boot_id = "boot";
  }
  ~RecordingFile() override { std::filesystem::remove(file); }

  void record_a_turn() {
    auto recorder = Recorder::open(file, start, log);
    ASSERT_TRUE(recorder);
    (*recorder)->posted({{Place::door, 5}, {Place::server, 0}, Ping{}});
    (*recorder)->begins(now, 77);
    (*recorder)->leaves({{{}, {Place::door, 5}, Farewell{}}});
    (*recorder)->committed(now + Duration(3));
    (*recorder)->rolled_back(now + Duration(4), 78);
  }

  const std::string file =
      (std::filesystem::temp_directory_path() / ("stint-recording-" + std::to_string(getpid()))).string();
  Log log{"off"};
  RecordedStart start;
};

TEST_F(RecordingFile, is_read_as_it_was_written) {
  record_a_turn();
  auto reader = RecordingReader::open(file);
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader->start().version, "1.2.3");
  EXPECT_EQ(reader->start().config_text, "[node]\n");
  EXPECT_EQ(reader->start().seed, ~std::uint64_t{0});
  EXPECT_EQ(reader->start().session, start.session);
  EXPECT_EQ(reader->start().storage.now, now);
  EXPECT_EQ(std::get<RecordedPost>(*reader->next()).from.id, 5U);
  EXPECT_EQ(std::get<RecordedTurn>(*reader->next()), (RecordedTurn{now, 77}));
  EXPECT_EQ(std::get<RecordedLeave>(*reader->next()).lines.substr(0, 8), "farewell");
  EXPECT_EQ(std::get<RecordedCommit>(*reader->next()).now, now + Duration(3));
  EXPECT_EQ(std::get<RecordedRollback>(*reader->next()), (RecordedRollback{now + Duration(4), 78}));
  EXPECT_FALSE(reader->next().has_value());
}

TEST_F(RecordingFile, ends_before_an_entry_that_was_cut_off) {
  record_a_turn();
  std::filesystem::resize_file(file, std::filesystem::file_size(file) - 1);
  auto reader = RecordingReader::open(file);
  ASSERT_TRUE(reader);
  int entries = 0;
  while (reader->next()) ++entries;
  EXPECT_EQ(entries, 4);
}

TEST_F(RecordingFile, is_refused_when_it_is_something_else) {
  std::ofstream(file) << "stint recording 9\n";
  EXPECT_EQ(RecordingReader::open(file).error().code, ErrorCode::bad_message);
  std::filesystem::remove(file);
  EXPECT_EQ(RecordingReader::open(file).error().code, ErrorCode::not_found);
}

}  // namespace
}  // namespace stint
