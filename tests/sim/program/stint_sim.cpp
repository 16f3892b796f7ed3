// stint_sim: storms over a simulated stint, seed after seed, for as long as one likes. What it takes and
// prints: --help.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "tests/sim/world/shrink.hpp"
#include "tests/sim/world/storm.hpp"
#include "tests/sim/world/tally.hpp"

namespace {

using stint::sim::Scene;
using stint::sim::Script;
using stint::sim::StormOptions;
using stint::sim::Tally;
using Clock = std::chrono::steady_clock;

constexpr const char* help = R"(usage: stint_sim [--storm KIND] [--first-seed N] [--seeds N | --minutes M]
       stint_sim --seed N [--storm KIND] [--skip PARTS] [--trace]

Storms over a simulated stint: one seed after the other, until one of them breaks a rule. It is
printed then, and fewer parts of its storm that break the same rule are searched for.

  --storm KIND      delivery, limits, cluster (limits, over several nodes), or all of them in
                    turn, which is the default
  --first-seed N    begin with this seed; 1 by default
  --seeds N         so many seeds; 100 by default
  --minutes M       as many seeds as there is time for, in life
  --seed N          this seed alone
  --skip PARTS      leave out these parts of the storm: 1,4-9
  --trace           print all that happens
  --shrink          search for fewer parts of a seed that fails, which is the default
  --no-shrink       do not
  --limiters N      limiter nodes of a cluster; two or three by default
  --workers N       worker nodes; one to four by default
  --json            the report at the end as JSON
  --help            this

exit status: 0, no rule is broken; 1, a rule is broken; 64, the command line is not understood
)";

constexpr std::string_view storms[] = {"delivery", "limits", "cluster", "all"};
constexpr int most_shrinking_runs = 300;

struct Arguments {
  std::uint64_t first_seed = 1;
  std::uint64_t seeds = 100;
  double minutes = 0;
  std::string storm = "all";
  std::set<int> skip{};
  int limiters = 0;
  int workers = 0;
  bool trace = false;
  bool shrinks = true;
  bool json = false;
};

