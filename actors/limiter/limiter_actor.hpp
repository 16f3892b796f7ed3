// LimiterActor: decides when work is claimed, how much of it, and for whom. It parks asks until there is a
// job that their session can run, serves the oldest first, and leaves the claim itself to storage. One a
// limiter node.
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
#include "actors/limiter/lane_index.hpp"

namespace stint {

// What a limiter holds at most. Beyond it asks are refused as `overloaded`.
struct LimiterBounds {
  std::size_t asks = 20'000;
  std::size_t lane_entries = 2'000'000;  // over all asks: queues times handlers
  std::size_t sessions = 50'000;         // more than asks; beyond it the one unheard for longest is forgotten
  std::size_t askers = 4;                // of one ask that is repeated while it is parked
};

class LimiterActor : public Handles<LimiterActor, Started, RequestBatch, SessionOpened, SessionEnded,
                                    SessionSilent, LanesChanged, AskIsNew, Claimed, AskTick> {
 public:
  explicit LimiterActor(LimiterBounds bounds = {}) : bounds_(bounds) {}

  void on(Started&&, Turn&) {}  // storage says what there is
  void on(RequestBatch&& request, Turn& turn);
  void on(SessionOpened&& opened, Turn& turn);
  void on(SessionEnded&& ended, Turn& turn);
  void on(SessionSilent&& silent, Turn& turn);
  void on(LanesChanged&& changed, Turn& turn);
  void on(AskIsNew&& told, Turn& turn);
  void on(Claimed&& claimed, Turn& turn);
  void on(AskTick&&, Turn& turn);

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
    AskAge ask = 0;
    std::vector<std::string> queues;
    std::optional<Claimed> outcome;  // it has come, but not yet the lanes that it includes
  };

  // Asks.
  void open_ask(Session& session, RequestBatch&& request, const Address& asker, Turn& turn);
  void repeat_ask(AskAge age, const RequestBatch& request, const Address& asker, Turn& turn);
  void park(AskAge age, Turn& turn);
  void close_empty(AskAge age, Turn& turn);
  void erase_ask(AskAge age);
  bool is_certainly_new(const Session& session, std::int64_t ask) const;
  bool has_room_for(const Session& session, const RequestBatch& request) const;
  void add_asker(std::vector<Address>& askers, const Address& asker, Turn& turn);
  void set_due(AskAge age, Instant due, Turn& turn);
  void set_tick(Instant at, Turn& turn);
  bool waits_for_a_claim(const Ask& ask) const;

  // Claims.
  void serve(const std::string& queue, Turn& turn);
  void claim_for(AskAge age, Turn& turn);
  std::int64_t may_start(const std::string& queue, std::int64_t permits) const;
  void settle(const ClaimOnItsWay& claim, Turn& turn);
  void take_back(const ClaimOnItsWay& claim, Turn& turn);

  // Sessions.
  void acknowledge(const SessionId& id, std::int64_t got, Turn& turn);
  bool make_room_for_session();
  void close_open_asks_up_to(const Session& session, std::int64_t number, Turn& turn);

  LimiterBounds bounds_;
  std::unordered_map<SessionId, Session> sessions_;
  std::list<SessionId> heard_;  // the one heard last in front
  std::map<AskAge, Ask> asks_;
  AskAge ages_ = 0;
  std::set<std::pair<Instant, AskAge>> due_;
  std::optional<Instant> tick_at_;  // of the earliest AskTick that is on its way
  LaneIndex lanes_;
  std::uint64_t lanes_seen_ = 0;  // the sequence of the newest LanesChanged
  std::map<ClaimNumber, ClaimOnItsWay> claims_;
  ClaimNumber claims_made_ = 0;
  std::set<std::string> claimed_queues_;  // with a claim on its way (rule L12)
};

}  // namespace stint
