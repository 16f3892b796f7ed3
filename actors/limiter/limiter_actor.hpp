// LimiterActor: decides when work is claimed, how much of it, and for whom. It parks asks until there is a
// job that their session can run and that its limits let start, serves the oldest first, and leaves the claim
// itself to storage, whose ledger has the last word. One a limiter node.
//
// An ask is the limiter's until it claims for it; then it is storage's, which answers it or gives it back.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "actors/kernel/actor.hpp"
#include "actors/limiter/answered_asks.hpp"
#include "actors/limiter/gate_board.hpp"
#include "actors/limiter/lane_index.hpp"
#include "actors/limiter/open_checks.hpp"
#include "actors/limits/homes.hpp"

namespace stint {

// What a limiter holds at most. Beyond it asks are refused as `overloaded`.
struct LimiterBounds {
  std::size_t asks = 20'000;
  std::size_t lane_entries = 2'000'000;  // over all asks: queues times handlers
  std::size_t sessions = 50'000;         // more than asks; beyond it the one unheard for longest is forgotten
  std::size_t askers = 4;                // of one ask that is repeated while it is parked
};

struct LimiterOptions {
  LimiterBounds bounds;
  // Of a cluster: whose each queue is, and which of them this one is. Nothing: all queues are this limiter's.
  std::optional<Homes> homes;
  NodeNumber self = 0;
  bool is_apart = false;  // storage is on another node: what is said to it and by it can be lost
};

class LimiterActor
    : public Handles<LimiterActor, Started, RequestBatch, SessionOpened, SessionEnded, SessionSilent,
                     LimiterDelta, LimiterHead, LinkUp, AskIsNew, AskAnswered, Claimed, AskTick, GateTick> {
 public:
  explicit LimiterActor(LimiterOptions options = {})
      : options_(std::move(options)), bounds_(options_.bounds) {}

  void on(Started&&, Turn& turn);
  void on(RequestBatch&& request, Turn& turn);
  void on(SessionOpened&& opened, Turn& turn);
  void on(SessionEnded&& ended, Turn& turn);
  void on(SessionSilent&& silent, Turn& turn);
  void on(LimiterDelta&& delta, Turn& turn);
  void on(LimiterHead&& head, Turn& turn);
  // To the storage node.
  void on(LinkUp&&, Turn& turn);
  void on(AskIsNew&& told, Turn& turn);
  void on(AskAnswered&& told, Turn& turn);
  void on(Claimed&& claimed, Turn& turn);
  void on(AskTick&&, Turn& turn);
  void on(GateTick&&, Turn& turn);

  // Storage says again what there is; the open requests are answered by the door.
  void rolled_back(Turn& turn) override;

 private:
  using Handlers = std::shared_ptr<const std::vector<std::string>>;
  using ClaimNumber = std::uint64_t;

  enum class AskState {
    parked,    // in the lanes: the next ready job may go to it
    claiming,  // storage decides
    resting,   // storage refused although there is work: not at once again
  };
  struct Ask {
    RequestBatch request;
    std::vector<Address> askers;       // all get the same answer
    std::vector<Address> late_askers;  // came after the claim that is on its way had left
    Instant deadline{};                // when the wait is over
    Instant due{};                     // its place in due_: the deadline, or the end of a rest
    AskState state = AskState::resting;
  };
  struct Session {
    Handlers handlers;
    std::optional<std::int64_t> highest_answered;  // before it was met here
    std::int64_t got = 0;
    std::map<std::int64_t, AskAge> open;  // asks by number
    AnsweredAsks answered;                // above `got`, since it was met here
    std::list<SessionId>::iterator place;
  };
  struct ClaimOnItsWay {
    Claim claim;
    AskAge ask = 0;
    std::vector<std::string> queues;
    std::optional<Claimed> outcome;  // it has come, but not yet the delta that it includes
    bool may_be_lost = false;        // the link broke: the first copy, or what storage answered
    Instant repeat_at{};
  };
  // A lane that is kept for another queue's turn (rule L11).
  struct HeldLane {
    Instant until{};
    std::string queue;
    std::string handler;
    friend auto operator<=>(const HeldLane&, const HeldLane&) = default;
  };

  // Asks.
  void open_ask(Session& session, RequestBatch&& request, const Address& asker, Turn& turn);
  void repeat_ask(AskAge age, const RequestBatch& request, const Address& asker, Turn& turn);
  void park(AskAge age, Turn& turn);
  void close_empty(AskAge age, Turn& turn);
  void erase_ask(AskAge age);
  bool is_certainly_new(const Session& session, std::int64_t ask) const;
  // False: its session has ended, and may be known anew, while a claim for the ask was on its way.
  bool is_open(const Session& session, AskAge age) const;
  bool has_room_for(const Session& session, const RequestBatch& request) const;
  void add_asker(std::vector<Address>& askers, const Address& asker, Turn& turn);
  void set_due(AskAge age, Instant due, Turn& turn);
  void set_tick(Instant at, Turn& turn);
  bool waits_for_a_claim(const Ask& ask) const;
  // Storage is to answer, or to say that the ask is new.
  void check(RequestBatch&& request, const Address& asker, Turn& turn);
  void repeat_checks(std::vector<CheckAsk>&& checks, Turn& turn);

  // News.
  void want_snapshot(Turn& turn);
  bool is_known(const Claimed& outcome) const;
  void settle_known(Turn& turn);
  void learn(GateNews&& news, std::set<std::string>& opened, Turn& turn);
  void look_at_handler(const std::string& handler, std::set<std::string>& opened, Turn& turn);
  void set_gate_tick(Turn& turn);
  std::optional<Instant> next_gate_tick() const;

  // Why an ask is answered without jobs, and when it is worth asking again.
  Batch empty_answer(const RequestBatch& request, Turn& turn) const;
  void explain_hold(LimitScope scope, const std::string& name, Batch& answer, Turn& turn) const;
  std::optional<Error> fault_of(const RequestBatch& request) const;
  static Error overloaded(std::string message);

  // Claims.
  void serve(const std::string& queue, Turn& turn);
  void claim_for(AskAge age, Turn& turn);
  void repeat_claims(Turn& turn);
  void settle(const ClaimOnItsWay& claim, Turn& turn);
  void take_back(const ClaimOnItsWay& claim, Turn& turn);

  // Sessions.
  void acknowledge(const SessionId& id, std::int64_t got, Turn& turn);
  bool make_room_for_session();
  void close_open_asks_up_to(const Session& session, std::int64_t number, Turn& turn);

  LimiterOptions options_;
  LimiterBounds bounds_;
  std::unordered_map<SessionId, Session> sessions_;
  std::list<SessionId> heard_;  // the one heard last in front
  std::map<AskAge, Ask> asks_;
  AskAge ages_ = 0;
  std::set<std::pair<Instant, AskAge>> due_;
  std::optional<Instant> tick_at_;  // of the earliest AskTick that is on its way
  OpenChecks checks_;               // of a limiter that is apart
  LaneIndex lanes_;
  GateBoard gates_;
  std::set<HeldLane> held_lanes_;
  std::optional<Instant> gate_tick_at_;  // of the earliest GateTick that is on its way
  // The newest delta that was heard, without a gap.
  std::int64_t epoch_ = 0;
  std::uint64_t seen_ = 0;
  std::optional<Instant> snapshot_wanted_at_;
  std::map<ClaimNumber, ClaimOnItsWay> claims_;
  ClaimNumber claims_made_ = 0;
  std::set<std::string> claimed_queues_;  // with a claim on its way (rule L12)
};

}  // namespace stint
