// LimiterNews: what limiters hear from storage: sessions, and how many jobs are ready in which lanes (rule
// L12).
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "actors/kernel/turn.hpp"
#include "actors/storage/storage_state.hpp"

namespace stint {

class LimiterNews {
 public:
  explicit LimiterNews(StorageState& state) : state_(state) {}

  // Everything there is: at the start, and after a reload.
  void tell_all(Turn& turn);
  // The counts that changed since they were last told.
  void tell_lanes(Turn& turn);
  void opened(const Session& session, Turn& turn);
  void ended(const SessionId& session, Turn& turn);
  void silent(const SessionId& session, Turn& turn);
  // Of the last LanesChanged.
  std::uint64_t sequence() const { return sequence_; }

  // Before what was told is dropped from memory: what tell_all() will have to take back.
  void before_reload();

 private:
  void send(std::vector<ReadyCount> counts, Turn& turn);

  StorageState& state_;
  std::uint64_t sequence_ = 0;
  std::set<std::pair<std::string, std::string>> told_before_reload_;  // (queue, handler)
};

}  // namespace stint
