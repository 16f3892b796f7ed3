#include "nodes/record/recorded_message.hpp"

#include <cassert>
#include <string_view>
#include <type_traits>
#include <utility>

#include "nodes/links/link_codec.hpp"
#include "nodes/record/byte_text.hpp"
#include "protocol/codec.hpp"

namespace stint {

namespace {

// A recording comes from a node that has checked it all.
Bounds no_bounds() {
  Bounds bounds;
  bounds.payload_bytes = Bounds::message_bytes;
  bounds.result_bytes = Bounds::message_bytes;
  bounds.jobs_per_request = 1'000'000;
  bounds.meta_bytes = Bounds::message_bytes;
  bounds.batch_max = 1'000'000;
  return bounds;
}

// --- What no link carries ---

std::string result_bytes(const RunResult& result) {
  Finish finish;
  finish.results.push_back(result);
  return encode(Request(std::move(finish)));
}

// What of a `finish` is not among its fields follows it.
std::string finish_bytes(const Finish& finish) {
  ByteText bytes;
  bytes.put(std::string_view(encode(Request(finish))));
  bytes.put(static_cast<std::uint32_t>(finish.positions.size()));
  for (const std::int64_t position : finish.positions) bytes.put(position);
  bytes.put(static_cast<std::uint32_t>(finish.faulty.size()));
  for (const Finish::Faulty& faulty : finish.faulty) {
    bytes.put(faulty.at);
    bytes.put(static_cast<std::uint8_t>(faulty.code));
    bytes.put(std::string_view(faulty.field));
    bytes.put(std::string_view(faulty.message));
  }
  return bytes.take();
}

Error damaged(const std::string& kind) {
  return {ErrorCode::bad_message, "a message of kind '" + kind + "' is damaged"};
}

Result<Message> finish_of(const std::string& text) {
  ByteTaking bytes(text);
  auto decoded = decode_request("finish", bytes.text(), no_bounds());
  if (!decoded) return decoded.error();
  Finish finish = std::get<Finish>(std::move(decoded->request));
  finish.positions.clear();
  for (auto left = bytes.number<std::uint32_t>(); left > 0 && bytes.is_good(); --left)
    finish.positions.push_back(bytes.number<std::int64_t>());
  for (auto left = bytes.number<std::uint32_t>(); left > 0 && bytes.is_good(); --left) {
    Finish::Faulty& faulty = finish.faulty.emplace_back();
    faulty.at = bytes.number<std::int64_t>();
    faulty.code = static_cast<ErrorCode>(bytes.number<std::uint8_t>());
    faulty.field = bytes.text();
    faulty.message = bytes.text();
  }
  if (!bytes.is_good_and_done()) return damaged("finish");
  return Message(std::move(finish));
}

Result<Message> run_ended_of(const std::string& text) {
  auto decoded = decode_request("finish", text, no_bounds());
  if (!decoded) return decoded.error();
  Finish& finish = std::get<Finish>(decoded->request);
  if (finish.results.size() != 1) return damaged("run_ended");
  return Message(RunEnded{std::move(finish.results.front())});
}

Result<Message> run_progress_of(const std::string& text) {
  ByteTaking bytes(text);
  RunProgress progress;
  progress.run.id = bytes.number<std::int64_t>();
  progress.run.run = bytes.number<std::int64_t>();
  progress.progress = bytes.number<std::int64_t>();
  if (!bytes.is_good_and_done()) return damaged("run_progress");
  return Message(progress);
}

std::string peer_bytes(NodeNumber peer) {
  ByteText bytes;
  bytes.put(peer);
  return bytes.take();
}

std::uint64_t hash_of(std::string_view bytes) {
  std::uint64_t hash = 14695981039346656037U;  // FNV-1a
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 1099511628211U;
  return hash;
}

}  // namespace

RecordedBody record(const Message& message, Instant now) {
  return std::visit(
      [&](const auto& part) -> RecordedBody {
        using Part = std::decay_t<decltype(part)>;
        if constexpr (std::is_same_v<Part, Finish>) {
          return {"finish", finish_bytes(part)};
        } else if constexpr (std::is_same_v<Part, LinkUp>) {
          return {"link_up", peer_bytes(part.peer)};
        } else if constexpr (std::is_same_v<Part, LinkDown>) {
          return {"link_down", peer_bytes(part.peer)};
        } else if constexpr (std::is_same_v<Part, StopWork>) {
          return {"stop_work", {}};
        } else if constexpr (std::is_same_v<Part, RunEnded>) {
          return {"run_ended", result_bytes(part.result)};
        } else if constexpr (std::is_same_v<Part, RunProgress>) {
          ByteText bytes;
          bytes.put(part.run.id);
          bytes.put(part.run.run);
          bytes.put(part.progress);
          return {"run_progress", bytes.take()};
        } else {
          auto body = encode_for_link(Message(part), now);
          if (!body) return {"unknown", {}};
          return {std::string(body->kind), std::move(body->bytes)};
        }
      },
      message);
}

Result<Message> message_of(const std::string& kind, const std::string& bytes, Instant now) {
  if (kind == "finish") return finish_of(bytes);
  if (kind == "run_ended") return run_ended_of(bytes);
  if (kind == "run_progress") return run_progress_of(bytes);
  if (kind == "stop_work") return Message(StopWork{});
  ByteTaking taking(bytes);
  if (kind == "link_up") return Message(LinkUp{taking.number<NodeNumber>()});
  if (kind == "link_down") return Message(LinkDown{taking.number<NodeNumber>()});
  return decode_from_link(kind, bytes, now, no_bounds());
}

std::string line_of(const Envelope& envelope, Instant now) {
  RecordedBody body;
  if (const auto* start = std::get_if<StartRun>(&envelope.message)) {
    body = {"start_run", std::to_string(start->job.id) + " " + std::to_string(start->job.run)};
  } else if (const auto* stop = std::get_if<StopRun>(&envelope.message)) {
    body = {"stop_run", std::to_string(stop->run.id) + " " + std::to_string(stop->run.run)};
  } else if (const auto* written = std::get_if<EventsWritten>(&envelope.message)) {
    body = {"events_written", std::to_string(written->chunk.first_seq) + written->chunk.bytes};
  } else if (const auto* notice = std::get_if<WorkerNotice>(&envelope.message)) {
    body = {"worker_notice", notice->text};
  } else {
    body = record(envelope.message, now);
  }
  // How large the files are is no decision.
  if (std::holds_alternative<Stats>(envelope.message)) body.bytes.clear();
  return body.kind + " to " + std::to_string(static_cast<int>(envelope.to.place)) + "/" +
         std::to_string(envelope.to.id) + "/" + std::to_string(envelope.to.node) + " " +
         std::to_string(hash_of(body.bytes)) + "\n";
}

}  // namespace stint
