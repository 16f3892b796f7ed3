#include "nodes/record/recorder.hpp"

#include "nodes/record/recorded_message.hpp"

namespace stint {

Result<std::unique_ptr<Recorder>> Recorder::open(const std::string& file, const RecordedStart& start,
                                                 Log& log) {
  std::ofstream stream(file, std::ios::binary | std::ios::trunc);
  stream << encode(start) << std::flush;
  if (!stream) return Error{ErrorCode::storage_unavailable, "the recording " + file + " cannot be written"};
  return std::unique_ptr<Recorder>(new Recorder(std::move(stream), file, start.storage.now, log));
}

void Recorder::posted(const Envelope& envelope) {
  if (is_out_) return;
  RecordedBody body = record(envelope.message, now_);
  write(RecordedPost{envelope.from, envelope.to, std::move(body.kind), std::move(body.bytes)});
}

void Recorder::begins(Instant now, WallMs wall_now) {
  now_ = std::max(now_, now);
  write(RecordedTurn{now, wall_now});
}

void Recorder::leaves(const std::vector<Envelope>& outgoing) {
  if (is_out_) return;
  RecordedLeave leave;
  for (const Envelope& envelope : outgoing) leave.lines += line_of(envelope, now_);
  write(leave);
}

void Recorder::committed(Instant now) {
  now_ = std::max(now_, now);
  write(RecordedCommit{now});
  end_turn();
}

void Recorder::rolled_back(Instant now, WallMs wall_now) {
  now_ = std::max(now_, now);
  write(RecordedRollback{now, wall_now});
  end_turn();
}

void Recorder::write(const RecordedEntry& entry) {
  if (!is_out_) file_ << encode(entry);
}

void Recorder::end_turn() {
  file_.flush();
  if (file_ || is_out_) return;
  is_out_ = true;
  log_.error("the recording cannot be written, and ends", {{"file", name_}});
}

}  // namespace stint
