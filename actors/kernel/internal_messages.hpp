// Messages that only actors say to each other. They cannot come from the wire: no decoder knows them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "actors/kernel/address.hpp"
#include "actors/limits/gate.hpp"
#include "protocol/messages.hpp"
#include "protocol/time.hpp"
#include "storage/store.hpp"

namespace stint {

// --- To every actor ---

// The first message of every life of an actor; storage has loaded by then.
struct Started {};

// --- Storage to limiter ---

// What a limiter knows of a session: which handlers it serves. A newer one replaces it.
struct SessionOpened {
  SessionId session;
  std::shared_ptr<const std::vector<std::string>> handlers;  // sorted
  // The highest ask that was answered with jobs, in whatever life: asks above it are new. Not told: none can
  // be taken for new, each is checked first.
  std::optional<std::int64_t> highest_answered{};
};

// The session said goodbye, was taken over or forgotten: its parked asks are answered empty.
struct SessionEnded {
  SessionId session;
};

// A lease of the session ended because nothing was heard of it: its parked asks are answered empty, so that
// no job goes to a worker that may be gone while another waits.
struct SessionSilent {
  SessionId session;
};

// How many jobs are ready in the lanes of (queue, handler), over all priorities: the count itself, not a
// difference.
struct ReadyCount {
  std::string queue;
  std::string handler;
  std::int64_t ready = 0;
};

// What holds for a queue or handler now: the state itself, not a difference.
struct GateNews {
  LimitScope scope = LimitScope::queue;
  std::string name;
  std::optional<GateState> state;  // nothing: there is no limit and no pause
};

// What a limiter needs to know of its queues, and of the handlers that wait there. Numbered for each limiter
// without gaps within one start of storage (rule L12).
struct LimiterDelta {
  std::int64_t epoch = 0;  // storage's start
  std::uint64_t sequence = 0;
  bool is_snapshot = false;  // all there is: what it does not name is gone
  std::vector<ReadyCount> counts;
  std::vector<GateNews> gates;
};

// Once a second: the newest delta's number. A limiter that has missed one asks for all.
struct LimiterHead {
  std::int64_t epoch = 0;
  std::uint64_t sequence = 0;
};

// The ask that CheckAsk named is new and its session is known (SessionOpened came before): park it.
struct AskIsNew {
  RequestBatch ask;
  Address asker;
};

// Storage has answered whoever asked: the limiter need not say CheckAsk again.
struct AskAnswered {
  Address asker;
};

// Jobs of this handler that wait in this queue are another queue's turn to bring (rule L11): not before this
// has passed.
struct RefusedLane {
  std::string queue;
  std::string handler;
  Duration retry_in{};
};

// The end of a claim. `taken` 0: the ask is the limiter's again, else it was answered by storage.
struct Claimed {
  std::uint64_t claim = 0;
  std::int64_t taken = 0;
  std::int64_t epoch = 0;
  std::uint64_t sequence = 0;  // of the last LimiterDelta that includes it
  std::vector<RefusedLane> refused{};
};

// --- Limiter to storage ---

// An ask the limiter cannot judge: of a session it has not met in this life, or a number it has seen
// answered. Storage answers the asker (the same batch again, unknown_session) and says AskAnswered, or says
// AskIsNew.
struct CheckAsk {
  RequestBatch ask;
  Address asker;
};

// Deltas were missed, or this limiter is new: tell it all.
struct SnapshotWanted {};

// Take the first jobs over the lanes that the session serves, at most so many a queue and `most` in all.
struct Claim {
  std::uint64_t claim = 0;
  SessionId session;
  std::int64_t ask = 0;
  std::map<std::string, std::int64_t> queues;
  std::int64_t most = 0;
  std::vector<Address> askers;  // all are sent the batch: an ask may be repeated while it is parked
  bool is_repeated = false;     // nobody answered the first one
};

// The session has received the answer of every ask up to `got` (rule D3).
struct Acknowledge {
  SessionId session;
  std::int64_t got = 0;
};

// --- A node to storage ---

// A batch with these runs could not leave: the connection it was for is gone.
struct BatchDropped {
  std::vector<JobRun> runs;
};

// --- Worker and runners ---

struct StartRun {
  LeasedJob job;
};

// Ends a run early. A thread is asked to stop; a command's process group is killed.
struct StopRun {
  JobRun run;
};

// A runner's word that a run is over; every StartRun gets exactly one, after StopRun too.
struct RunEnded {
  RunResult result;
};

struct RunProgress {
  JobRun run;
  std::int64_t progress = 0;
};

// The connection to the server came up (again): what was sent before may be lost. To storage: that to another
// node of its cluster.
struct LinkUp {
  NodeNumber peer = 0;
};
struct LinkDown {
  NodeNumber peer = 0;
};

// SIGTERM: take no more, finish within the grace time, release the rest.
struct StopWork {};

// The worker actor has nothing left to do: its node may end. Sent to `runner`.
struct WorkerStopped {};

// What people should read in the log of the worker's node. Sent to `log`.
struct WorkerNotice {
  enum class Level { info, warning, error };
  Level level = Level::info;
  std::string event;  // its short name: `result_stale`
  std::string text;
};

// --- To whoever publishes events ---

// What a turn has to say to subscribers. Sent to `events`, with the turn's commit.
struct EventsWritten {
  std::string log;                    // the name of this history
  EventChunk chunk;                   // what the commit holds; no messages: nothing
  std::vector<EventMessage> passing;  // without a number: published, not kept
  std::optional<EventLogHead> head;   // where the log stands, when that is to be said
};

// --- Timers: each comes back to the actor that set it ---

struct LeaseTick {};      // storage: look at the leases' deadlines
struct DueTick {};        // storage: look at the delayed jobs
struct HeartbeatTick {};  // storage: parked heartbeats whose wait is over
struct PruneTick {};      // storage: delete what is past its time
struct StampTick {};      // storage: whether the node stood still since limited jobs were handed out
struct HeadTick {};       // storage: tell limiters and subscribers where their news stand
struct EventTick {};      // storage: parked readers of the log whose wait is over
struct AskTick {};        // limiter: parked asks whose wait is over
struct GateTick {};       // limiter: a gate has opened
struct WorkTick {};       // worker: something it waits for is due, or a turn's messages have all been heard

template <class... Types>
struct TypeList {};

using InternalMessages =
    TypeList<Started, SessionOpened, SessionEnded, SessionSilent, BatchDropped, LimiterDelta, LimiterHead,
             SnapshotWanted, AskIsNew, AskAnswered, Claimed, CheckAsk, Claim, Acknowledge, StartRun, StopRun,
             RunEnded, RunProgress, LinkUp, LinkDown, StopWork, WorkerStopped, WorkerNotice, LeaseTick,
             DueTick, HeartbeatTick, PruneTick, StampTick, HeadTick, EventTick, AskTick, GateTick, WorkTick,
             EventsWritten>;

}  // namespace stint