std::optional<std::uint64_t> read_number(const std::string& word) {
  if (word.empty() || word.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
  return std::strtoull(word.c_str(), nullptr, 10);
}

// 1,4-9
bool read_parts(const std::string& word, std::set<int>& parts) {
  for (std::size_t from = 0; from < word.size();) {
    const std::size_t comma = std::min(word.find(',', from), word.size());
    const std::string piece = word.substr(from, comma - from);
    const std::size_t dash = piece.find('-');
    const auto first = read_number(piece.substr(0, dash));
    const auto last = dash == std::string::npos ? first : read_number(piece.substr(dash + 1));
    if (!first || !last || *last > 1'000'000) return false;
    for (std::uint64_t part = *first; part <= *last; ++part) parts.insert(static_cast<int>(part));
    from = comma + 1;
  }
  return !parts.empty();
}

bool read_flag(const std::string& word, Arguments& arguments) {
  if (word == "--trace") return arguments.trace = true;
  if (word == "--json") return arguments.json = true;
  if (word == "--shrink") return arguments.shrinks = true;
  if (word == "--no-shrink") return arguments.shrinks = false, true;
  return false;
}

bool read_option(const std::string& word, const std::string& value, Arguments& arguments) {
  if (word == "--skip") return read_parts(value, arguments.skip);
  if (word == "--storm") {
    arguments.storm = value;
    return std::find(std::begin(storms), std::end(storms), value) != std::end(storms);
  }
  if (word == "--minutes") {
    char* end = nullptr;
    arguments.minutes = std::strtod(value.c_str(), &end);
    return !value.empty() && *end == '\0' && arguments.minutes > 0;
  }
  const auto number = read_number(value);
  if (!number) return false;
  const int small = static_cast<int>(std::min<std::uint64_t>(*number, 100));
  if (word == "--first-seed") return arguments.first_seed = *number, true;
  if (word == "--seed") return arguments.first_seed = *number, arguments.seeds = 1, true;
  if (word == "--seeds") return arguments.seeds = *number, true;
  if (word == "--limiters") return arguments.limiters = small, true;
  if (word == "--workers") return arguments.workers = small, true;
  return false;
}

bool read(int count, char** words, Arguments& arguments) {
  for (int at = 1; at < count; ++at) {
    if (read_flag(words[at], arguments)) continue;
    if (at + 1 == count || !read_option(words[at], words[at + 1], arguments)) return false;
    ++at;
  }
  return true;
}

// One seed, of one kind of storm.
struct Run {
  std::uint64_t seed = 0;
  std::string kind;
  int limiters = 0;  // nodes
  int workers = 0;   // 0: up to the seed

  Run(const Arguments& arguments, std::uint64_t its_seed)
      : seed(its_seed), kind(arguments.storm), workers(arguments.workers) {
    if (kind == "all") kind = storms[seed % 3];
    const int limiters_by_seed = kind == "cluster" ? 2 + static_cast<int>(seed % 2) : 0;
    limiters = arguments.limiters > 0 && kind == "cluster" ? arguments.limiters : limiters_by_seed;
  }

  void rage(Scene& scene, Script& script) const {
    StormOptions options;
    if (kind == "limits") options = stint::sim::storm_of_limits();
    if (kind == "cluster") options = stint::sim::storm_of_a_cluster();
    options.workers = workers;
    run_storm(scene, options, script);
  }

  std::string command(const std::set<int>& skip) const {
    std::string words = "stint_sim --storm " + kind + " --seed " + std::to_string(seed);
    if (kind == "cluster") words += " --limiters " + std::to_string(limiters);
    if (workers > 0) words += " --workers " + std::to_string(workers);
    std::string parts;
    for (auto part = skip.begin(); part != skip.end();) {
      auto last = part;
      while (std::next(last) != skip.end() && *std::next(last) == *last + 1) ++last;
      parts += (parts.empty() ? "" : ",") + std::to_string(*part);
      if (last != part) parts += "-" + std::to_string(*last);
      part = std::next(last);
    }
    return parts.empty() ? words : words + " --skip " + parts;
  }
};

// "rule L2: ..."
std::string rule_of(const std::string& failure) { return failure.substr(0, failure.find(':')); }

void search_for_fewer(const Run& run, const Script& script, const std::string& rule) {
  const auto breaks = [&](const std::set<int>& left_out) {
    Script part{left_out};
    Scene scene(run.seed, stint::sim::short_defaults(), run.limiters);
    run.rage(scene, part);
    const auto& failures = scene.world.failures();
    return std::any_of(failures.begin(), failures.end(),
                       [&](const std::string& failure) { return rule_of(failure) == rule; });
  };
  const auto parts = static_cast<int>(script.parts.size());
  std::printf("searching for fewer of the %d parts of this storm that break %s ...\n", parts, rule.c_str());
  std::fflush(stdout);
  const auto shrunk = stint::sim::shrink(parts, breaks, script.left_out, most_shrinking_runs);
  std::printf("%d parts break it, found in %d runs:\n", parts - static_cast<int>(shrunk.left_out.size()),
              shrunk.runs);
  for (int part = 1; part <= parts; ++part) {
    if (shrunk.left_out.contains(part)) continue;
    std::printf("  %3d  %s\n", part, script.parts[static_cast<std::size_t>(part - 1)].c_str());
  }
  std::printf("all of it: %s --trace\n", run.command(shrunk.left_out).c_str());
}

// Whether no rule is broken.
bool play(const Run& run, const Arguments& arguments, Tally& tally) {
  Script script{arguments.skip};
  Scene scene(run.seed, stint::sim::short_defaults(), run.limiters);
  scene.world.replays_with(run.command(arguments.skip));
  if (arguments.trace) scene.world.print_trace();
  run.rage(scene, script);
  tally.add(scene);
  const auto& failures = scene.world.failures();
  if (failures.empty()) return true;
  std::printf("a storm of %s, %s", run.kind.c_str(), scene.world.report().c_str());
  std::printf("again: %s\n", run.command(arguments.skip).c_str());
  if (arguments.shrinks && !arguments.trace) search_for_fewer(run, script, rule_of(failures.front()));
  return false;
}

}  // namespace

int main(int count, char** words) {
  if (count == 2 && std::string_view(words[1]) == "--help") return std::printf("%s", help), 0;
  Arguments arguments;
  if (!read(count, words, arguments)) return std::fprintf(stderr, "%s", help), 64;
  const auto begun = Clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(Clock::now() - begun).count(); };
  Tally tally;
  const std::uint64_t last = arguments.first_seed + arguments.seeds;
  for (std::uint64_t seed = arguments.first_seed;
       arguments.minutes > 0 ? seconds() < 60 * arguments.minutes : seed < last; ++seed) {
    if (!play(Run(arguments, seed), arguments, tally)) return 1;
  }
  std::printf("%s", (arguments.json ? tally.json(seconds()) : tally.text(seconds())).c_str());
  if (!arguments.json) std::printf("no rule is broken\n");
  return 0;
}
