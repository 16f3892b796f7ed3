// EventBuilder: gathers the events of one turn into messages, numbers them, and encodes them as one
// EventChunk: a row a commit. Owned by the storage actor.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "actors/events/job_marks.hpp"
#include "actors/events/topic_heads.hpp"
#include "actors/jobs/name_set.hpp"
#include "protocol/messages/events.hpp"
#include "storage/store.hpp"

namespace stint {

// The session of an event, as the builder is told of it.
struct EventSession {
  const SessionId& id;
  std::string_view worker;
};

class EventBuilder {
 public:
  // A message with so many jobs is closed: whoever reads it must be able to take it whole.
  static constexpr std::uint64_t most_items = 1000;

  // Where the stored log stands: its name, its newest message, and then the newest one of each topic.
  void continue_after(std::int64_t seq, std::string log);
  void load_topic(const TopicRow& row) { topics_.load(row); }

  const std::string& log() const { return log_; }
  // Of those that were flushed.
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
  // One of the kinds that are kept: set, cleared, conflict, paused, resumed.
  void add_limit(EventKind kind, LimitScope scope, std::string_view name,
                 std::optional<LimitSource> source = {}, const std::optional<Limit>& limit = {},
                 std::optional<std::int64_t> for_ms = {});

  bool empty() const { return messages_.empty(); }

  struct Flushed {
    EventChunk chunk;
    std::vector<TopicRow> topics;  // whose newest message is in it: to be stored in the same commit
  };
  // The messages since the last flush(), numbered on without gaps. There must be some.
  Flushed flush(WallMs at_ms);

  // Messages below `seq` are no longer kept: nobody need be told of them as the ones before.
  void forget_topics_before(std::int64_t seq) { topics_.forget_before(seq); }

 private:
  struct OpenMessage {
    EventKind kind;
    std::uint64_t queue = 0;  // of jobs: its name's number
    std::uint64_t items = 0;  // of jobs
    JobId last_job = 0;
    LimitScope scope = LimitScope::queue;
    std::string name;   // of a limit
    std::string bytes;  // of the items, or of what happened to the limit
  };

  // The message that may take an event of this job: an item never overtakes an earlier event of its own job.
  OpenMessage& message_for(EventKind kind, std::uint64_t queue, JobId job);
  std::uint64_t session_number(const EventSession* session);
  const std::string& topic_of(const OpenMessage& message);
  void append_message(std::string& bytes, const OpenMessage& message, std::int64_t seq);

  // Numbers names in the order they are met. Mostly the same one comes again and again.
  class Names {
   public:
    std::uint64_t number(std::string_view name);
    std::string_view name(std::uint64_t number) const { return in_order_[number]; }
    void append_to(std::string& bytes) const;
    void clear();

   private:
    NameMap<std::uint64_t> numbers_;
    std::vector<std::string_view> in_order_;
    std::string last_;
    std::uint64_t last_number_ = 0;
  };

  std::string log_;
  std::int64_t last_seq_ = 0;
  TopicHeads topics_;
  std::string topic_;  // the one that is looked up
  std::vector<OpenMessage> messages_;
  std::unordered_map<std::uint64_t, std::size_t> open_;  // (queue, kind) to the newest such message
  JobMarks newest_of_job_;                               // the message with its newest event
  Names queues_;
  Names handlers_;
  std::unordered_map<SessionId, std::uint64_t> sessions_;
  std::string session_bytes_;
};

}  // namespace stint
