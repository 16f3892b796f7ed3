// Sessions: every session that storage remembers (rule D5), with what is known of it beyond its row. Part of
// StorageState.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "actors/jobs/name_set.hpp"
#include "actors/kernel/address.hpp"
#include "protocol/time.hpp"
#include "protocol/values.hpp"
#include "storage/store.hpp"

namespace stint {

// A heartbeat that waits for news (rule D7: cancels) or for the end of its wait.
struct ParkedHeartbeat {
  Address asker;
  Instant until{};
  std::vector<JobRun> lost;    // ended by the server since it was parked
  std::vector<JobRun> cancel;  // to be cancelled
};

struct Session {
  SessionRow row;
  NameSet handlers;
  std::shared_ptr<const std::vector<std::string>> handler_list;  // sorted, for limiters
  Instant last_message{};                                        // the row's is up to a minute older
  std::int64_t got = 0;  // of its asks, every one up to here was answered and the answer received
  // The highest ask that was answered with jobs; nothing: that was before this load, nobody knows.
  std::optional<std::int64_t> highest_answered;
  // Asks above `got` that were answered with jobs which have all ended since: they are not new.
  std::set<std::int64_t> over;
  std::optional<ParkedHeartbeat> parked;

  // Known, but not to be worked with before it says hello again.
  bool open() const { return !row.ended && !row.taken_over; }
  SessionNumber number() const { return row.number; }
};

class Sessions {
 public:
  using ByNumber = std::map<SessionNumber, Session>;

  Session& add(SessionRow row);
  void forget(SessionNumber number);
  Session* find(const SessionId& id);
  Session* find(SessionNumber number);
  // Of one worker name.
  std::vector<Session*> of_worker(std::string_view worker);

  const ByNumber& all() const { return by_number_; }

  // The session's parked heartbeat, if it has one, is to be answered at the end of this message.
  void note_news(const Session& session);
  std::vector<SessionNumber> take_with_news() { return std::exchange(with_news_, {}); }

 private:
  ByNumber by_number_;
  std::unordered_map<SessionId, Session*> by_id_;
  NameMap<std::set<SessionNumber>> by_worker_;
  std::vector<SessionNumber> with_news_;
};

// Answers up to `got` have arrived.
void note_got(Session& session, std::int64_t got);
// The ask was answered with jobs.
void note_answered(Session& session, std::int64_t ask);
// Those jobs have all ended.
void note_over(Session& session, std::int64_t ask);

}  // namespace stint
