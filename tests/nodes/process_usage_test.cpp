#include "nodes/bench/process_usage.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

namespace stint {
namespace {

TEST(TheUsageOfAProcess, has_the_memory_that_the_kernel_tells) {
  const ProcessUsage usage =
      memory_from("Name:\tstint\nVmHWM:\t   2048 kB\nVmRSS:\t   1024 kB\nThreads:\t3\n");
  EXPECT_EQ(usage.resident_bytes, 1'024 * 1'024);
  EXPECT_EQ(usage.resident_peak_bytes, 2'048 * 1'024);
}

TEST(TheUsageOfAProcess, is_nothing_where_there_is_none) {
  const ProcessUsage usage = usage_of(0);
  EXPECT_EQ(usage.resident_bytes, 0);
  EXPECT_EQ(usage.cpu_us, 0);
}

TEST(TheUsageOfAProcess, grows_with_what_it_computes) {
  const ProcessUsage before = usage_of(getpid());
  volatile int computed = 0;
  for (int number = 0; number < 1'000'000; ++number) computed = number;
  static_cast<void>(computed);
  const ProcessUsage after = usage_of(getpid());
  EXPECT_GT(after.cpu_us, before.cpu_us);
  EXPECT_GT(after.resident_bytes, 0);
  EXPECT_GE(after.resident_peak_bytes, after.resident_bytes);
}

}  // namespace
}  // namespace stint
