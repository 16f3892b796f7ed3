// stint_sim_planted: the simulator over a product with one known bug.
//
//   stint_sim_planted --bug NAME [--storm KIND] [--first-seed N] [--seeds N]
//       until a rule is broken: prints `found <seed> <simulated ms> <the rule and how>`, exits 1;
//       else `passed <seeds> <simulated ms>`, exits 0
//   stint_sim_planted --bug NAME [--storm KIND] --seed N --trace
//       one seed, with all that happens
//   stint_sim_planted --list
//       the bugs that are planted
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tests/sim/planted/planted.hpp"
#include "tests/sim/planted/planted_storms.hpp"
#include "tests/sim/world/scene.hpp"

namespace stint {

std::vector<std::string_view> planted_bugs();

namespace {

using sim::Scene;

struct Arguments {
  std::string bug = "none";
  std::string storm = "delivery";
  std::uint64_t first_seed = 1;
  std::uint64_t seeds = 40;
  bool trace = false;
  bool list = false;
};

bool is_known(const std::string& bug) {
  const auto bugs = planted_bugs();
  return bug == "none" || std::find(bugs.begin(), bugs.end(), bug) != bugs.end();
}

bool read(int count, char** words, Arguments& arguments) {
  for (int at = 1; at < count; ++at) {
    const std::string word = words[at];
    if (word == "--trace" || word == "--list") {
      (word == "--trace" ? arguments.trace : arguments.list) = true;
      continue;
    }
    if (++at == count) return false;
    if (word == "--bug") {
      arguments.bug = words[at];
    } else if (word == "--storm") {
      arguments.storm = words[at];
    } else if (word == "--first-seed" || word == "--seed") {
      arguments.first_seed = std::strtoull(words[at], nullptr, 10);
      if (word == "--seed") arguments.seeds = 1;
    } else if (word == "--seeds") {
      arguments.seeds = std::strtoull(words[at], nullptr, 10);
    } else {
      return false;
    }
  }
  return is_known(arguments.bug) && sim::planted_storms().contains(arguments.storm);
}

// The first broken rule ends a run: what a bug leads to after that says nothing more.
struct RuleIsBroken {};

void watch(Scene& scene) {
  if (!scene.world.failures().empty()) throw RuleIsBroken{};
  scene.world.after(10 * sim::millisecond, [&scene] { watch(scene); });
}

// The rule that broke; empty: none.
std::string rage(const Arguments& arguments, std::uint64_t seed, Duration& simulated) {
  const sim::PlantedStorm& storm = sim::planted_storms().at(arguments.storm);
  Scene scene(seed, sim::short_defaults(), storm.limiter_nodes);
  if (arguments.trace) scene.world.print_trace();
  try {
    watch(scene);
    storm.rage(scene);
  } catch (const RuleIsBroken&) {
  }
  simulated += scene.world.elapsed();
  return scene.world.failures().empty() ? "" : scene.world.failures().front();
}

int run(const Arguments& arguments) {
  planted_bug = number_of_bug(arguments.bug);
  Duration simulated{};
  const auto simulated_ms = [&] { return static_cast<long long>(simulated / sim::millisecond); };
  for (std::uint64_t count = 0; count < arguments.seeds; ++count) {
    const std::uint64_t seed = arguments.first_seed + count;
    const std::string broken = rage(arguments, seed, simulated);
    if (broken.empty()) continue;
    std::printf("found %llu %lld %s\n", static_cast<unsigned long long>(seed), simulated_ms(),
                broken.c_str());
    return 1;
  }
  std::printf("passed %llu %lld\n", static_cast<unsigned long long>(arguments.seeds), simulated_ms());
  return 0;
}

}  // namespace
}  // namespace stint

int main(int count, char** words) {
  stint::Arguments arguments;
  if (!stint::read(count, words, arguments)) {
    std::fprintf(stderr,
                 "usage: stint_sim_planted --bug NAME [--storm KIND] [--first-seed N] [--seeds N]\n"
                 "       stint_sim_planted --bug NAME [--storm KIND] --seed N [--trace]\n"
                 "       stint_sim_planted --list\n");
    return 64;
  }
  if (!arguments.list) return stint::run(arguments);
  for (const std::string_view bug : stint::planted_bugs()) std::printf("%s\n", std::string(bug).c_str());
  return 0;
}
