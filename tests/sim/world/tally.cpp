#include "tests/sim/world/tally.hpp"

#include <algorithm>
#include <cstdio>

namespace stint::sim {

namespace {

template <class... Values>
std::string line(const char* form, Values... values) {
  char buffer[256];
  std::snprintf(buffer, sizeof buffer, form, values...);
  return buffer;
}

// Names here need no escapes.
std::string quoted(const std::string& name) { return "\"" + name + "\""; }

template <class Map, class Write>
std::string object(const Map& map, const Write& write) {
  std::string text;
  for (const auto& [key, value] : map) text += (text.empty() ? "" : ", ") + write(key, value);
  return "{" + text + "}";
}

}  // namespace

void Tally::add(const Scene& scene) {
  const LimitChecker& limits = scene.checker.limits;
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
    LimitChecker::Told& worst = worst_[name];
    worst.starts += told.starts;
    worst.worst_rate = std::max(worst.worst_rate, told.worst_rate);
    worst.worst_window = std::max(worst.worst_window, told.worst_window);
    worst.worst_running = std::max(worst.worst_running, told.worst_running);
  }
}

double Tally::simulated_seconds() const { return std::chrono::duration<double>(simulated_).count(); }

std::string Tally::text(double seconds) const {
  const auto number = [](std::int64_t value) { return static_cast<long long>(value); };
  std::string text = line("%lld seeds, %.2f simulated hours, %.0f times faster than life\n", number(seeds_),
                          simulated_seconds() / 3600, simulated_seconds() / std::max(seconds, 1e-9));
  text += line("%zu jobs, %lld starts (%lld of them again), %lld changes of limits, %lld pauses\n", jobs_,
               number(starts_), number(again_), number(changes_), number(pauses_));
  text += line("longest sleep of a limiter while a job could start: %lld ms\n",
               number(longest_sleep_ / millisecond));
  for (const auto& [kind, times] : faults_) text += line("  %-40s %8lld\n", kind.c_str(), number(times));
  if (!worst_.empty()) {
    text += line("  %-32s %9s %8s %8s %8s\n", "worst of all, against its limit", "starts", "rate", "window",
                 "running");
  }
  for (const auto& [name, told] : worst_) {
    text += line("  %-32s %9lld %8.4f %8.4f %8.4f\n", to_string(name).c_str(), number(told.starts),
                 told.worst_rate, told.worst_window, told.worst_running);
  }
  return text;
}

std::string Tally::json(double seconds) const {
  const auto count = [](const char* name, auto value) {
    return quoted(name) + ": " + std::to_string(value) + ", ";
  };
  std::string text = "{" + count("seeds", seeds_) + count("simulated_seconds", simulated_seconds()) +
                     count("seconds", seconds) + count("jobs", jobs_) + count("starts", starts_) +
                     count("starts_again", again_) + count("changes_of_limits", changes_) +
                     count("pauses", pauses_) + count("longest_sleep_ms", longest_sleep_ / millisecond);
  text += "\"faults\": " + object(faults_, [](const std::string& kind, std::int64_t times) {
            return quoted(kind) + ": " + std::to_string(times);
          });
  text += ", \"worst\": " + object(worst_, [](const LimitName& name, const LimitChecker::Told& told) {
            return quoted(to_string(name)) + line(
                                                 ": {\"starts\": %lld, \"rate\": %.6f, \"window\": %.6f, "
                                                 "\"running\": %.6f}",
                                                 static_cast<long long>(told.starts), told.worst_rate,
                                                 told.worst_window, told.worst_running);
          });
  return text + "}\n";
}

}  // namespace stint::sim
