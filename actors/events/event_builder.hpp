// EventBuilder: gathers the events of one turn into messages and encodes them as one EventChunk (rule D11: a
// row a commit). Owned by the storage actor.
//
// A chunk, all numbers varints: format; at_ms; names of queues and of handlers (each: count, texts); sessions
// (count; each: 16 bytes, worker's name); then each message: kind, queue, number of items, and each item: job
// as the zigzag difference from the one before, handler, run, attempt, session (from 1; 0: none), next.
// Queues and handlers are positions among their names.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "actors/events/event.hpp"
#include "actors/jobs/name_set.hpp"
#include "storage/store.hpp"

namespace stint {

// The session of an event, as the builder is told of it.
struct EventSession {
  const SessionId& id;
  std::string_view worker;
};

class EventBuilder {
 public:
  static constexpr std::uint64_t format = 1;

  // The newest message that there is so far.
  void continue_after(std::int64_t seq);
  std::int64_t last_seq() const { return last_seq_; }

  struct Item {
    JobId job = 0;
    std::string_view handler{};
    std::int64_t run = 0;
    std::int64_t attempt = 0;
    const EventSession* session = nullptr;
    EventNext next = EventNext::none;
  };
  void add(EventKind kind, std::string_view queue, const Item& item);

  bool empty() const { return messages_.empty(); }
  // The messages since the last flush(), numbered on without gaps.
  EventChunk flush(WallMs at_ms);

 private:
  struct OpenMessage {
    EventKind kind;
    std::uint64_t queue;  // its name's number
    std::uint64_t items = 0;
    JobId last_job = 0;
    std::string bytes;
  };

  // The message that may take an event of this job: an item never overtakes an earlier event of its own job.
  OpenMessage& message_for(EventKind kind, std::uint64_t queue, JobId job);
  std::uint64_t session_number(const EventSession* session);

  // Numbers names in the order they are met. Mostly the same one comes again and again.
  class Names {
   public:
    std::uint64_t number(std::string_view name);
    void write_and_clear(std::string& chunk);

   private:
    NameMap<std::uint64_t> numbers_;
    std::string bytes_;
    std::string last_;
    std::uint64_t last_number_ = 0;
  };

  std::int64_t last_seq_ = 0;
  std::vector<OpenMessage> messages_;
  std::unordered_map<std::uint64_t, std::size_t> open_;   // (queue, kind) to the newest such message
  std::unordered_map<JobId, std::size_t> newest_of_job_;  // the message with its newest event
  Names queues_;
  Names handlers_;
  std::unordered_map<SessionId, std::uint64_t> sessions_;
  std::string session_bytes_;
};

}  // namespace stint
