// stint_sim: storms over a simulated stint, seed after seed, for as long as one likes.
//
//   stint_sim [--first-seed N] [--seeds N] [--hours H]     stops at the first seed that breaks a rule, exits
//   1 stint_sim --seed N [--trace]                           one seed, with all that happens
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "tests/sim/world/storm.hpp"

namespace {

struct Arguments {
  std::uint64_t first_seed = 1;
  std::uint64_t seeds = 100;
  double hours = 0;
  bool trace = false;
};

int usage() {
  std::fprintf(stderr, "usage: stint_sim [--first-seed N] [--seeds N] [--hours H] | --seed N [--trace]\n");
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
    char* end = nullptr;
    const double number = std::strtod(words[at], &end);
    if (*end != '\0' || number < 0) return false;
    if (word == "--first-seed" || word == "--seed") {
      arguments.first_seed = std::strtoull(words[at], nullptr, 10);
      if (word == "--seed") arguments.seeds = 1;
    } else if (word == "--seeds") {
      arguments.seeds = static_cast<std::uint64_t>(number);
    } else if (word == "--hours") {
      arguments.hours = number;
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace

int main(int count, char** words) {
  Arguments arguments;
  if (!read(count, words, arguments)) return usage();
  const auto end = std::chrono::steady_clock::now() +
                   std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                       std::chrono::duration<double, std::ratio<3600>>(arguments.hours));
  std::uint64_t seed = arguments.first_seed;
  std::size_t jobs = 0;
  for (; arguments.hours > 0 ? std::chrono::steady_clock::now() < end
                             : seed < arguments.first_seed + arguments.seeds;
       ++seed) {
    stint::sim::Scene scene(seed);
    if (arguments.trace) scene.world.print_trace();
    stint::sim::run_storm(scene);
    jobs += scene.checker.jobs().size();
    if (!scene.world.failures().empty()) {
      std::printf("%s", scene.world.report().c_str());
      return 1;
    }
  }
  std::printf("%llu seeds, %zu jobs, no rule broken\n",
              static_cast<unsigned long long>(seed - arguments.first_seed), jobs);
  return 0;
}
