// Gate: whether jobs of one queue or handler may start now, and how many: its bucket or window, its running
// limit, its pause (rules L2 to L5). A value. The ledger's gates decide; a limiter has copies to propose by.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "actors/limits/sliding_window.hpp"
#include "actors/limits/token_bucket.hpp"
#include "protocol/limit.hpp"
#include "protocol/time.hpp"

namespace stint {

// What a limit comes to, with everything resolved. None of them: there is no limit.
struct GateRules {
  std::optional<TokenRate> rate;     // of a queue
  std::optional<WindowRule> window;  // of a handler
  std::optional<std::int64_t> max_running;

  bool any() const { return rate || window || max_running; }
  friend bool operator==(const GateRules&, const GateRules&) = default;
};
GateRules rules_of(const Limit& limit);

// A gate as it is told to limiters.
struct GateState {
  // So many groups of entries at most: those on which the next opening depends. The newest are told as one
  // that leaves with the last of them.
  static constexpr std::size_t most_entries = 16;

  GateRules rules;
  std::optional<TokenBucket> bucket;
  std::vector<WindowEntries> entries;
  std::int64_t running = 0;
  std::optional<Instant> paused_until;
};

// Why nothing may start.
enum class Closed : std::uint8_t { no, paused, rate, window, running };

class Gate {
 public:
  // As many as one likes.
  static constexpr std::int64_t no_bound = std::numeric_limits<std::int64_t>::max();
  // A pause without an end.
  static constexpr Instant for_ever = Instant::max();

  Gate() = default;
  explicit Gate(const GateState& state);
  GateState state() const;

  // How many may start now.
  std::int64_t room(Instant now) const;
  Closed closed(Instant now) const;
  // How long until one may start; zero: it may now; nothing: that depends on a run, or on resume().
  std::optional<Duration> until_room(Instant now) const;

  // `count` runs start, at most room(now); or start although their slots are held already: a batch that is
  // answered again (rule L7).
  void start(std::int64_t count, Instant now);
  bool may_start_again(Instant now) const;
  void start_again(std::int64_t count, Instant now);
  // One run has ended. A loaded or relocated run counts with hold().
  void end(bool completed, Instant now);
  void hold(std::int64_t count) { running_ += count; }
  // What started since the last stamp left only now (rule L1); again: and what left with that stamp.
  void stamp(Instant now);
  void stamp_again(Instant now);

  // The level is kept, cut to the new burst; entries are kept; a first bucket starts full (rule L9).
  void change(const GateRules& rules, Instant now);
  // To `started`, with the starts of the runs that are on: each becomes an entry. Back: their entries go, as
  // far as there are any of just these moments.
  void enter_running(const std::vector<Instant>& starts, Instant now);
  void withdraw_running(const std::vector<Instant>& starts);
  // As if the window, which there is, had been full of entries of that moment.
  void fill_window(Instant at) { window_.fill(rules_.window->max, at); }
  // Who makes the entries: as the newest window has it, also when that was lifted since. Nothing: none is
  // known.
  std::optional<CountPolicy> counted_by() const { return counted_by_; }
  // Forgets entries that have left their window, of a lifted limit too; returns whether there were any.
  bool expire(Instant now) { return window_.expire(kept_for_, now); }
  // Nothing is held here that a new gate would not have.
  bool is_blank(Instant now) const;
  // The later end wins; only resume() shortens.
  void pause_until(Instant until);
  void resume() { paused_until_.reset(); }

  const GateRules& rules() const { return rules_; }
  std::int64_t running() const { return running_; }
  // Nothing: it is not paused now.
  std::optional<Instant> paused_until(Instant now) const;
  // A pause is set; it may be over.
  bool is_paused_at_all() const { return paused_until_.has_value(); }

  // The parts, to keep them ...
  const std::optional<TokenBucket>& bucket() const { return bucket_; }
  const SlidingWindow& window() const { return window_; }
  Duration kept_for() const { return kept_for_; }
  // ... and to have them back, before the rules are set. Entries come oldest first.
  void load_bucket(const TokenBucket& bucket) { bucket_ = bucket; }
  void load_entries(const WindowEntries& entries) { window_.add(entries.count, entries.at); }
  void load_kept_for(Duration window) { kept_for_ = window; }

 private:
  std::int64_t held() const;

  GateRules rules_;
  std::optional<TokenBucket> bucket_;  // kept when its rate is lifted
  SlidingWindow window_;
  Duration kept_for_{};  // the newest rule's window, kept when it is lifted
  std::optional<CountPolicy> counted_by_;
  std::int64_t running_ = 0;
  std::optional<Instant> paused_until_;
  std::int64_t fresh_ = 0;    // starts since the last stamp
  std::int64_t stamped_ = 0;  // starts of the last stamp
};

}  // namespace stint
