// EventDesk: answers those who read the log of events: at once, or when a turn has written some that they
// asked for. An answer is bounded in messages, bytes, values and in the work of finding them; its `next_seq`
// goes on without gap or repetition wherever it ended.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "actors/kernel/turn.hpp"
#include "actors/storage/alarm.hpp"
#include "actors/storage/storage_state.hpp"
#include "protocol/messages/events.hpp"

namespace stint {

class EventPage;

class EventDesk {
 public:
  // Readers that may wait at a time.
  static constexpr std::size_t most_parked = 100;

  explicit EventDesk(StorageState& state) : state_(state) {}

  // Errors: gone (another log, or a number that is not in it any more or not yet), overloaded (too many wait
  // already), storage_unavailable, internal (the log is damaged).
  void on(ReadEvents&& request, Turn& turn);
  void on(EventTick&& tick, Turn& turn);

  // Before the commit: `chunk` was appended to the log in this turn. Answers the parked readers whom it
  // concerns.
  void answer_news(const EventChunk& chunk, Turn& turn);
  // Memory is about to be rebuilt: none stays parked.
  void answer_all(const Error& error, Turn& turn);

  std::size_t parked() const { return parked_.size(); }

 private:
  // They have seen all that was flushed; what comes is theirs.
  struct Reader {
    ReadEvents request;
    Address asker;
  };

  void park(ReadEvents&& request, Turn& turn);
  // Whether what was asked for can be there.
  Status check(const ReadEvents& request, std::int64_t oldest_seq) const;
  // That is kept, or will be the first.
  Result<std::int64_t> oldest_seq();
  Status fill(EventPage& page);

  StorageState& state_;
  std::multimap<Instant, Reader> parked_;  // by the end of their wait
  Alarm alarm_;
};

}  // namespace stint
