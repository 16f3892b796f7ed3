#include "nodes/bench/process_usage.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

namespace stint {
namespace {

TEST(TheUsageOfAProcess, is_read_from_what_the_kernel_tells) {
  const ProcessUsage usage =
      usage_from("Name:\tstint\nVmHWM:\t   2048 kB\nVmRSS:\t   1024 kB\nThreads:\t3\n",
                 "42 (a (b) c) S 1 42 42 0 -1 4194560 100 0 0 0 250 50 0 0 20 0 3 0 1 1 1", 100);
  EXPECT_EQ(usage.resident_bytes, 1'024 * 1'024);
  EXPECT_EQ(usage.resident_peak_bytes, 2'048 * 1'024);
  EXPECT_EQ(usage.cpu_us, 3'000'000);
}

TEST(TheUsageOfAProcess, is_nothing_where_there_is_none) {
  const ProcessUsage usage = usage_of(0);
  EXPECT_EQ(usage.resident_bytes, 0);
  EXPECT_EQ(usage.cpu_us, 0);
}

TEST(TheUsageOfAProcess, of_this_one_has_some_memory) {
  const ProcessUsage usage = usage_of(getpid());
  EXPECT_GT(usage.resident_bytes, 0);
  EXPECT_GE(usage.resident_peak_bytes, usage.resident_bytes);
}

}  // namespace
}  // namespace stint
