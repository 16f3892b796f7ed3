#include "actors/worker/reports.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace stint {

namespace {

std::int64_t bytes_of(const RunResult& result) {
  std::int64_t bytes = 128;  // keys and numbers
  if (result.result) bytes += std::ssize(result.result->bytes);
  if (result.error) {
    bytes +=
        std::ssize(result.error->type) + std::ssize(result.error->message) + std::ssize(result.error->trace);
  }
  return bytes;
}

}  // namespace

std::vector<Reports::Report> Reports::take_due(Instant now, std::int64_t most_results) {
  group_waiting(now, most_results);
  std::vector<Report> due;
  for (auto& [number, sent] : sent_) {
    if (!sent.repeat.is_due(now)) continue;
    sent.repeat.sent(now);
    Report report{number, {}};
    report.finish.results = sent.results;
    report.finish.positions.resize(sent.results.size());
    std::iota(report.finish.positions.begin(), report.finish.positions.end(), 0);
    due.push_back(std::move(report));
  }
  return due;
}

void Reports::group_waiting(Instant now, std::int64_t most_results) {
  Sent group{.results = {}, .repeat = Repeat(now)};
  std::int64_t group_bytes = 0;
  const auto close_group = [&] {
    if (group.results.empty()) return;
    sent_.emplace(++last_, std::exchange(group, Sent{.results = {}, .repeat = Repeat(now)}));
    group_bytes = 0;
  };
  for (auto& result : waiting_) {
    const std::int64_t bytes = bytes_of(result);
    if (std::ssize(group.results) >= most_results || group_bytes + bytes > most_bytes) close_group();
    group.results.push_back(std::move(result));
    group_bytes += bytes;
  }
  close_group();
  waiting_.clear();
}

std::vector<RunResult> Reports::close(std::int64_t number) {
  const auto found = sent_.find(number);
  if (found == sent_.end()) return {};
  std::vector<RunResult> results = std::move(found->second.results);
  sent_.erase(found);
  return results;
}

void Reports::repeat(std::int64_t number, Instant at) {
  if (const auto found = sent_.find(number); found != sent_.end()) found->second.repeat.send_at(at);
}

void Reports::repeat_all(Instant now) {
  for (auto& [number, sent] : sent_) sent.repeat.send_at(now);
}

Instant Reports::next_due() const {
  Instant due = never;
  for (const auto& [number, sent] : sent_) due = std::min(due, sent.repeat.at());
  return due;
}

}  // namespace stint
