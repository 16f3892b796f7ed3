#include "nodes/bench/sync_probe.hpp"

#include <fcntl.h>
#include <string>
#include <unistd.h>

#include "nodes/bench/bench_clock.hpp"
#include "nodes/runners/descriptors.hpp"

namespace stint {

namespace {

constexpr std::size_t block_bytes = 4'096;

}  // namespace

Result<std::vector<std::int64_t>, Failure> measure_syncs(const std::filesystem::path& folder, int count) {
  const std::filesystem::path path = folder / "sync-probe";
  const Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  const std::string block(block_bytes, 'x');
  std::vector<std::int64_t> samples_us;
  bool is_written = file.is_open();
  for (int number = 0; number < count && is_written; ++number) {
    const std::int64_t begin_us = bench_now_us();
    is_written = write(file.get(), block.data(), block.size()) == static_cast<ssize_t>(block.size()) &&
                 fdatasync(file.get()) == 0;
    samples_us.push_back(bench_now_us() - begin_us);
  }
  const std::string fault = is_written ? "" : system_error("cannot write " + path.string()).message;
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
  if (!is_written) return Failure{.status = ExitStatus::io, .message = fault};
  return samples_us;
}

}  // namespace stint
