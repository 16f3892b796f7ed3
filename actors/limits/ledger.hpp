// Ledger: the one place that every start passes (rules L1 to L12): all names that have a limit, a pause or
// the state of one, each with its gate. Part of StorageState. It decides by storage's clock and knows what of
// it must be written, and what limiters have not been told.
//
// A name that nobody ever limited is not here and costs nothing.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "actors/jobs/lanes.hpp"
#include "actors/limits/fair_turns.hpp"
#include "actors/limits/gate.hpp"
#include "actors/limits/limit_layers.hpp"
#include "storage/store.hpp"

namespace stint {

struct NamedLimit {
  LimitScope scope = LimitScope::queue;
  std::string name;
  LimitLayers layers;
  std::int64_t version = 0;
  Gate gate;
  FairTurns turns;           // of the queues that share a handler
  std::int64_t started = 0;  // since it is here
  bool is_reached =
      false;  // people were told that its last room was used, and not yet that there is some again
  Instant told_people_at{};

  // What the ledger has to do about it.
  bool must_store = false;   // what is kept of it has changed
  bool was_stamped = false;  // only by when it happened: stored with the next commit
  bool must_tell = false;    // limiters know an older state
  std::deque<WindowEntries> stored_entries;
  bool rewrites_entries = false;  // they differ from the stored ones not only at the ends
};

class Ledger {
 public:
  // More names than only a fault, or malice, limits.
  static constexpr std::size_t most_names = 100'000;

  Ledger() = default;
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  // --- Time ---
  // Each turn's time, before anything is decided in it.
  void begin(Instant now);
  Instant now() const { return now_; }
  // What started in the turn left only now (rule L1).
  void stamp(Instant now);
  // The node stood still since the last stamp: what had been sent may have left only now.
  void stamp_again(Instant now);

  // --- Names ---
  NamedLimit* find(LimitScope scope, std::string_view name);
  // A new one, with so many runs that are on. Null: there are too many names.
  NamedLimit* add(LimitScope scope, std::string_view name, std::int64_t running);
  // Replaces a source's record; true: what results has changed. `starts`: of the runs of the name that are
  // on, asked for only if its entries depend on them (rule L9).
  bool set(NamedLimit& named, LimitSource source, std::optional<Limit> limit,
           const std::function<std::vector<Instant>()>& starts);
  void pause_until(NamedLimit& named, Instant until);
  void resume(NamedLimit& named);
  // By (scope, name).
  using Key = std::pair<LimitScope, std::string>;
  using Names = std::map<Key, NamedLimit>;
  const Names& names() const { return names_; }
  Names& names() { return names_; }
  // Drops names whose limit is gone and whose state has run out, looking at `most` of them from where it was.
  // The one with the newest version stays, so that no start of storage gives a version twice (rule L8).
  void forget_blank(std::size_t most, Store& store);

  // --- Starts ---
  struct Limits {
    NamedLimit* queue = nullptr;
    NamedLimit* handler = nullptr;
    bool any() const { return queue != nullptr || handler != nullptr; }
  };
  Limits of(LaneGroup& group);
  // One job of the group is handed out, after its limits had room for it.
  void start(LaneGroup& group);
  // A run is handed out again (rule L7). False: a limit refuses it, and nothing was charged.
  bool start_again(LaneGroup& group);
  void end(LaneGroup& group, bool completed);
  // Something of a limited name has started since the last stamp.
  bool has_started() const { return !fresh_.empty(); }

  // --- Keeping and telling ---
  // How old what was kept is (rule L10).
  struct Kept {
    Instant known_until{};  // the stamp of the commit before the last: what is newer counts as made now
    Duration put_off{};     // by another boot's clock: what lies between, in which entries do not age
    // When a restored backup was first loaded: nobody knows what its original has started until then. Buckets
    // were empty and windows full then, those of names that nobody had limited too, and of every limit that
    // is set since, as long as starts from before could count.
    std::optional<Instant> restored_at{};
    bool is_restored_now = false;
    Instant at(Instant made, Instant now) const { return made > known_until ? now : made + put_off; }
  };
  // Loading: what is known of the time, then records, then gates, then entries by (handler, at). Buckets fill
  // up to `known_until`, and from now on.
  void begin_load(const Kept& kept) { kept_ = kept; }
  void load(const LimitRow& row);
  void load(const GateRow& row);
  void load(const WindowRow& row);
  // Once all is loaded: what results of the records holds.
  void finish_load();
  // Into the turn's commit. With `has_changes`, the commit holds something already.
  void store(Store& store, bool has_changes);
  // What has changed since the last call.
  std::vector<NamedLimit*> take_untold();

  // --- For people ---
  // Looks for limits that were reached and have room again; not more than one word a second for a name.
  void find_freed();
  // Those of which `is_reached` has changed since the last call.
  std::vector<NamedLimit*> take_reached_or_freed() { return std::exchange(words_, {}); }

 private:
  NamedLimit& insert(LimitScope scope, std::string_view name);
  void changed(NamedLimit& named);
  // Sets what results of the records.
  void change_gate(NamedLimit& named);
  void fill_window(NamedLimit& named);
  void note_start(NamedLimit& named);
  GateRow row_of(const NamedLimit& named) const;
  void store_entries(NamedLimit& named, Store& store);

  Names names_;
  std::uint64_t generation_ = 1;  // of the set of names: who remembers where one is looks again
  std::int64_t versions_ = 0;
  Kept kept_;
  Key looked_at_{};  // how far forget_blank() has come
  Instant now_{};
  Instant stamped_at_{};
  std::vector<NamedLimit*> fresh_;    // with starts since the last stamp
  std::vector<NamedLimit*> stamped_;  // with starts of the last stamp
  std::vector<NamedLimit*> to_store_;
  std::vector<NamedLimit*> untold_;
  std::vector<NamedLimit*> reached_;
  std::vector<NamedLimit*> words_;
};

}  // namespace stint
