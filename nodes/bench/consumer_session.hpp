// ConsumerSession: one connection of the consuming load driver, with its session, asks and reports.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "nodes/bench/bench_dealer.hpp"
#include "nodes/bench/driver_line.hpp"
#include "nodes/bench/load_consumer.hpp"

namespace stint {

class ConsumerSession {
 public:
  ConsumerSession(zmq::context_t& context, const ConsumerOptions& options, std::int64_t number);

  // Waits until the server knows the session, and sends so many asks.
  Result<Done, Failure> begin(std::int64_t asks);
  // Takes all answers that have come. Adds to the counts of `line`, and how long stamped jobs took to
  // `samples_us`.
  Result<Done, Failure> work(DriverLine& line, std::vector<std::int64_t>& samples_us);
  // Takes leave, and waits at most so long for the answer.
  void end(std::int64_t within_ms);

  int descriptor() const { return server_.descriptor(); }

 private:
  void ask();
  Result<Done, Failure> finish(const Batch& batch, DriverLine& line, std::vector<std::int64_t>& samples_us);
  Result<Done, Failure> acknowledged(const Finished& finished, DriverLine& line);

  const ConsumerOptions& options_;
  BenchDealer server_;
  SessionId session_;
  std::string worker_;
  std::int64_t asks_ = 0;
  std::int64_t got_ = 0;
  std::set<std::int64_t> answered_;  // above got_
};

}  // namespace stint
