// Claims: hands jobs out. A claim takes the first jobs, writes one receipt and answers the ask; an ask that
// comes again gets the same answer (rule D3).
#pragma once

#include <vector>

#include "actors/kernel/turn.hpp"
#include "actors/storage/admission.hpp"
#include "actors/storage/batch_budget.hpp"
#include "actors/storage/limiter_news.hpp"
#include "actors/storage/run_ends.hpp"
#include "actors/storage/session_desk.hpp"
#include "actors/storage/storage_state.hpp"

namespace stint {

class Claims {
 public:
  Claims(StorageState& state, SessionDesk& desk, RunEnds& ends, LimiterNews& news)
      : state_(state), desk_(desk), ends_(ends), news_(news) {}

  void on(Claim&& claim, Turn& turn);
  void on(CheckAsk&& check, Turn& turn);
  void on(Acknowledge&& acknowledge, Turn& turn);
  // The limiter may have its ask back: nothing was taken.
  void give_back(const Claim& claim, Turn& turn);
  // Whoever asked is answered so, rather than by the limiter.
  void answer(const CheckAsk& check, Message answer, Turn& turn);

 private:
  struct Taken {
    std::vector<Lease> leases;
    std::vector<Payload> payloads;
  };
  // Takes jobs out of their lanes, as many as a batch may hold. Error: the store cannot be read; none is
  // taken.
  Result<Taken> take(const Claim& claim, const Session& session, Admission& admission);
  // As many of these jobs as a batch holds.
  Status read(const std::vector<LaneHead>& heads, Taken& taken) const;
  std::int64_t batch_max(const std::string& queue) const;
  ReceiptId hand_out(const Claim& claim, Session& session, std::vector<Lease> leases);
  void send_batch(Batch batch, ReceiptId receipt, const std::vector<Address>& askers, Turn& turn);
  void answer_again(const Claim& claim, const Receipt& before, Turn& turn);
  void close(const Claim& claim, Session& session, Turn& turn);
  // What is left of a batch that was handed out before, charged again; what a limit refuses is taken back
  // (rule L7).
  Result<Batch> hand_out_again(ReceiptId id, Turn& turn);
  LeasedJob leased_job(const Lease& lease, Payload payload) const;

  StorageState& state_;
  SessionDesk& desk_;
  RunEnds& ends_;
  LimiterNews& news_;
};

}  // namespace stint
