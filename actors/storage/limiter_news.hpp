// LimiterNews: what limiters hear from storage: sessions, how many jobs are ready in which lanes, and what
// holds for limited names (rule L12). Each limiter has a stream of its own, with what concerns its queues.
#pragma once

#include <cstdint>
#include <deque>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "actors/kernel/turn.hpp"
#include "actors/storage/storage_state.hpp"

namespace stint {

class LimiterNews {
 public:
  explicit LimiterNews(StorageState& state);

  // Everything there is, to every limiter: at the start, and after a reload.
  void tell_all(Turn& turn);
  // What changed since it was last told.
  void tell_changes(Turn& turn);
  // A limiter has missed something.
  void on(SnapshotWanted&&, Turn& turn);
  // Where the streams stand, to limiters elsewhere: what got lost on the way is noticed.
  void tell_heads(Turn& turn);

  void opened(const Session& session, Turn& turn);
  void ended(const SessionId& session, Turn& turn);
  void silent(const SessionId& session, Turn& turn);
  // The outcome of a claim of this turn's sender; what has changed is told before.
  void claimed(std::uint64_t claim, std::int64_t taken, std::vector<RefusedLane> refused, Turn& turn);
  // Whether a copy of this claim of this turn's sender has come to nothing. Its ask may have been answered
  // empty since: another copy must not start anything for it.
  bool has_come_to_nothing(std::uint64_t claim, Turn& turn);
  // Storage has answered the asker of a check itself.
  void answered(const CheckAsk& check, Turn& turn);
  // The store is not served: the claim may be made again.
  void not_claimed(std::uint64_t claim, Turn& turn);

 private:
  struct Stream {
    Address limiter;
    std::uint64_t sequence = 0;                // of the last delta
    std::deque<std::uint64_t> empty_claims{};  // that came to nothing, the newest last
  };

  std::size_t home_of(const std::string& queue) const;
  Stream& stream_of(const Address& limiter);
  void note_empty(Stream& stream, std::uint64_t claim);
  void tell_snapshot(Stream& stream, Turn& turn);
  void send(Stream& stream, LimiterDelta delta, Turn& turn);
  template <class Message>
  void to_all(const Message& message, Turn& turn);

  StorageState& state_;
  std::vector<Stream> streams_;  // one a limiter, in the order of the homes
};

}  // namespace stint
