// Recorder: writes a recording of the node it belongs to, turn by turn. Owned by the node.
#pragma once

#include <fstream>
#include <memory>
#include <string>

#include "actors/kernel/turn_observer.hpp"
#include "nodes/record/recording.hpp"
#include "nodes/runtime/log.hpp"
#include "protocol/result.hpp"

namespace stint {

class Recorder final : public TurnObserver {
 public:
  // Overwrites the file. `log` must outlive it. Errors: storage_unavailable.
  static Result<std::unique_ptr<Recorder>> open(const std::string& file, const RecordedStart& start,
                                                Log& log);

  void posted(const Envelope& envelope) override;
  void begins(Instant now, WallMs wall_now) override;
  void leaves(const std::vector<Envelope>& outgoing) override;
  void committed(Instant now) override;
  void rolled_back(Instant now, WallMs wall_now) override;

 private:
  Recorder(std::ofstream file, std::string name, Instant now, Log& log)
      : file_(std::move(file)), name_(std::move(name)), now_(now), log_(log) {}
  void write(const RecordedEntry& entry);
  // A turn is on disk as a whole, as far as the node itself can fail.
  void end_turn();

  std::ofstream file_;
  std::string name_;
  Instant now_;  // what the actors know of the time
  Log& log_;
  bool is_out_ = false;  // it could not write, and says so once
};

}  // namespace stint
