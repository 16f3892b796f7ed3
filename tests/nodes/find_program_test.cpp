#include "nodes/runners/find_program.hpp"

#include <gtest/gtest.h>

#include "tests/nodes/fake_server.hpp"

namespace stint {
namespace {

TEST(FindProgram, finds_what_a_run_would_find) {
  EXPECT_EQ(fault_of_program("sh"), std::nullopt);
  EXPECT_EQ(fault_of_program("/bin/sh"), std::nullopt);
}

TEST(FindProgram, says_why_a_program_cannot_be_started) {
  const TemporaryFile not_executable("text");
  EXPECT_EQ(fault_of_program("no-such-program-anywhere"), "No such file or directory");
  EXPECT_EQ(fault_of_program("./no-such-program"), "No such file or directory");
  EXPECT_EQ(fault_of_program(not_executable.path()), "Permission denied");
  EXPECT_EQ(fault_of_program("/tmp"), "Permission denied");
}

}  // namespace
}  // namespace stint
