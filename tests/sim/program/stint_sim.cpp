// stint_sim: storms over a simulated stint, seed after seed, for as long as one likes.
//
//   stint_sim [--storm KIND] [--first-seed N] [--seeds N] [--minutes M]
//       stops at the first seed that breaks a rule, exits 1
//   stint_sim --seed N [--storm KIND] [--trace]
//       one seed, with all that happens
//
// A storm is of `delivery`, of `limits`, of `limits` over a `cluster`, or of `all` kinds in turn.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>

#include "tests/sim/world/storm.hpp"

namespace {

using stint::sim::Scene;
using Clock = std::chrono::steady_clock;

constexpr std::string_view storms[] = {"delivery", "limits", "cluster", "all"};

struct Arguments {
  std::uint64_t first_seed = 1;
  std::uint64_t seeds = 100;
  double minutes = 0;
  std::string storm = "all";
  bool trace = false;
};

int usage() {
  std::fprintf(stderr,
               "usage: stint_sim [--storm delivery|limits|cluster|all] [--first-seed N] [--seeds N] [--minutes M]\n"
               "       stint_sim --seed N [--storm KIND] [--trace]\n");
  return 64;
}

bool read(int count, char** words, Arguments& arguments) {
  for (int at = 1; at < count; ++at) {
    const std::string word = words[at];
    if (word == "--trace") {
      arguments.trace = true;
      continue;
    }
    if (++at == count) return false;
    if (word == "--storm") {
      arguments.storm = words[at];
      if (std::find(std::begin(storms), std::end(storms), arguments.storm) == std::end(storms)) return false;
      continue;
    }
    char* end = nullptr;
    const double number = std::strtod(words[at], &end);
    if (*end != '\0' || number < 0) return false;
    if (word == "--first-seed" || word == "--seed") {
      arguments.first_seed = std::strtoull(words[at], nullptr, 10);
      if (word == "--seed") arguments.seeds = 1;
    } else if (word == "--seeds") {
      arguments.seeds = static_cast<std::uint64_t>(number);
    } else if (word == "--minutes") {
      arguments.minutes = number;
    } else {
      return false;
    }
  }
  return true;
}

// What all seeds came to.
class Tally {
 public:
  void add(const Scene& scene) {
    const auto& limits = scene.checker.limits;
    ++seeds_;
    simulated_ += scene.world.elapsed();
    jobs_ += scene.checker.jobs().size();
    starts_ += limits.starts();
    again_ += limits.starts_again();
    changes_ += limits.changes();
    pauses_ += limits.pauses();
    longest_sleep_ = std::max(longest_sleep_, scene.checker.idle.longest_wait());
    for (const auto& [kind, times] : scene.world.counts()) faults_[kind] += times;
    for (const auto& [name, told] : limits.told()) {
      auto& worst = worst_[name];
      worst.starts += told.starts;
      worst.worst_rate = std::max(worst.worst_rate, told.worst_rate);
      worst.worst_window = std::max(worst.worst_window, told.worst_window);
      worst.worst_running = std::max(worst.worst_running, told.worst_running);
    }
  }

  void print(double seconds) const {
    const double simulated = std::chrono::duration<double>(simulated_).count();
    std::printf("%lld seeds, %.2f simulated hours, %.0f times faster than life\n",
                static_cast<long long>(seeds_), simulated / 3600, simulated / std::max(seconds, 1e-9));
    std::printf("%zu jobs, %lld starts (%lld of them again), %lld changes of limits, %lld pauses\n", jobs_,
                static_cast<long long>(starts_), static_cast<long long>(again_),
                static_cast<long long>(changes_), static_cast<long long>(pauses_));
    std::printf("longest sleep of a limiter while a job could start: %lld ms\n",
                static_cast<long long>(longest_sleep_ / stint::sim::millisecond));
    for (const auto& [kind, times] : faults_) {
      std::printf("  %-40s %8lld\n", kind.c_str(), static_cast<long long>(times));
    }
    if (!worst_.empty()) {
      std::printf("  %-32s %9s %8s %8s %8s\n", "worst of all, against its limit", "starts", "rate", "window",
                  "running");
    }
    for (const auto& [name, told] : worst_) {
      std::printf("  %-32s %9lld %8.4f %8.4f %8.4f\n", stint::sim::to_string(name).c_str(),
                  static_cast<long long>(told.starts), told.worst_rate, told.worst_window,
                  told.worst_running);
    }
  }

 private:
  std::int64_t seeds_ = 0;
  stint::Duration simulated_{};
  std::size_t jobs_ = 0;
  std::int64_t starts_ = 0;
  std::int64_t again_ = 0;
  std::int64_t changes_ = 0;
  std::int64_t pauses_ = 0;
  stint::Duration longest_sleep_{};
  std::map<std::string, std::int64_t> faults_;
  std::map<stint::sim::LimitName, stint::sim::LimitChecker::Told> worst_;
};

// In a storm of all kinds each kind has its turn.
std::string kind_of(const std::string& storm, std::uint64_t seed) {
  return storm == "all" ? std::string(storms[seed % 3]) : storm;
}

int limiter_nodes_of(const std::string& kind, std::uint64_t seed) {
  return kind == "cluster" ? 2 + static_cast<int>(seed % 2) : 0;
}

stint::sim::StormOptions options_of(const std::string& kind) {
  if (kind == "limits") return stint::sim::storm_of_limits();
  return kind == "cluster" ? stint::sim::storm_of_a_cluster() : stint::sim::StormOptions{};
}

}  // namespace

int main(int count, char** words) {
  Arguments arguments;
  if (!read(count, words, arguments)) return usage();
  const auto begun = Clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(Clock::now() - begun).count(); };
  Tally tally;
  for (std::uint64_t seed = arguments.first_seed;
       arguments.minutes > 0 ? seconds() < 60 * arguments.minutes
                             : seed < arguments.first_seed + arguments.seeds;
       ++seed) {
    const std::string kind = kind_of(arguments.storm, seed);
    Scene scene(seed, stint::sim::short_defaults(), limiter_nodes_of(kind, seed));
    if (arguments.trace) scene.world.print_trace();
    run_storm(scene, options_of(kind));
    tally.add(scene);
    if (!scene.world.failures().empty()) {
      std::printf("a storm of %s, ", kind.c_str());
      std::printf("%s", scene.world.report().c_str());
      return 1;
    }
  }
  tally.print(seconds());
  std::printf("no rule is broken\n");
  return 0;
}
