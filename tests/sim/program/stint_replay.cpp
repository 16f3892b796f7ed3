// stint_replay: replays what `stint node --record FILE` has written down.
//
//   stint_replay [--trace] FILE
//
// Exits 0 if the node decides the same again, 1 if it does not, with the first turn that differs.
#include <cstdio>
#include <filesystem>
#include <string>
#include <unistd.h>

#include "tests/sim/replay/replay.hpp"

namespace {

int usage() {
  std::fprintf(stderr, "usage: stint_replay [--trace] FILE\n");
  return 64;
}

int tell(const stint::Result<stint::sim::Replayed>& replayed) {
  if (!replayed) {
    std::fprintf(stderr, "stint_replay: %s\n", replayed.error().message.c_str());
    return 66;
  }
  std::printf("%lld turns in %.3f s of the node's time, %lld messages in, %lld out\n",
              static_cast<long long>(replayed->turns), std::chrono::duration<double>(replayed->span).count(),
              static_cast<long long>(replayed->messages), static_cast<long long>(replayed->left));
  if (!replayed->difference) {
    std::printf("it decides the same\n");
    return 0;
  }
  std::printf("turn %lld differs. What left:\n%sWhat leaves now:\n%s",
              static_cast<long long>(replayed->difference->turn), replayed->difference->recorded.c_str(),
              replayed->difference->replayed.c_str());
  return 1;
}

}  // namespace

int main(int count, char** words) {
  bool traces = false;
  std::string file;
  for (int at = 1; at < count; ++at) {
    const std::string word = words[at];
    if (word == "--trace") {
      traces = true;
    } else if (!file.empty() || word.starts_with("--")) {
      return usage();
    } else {
      file = word;
    }
  }
  if (file.empty()) return usage();
  const auto folder = std::filesystem::temp_directory_path() / ("stint-replay-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  const auto print = [&](const std::string& line) {
    if (traces) std::printf("%s\n", line.c_str());
  };
  const int status = tell(stint::sim::replay(file, (folder / "stint.db").string(), print));
  std::filesystem::remove_all(folder);
  return status;
}
