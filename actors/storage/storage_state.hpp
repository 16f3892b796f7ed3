// StorageState: what the storage actor knows. Plain data that the parts of the actor work on, each on its
// subject; rebuilt from the store when it is loaded.
#pragma once

#include <cstdint>
#include <memory>
#include <set>

#include "actors/events/event_builder.hpp"
#include "actors/jobs/leases.hpp"
#include "actors/kernel/address.hpp"
#include "actors/limits/ledger.hpp"
#include "actors/storage/job_board.hpp"
#include "actors/storage/sessions.hpp"
#include "actors/storage/storage_options.hpp"
#include "protocol/time.hpp"
#include "storage/store.hpp"

namespace stint {

// Since the start of this process.
struct Counters {
  std::int64_t enqueued = 0;
  std::int64_t started = 0;
  std::int64_t completed = 0;
  std::int64_t failed = 0;
  std::int64_t lost = 0;
  std::int64_t undelivered = 0;
  std::int64_t stale = 0;
};

// What is in the store, as it is needed in memory.
struct Loaded {
  explicit Loaded(const Defaults& defaults) : leases(from_ms(defaults.lease_ms)) {}

  JobBoard board;
  Leases leases;
  Sessions sessions;
  EventBuilder events;
  Ledger ledger;
  JobId last_job = 0;
  SessionNumber last_session = 0;
  // Sessions up to this one are older than what storage, or some limiter, remembers: any of their asks may
  // have been answered without jobs before, and a copy of it still be on its way.
  SessionNumber last_older_session = 0;
  ReceiptId last_receipt = 0;
  // To be written before the commit, if they are still there by then.
  std::set<ReceiptId> acknowledged;
};

struct StorageState {
  StorageState(Store& its_store, StorageOptions its_options)
      : store(its_store),
        options(std::move(its_options)),
        loaded(std::make_unique<Loaded>(options.defaults)) {}

  Store& store;
  const StorageOptions options;
  std::unique_ptr<Loaded> loaded;
  Counters counters;
  std::int64_t epoch = 0;  // the number of this start
  Instant started_at{};
  // The time of the turn.
  Instant now{};
  WallMs wall_now = 0;
  // The other nodes of the cluster to which there is a link.
  std::set<NodeNumber> linked;

  JobBoard& board() { return loaded->board; }
  Leases& leases() { return loaded->leases; }
  Sessions& sessions() { return loaded->sessions; }
  EventBuilder& events() { return loaded->events; }
  Ledger& ledger() { return loaded->ledger; }
};

}  // namespace stint
