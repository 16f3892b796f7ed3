// How every command that needs a server ends without one: scripts go by 69.
#include <gtest/gtest.h>

#include "tests/nodes/fake_server.hpp"

namespace stint {
namespace {

using Words = std::vector<std::string>;

class WithoutServer : public testing::TestWithParam<Words> {
 protected:
  ProgramRun stint(const std::string& endpoint) {
    Words words = GetParam();
    words.insert(words.end(), {"--server", endpoint, "--wait", "150ms"});
    return run_stint(std::move(words));
  }
};

TEST_P(WithoutServer, ends_with_69_where_nothing_listens) {
  std::string nobody;
  {
    const FakeServer gone([](const Request&) { return std::nullopt; });
    nobody = gone.endpoint();
  }
  const ProgramRun run = stint(nobody);
  EXPECT_EQ(run.status, ExitStatus::no_server) << run.err;
  EXPECT_EQ(run.out, "");
  EXPECT_NE(run.err.find(nobody), std::string::npos) << run.err;
}

TEST_P(WithoutServer, ends_with_69_where_the_node_that_should_answer_is_away) {
  const FakeServer limiter([](const Request&) -> std::optional<Answer> {
    Error error{ErrorCode::unavailable, "node server is away"};
    error.retry_in_ms = 100;
    return error;
  });
  const ProgramRun run = stint(limiter.endpoint());
  EXPECT_EQ(run.status, ExitStatus::no_server) << run.err;
  EXPECT_NE(run.err.find("node server is away"), std::string::npos) << run.err;
}

INSTANTIATE_TEST_SUITE_P(
    EachCommand, WithoutServer,
    testing::Values(Words{"enqueue", "h"}, Words{"enqueue", "h", "--count", "2000"}, Words{"job", "list"},
                    Words{"job", "show", "1"}, Words{"job", "explain", "1"}, Words{"job", "retry", "1", "2"},
                    Words{"job", "cancel", "1"}, Words{"job", "delete", "1"}, Words{"queue", "list"},
                    Words{"queue", "show", "q"}, Words{"queue", "pause", "q"}, Words{"queue", "resume", "q"},
                    Words{"handler", "list"}, Words{"handler", "show", "h"}, Words{"handler", "pause", "h"},
                    Words{"handler", "resume", "h"}, Words{"worker", "list"}, Words{"limit", "show"},
                    Words{"limit", "show", "queue", "q"}, Words{"limit", "check", "queue", "q"},
                    Words{"limit", "clear", "queue", "q"}, Words{"limit", "set", "queue", "q", "--rate", "1"},
                    Words{"tail"}, Words{"status"}, Words{"status", "--watch"}, Words{"ping"}));

}  // namespace
}  // namespace stint
