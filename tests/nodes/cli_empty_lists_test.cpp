// Lists of nothing say so, beside their titles and on stderr.
#include <algorithm>
#include <gtest/gtest.h>

#include "tests/nodes/fake_server.hpp"

namespace stint {
namespace {

std::optional<Answer> nothing(const Request& request) {
  if (std::holds_alternative<ListQueues>(request)) return Queues{};
  if (std::holds_alternative<ListWorkers>(request)) return Workers{};
  if (std::holds_alternative<ListJobs>(request)) return Jobs{};
  if (std::holds_alternative<ListLimits>(request)) return Limits{};
  return plain_answer(request);
}

TEST(AnEmptyList, says_that_it_is_empty_to_people_alone) {
  const FakeServer server(nothing);
  for (const auto& words : {std::vector<std::string>{"queue", "list"},
                            {"worker", "list"},
                            {"job", "list"},
                            {"limit", "show"},
                            {"handler", "list"}}) {
    std::vector<std::string> arguments = words;
    arguments.insert(arguments.end(), {"--server", server.endpoint(), "--wait", "20s"});
    const ProgramRun list = run_stint(arguments);
    EXPECT_EQ(list.status, ExitStatus::done);
    EXPECT_EQ(std::count(list.out.begin(), list.out.end(), '\n'), 1) << list.out;
    EXPECT_TRUE(list.err.starts_with("stint: ") && list.err.ends_with("\n")) << words[0] << list.err;
    arguments.emplace_back("--json");
    EXPECT_EQ(run_stint(arguments).err, "");
  }
}

}  // namespace
}  // namespace stint
