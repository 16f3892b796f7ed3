#include "actors/events/event_chunk.hpp"

#include <algorithm>
#include <utility>

#include "actors/events/chunk_limit.hpp"
#include "actors/events/varint.hpp"

namespace stint {

namespace {

struct Session {
  SessionId id;
  std::string worker;
};

// Damaged numbers may not overflow.
JobId plus(JobId a, JobId b) {
  return static_cast<JobId>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

// Follows the layout that event_chunk.hpp describes. Positions that do not exist are a fault like a short
// chunk.
class Decoder {
 public:
  Decoder(const EventChunk& chunk, const std::string& log) : chunk_(chunk), log_(log), reader_(chunk.bytes) {}

  std::optional<std::vector<EventMessage>> decode() {
    format_ = reader_.number();
    if (format_ < 1 || format_ > event_chunk_format) return std::nullopt;
    at_ms_ = unzigzag(reader_.number());
    queues_ = names();
    handlers_ = names();
    sessions_ = sessions();
    std::vector<EventMessage> messages;
    for (std::int64_t index = 0; good() && index < chunk_.messages; ++index) {
      messages.push_back(message(chunk_.first_seq + index));
    }
    if (!good() || !reader_.at_end()) return std::nullopt;
    return messages;
  }

 private:
  bool good() const { return reader_.ok() && sound_; }

  // A count of things of at least so many bytes each: more than there can be is a fault, not memory to take.
  std::uint64_t count(std::uint64_t least_bytes) {
    const std::uint64_t count = reader_.number();
    if (count > reader_.bytes_left() / least_bytes) sound_ = false;
    return good() ? count : 0;
  }

  std::vector<std::string> names() {
    std::vector<std::string> names;
    for (std::uint64_t left = count(1); left > 0; --left) names.emplace_back(reader_.text());
    return names;
  }

  std::vector<Session> sessions() {
    std::vector<Session> sessions;
    for (std::uint64_t left = count(sizeof(SessionId)); left > 0; --left) {
      Session& session = sessions.emplace_back();
      const std::string_view id = reader_.bytes(session.id.bytes.size());
      std::copy(id.begin(), id.end(), session.id.bytes.begin());
      session.worker = reader_.text();
    }
    return sessions;
  }

  EventMessage message(std::int64_t seq) {
    EventMessage message;
    message.seq = seq;
    message.log = log_;
    message.at_ms = at_ms_;
    message.event = enumerator(EventKind::count_);
    const std::uint64_t distance = format_ == 1 ? 0 : reader_.number();
    if (distance > 0) message.prev = prev(seq, distance);
    if (!is_of_limit(message.event)) {
      read_jobs(message);
    } else if (format_ > 1 && message.event < EventKind::reached) {
      read_limit_change(message);
    } else {
      sound_ = false;
    }
    return message;
  }

  std::int64_t prev(std::int64_t seq, std::uint64_t distance) {
    if (distance < static_cast<std::uint64_t>(seq)) return seq - static_cast<std::int64_t>(distance);
    sound_ = false;
    return 0;
  }

  void read_jobs(EventMessage& message) {
    message.queue = name(queues_);
    std::uint64_t left = count(6);
    message.items.reserve(left);
    for (JobId job = 0; good() && left > 0; --left) {
      job = plus(job, unzigzag(reader_.number()));
      message.items.push_back(item(job));
    }
  }

  void read_limit_change(EventMessage& message) {
    const std::uint64_t scope = reader_.number();
    message.scope = static_cast<LimitScope>(scope);
    sound_ &= scope <= static_cast<std::uint64_t>(LimitScope::handler);
    message.name = reader_.text();
    if (const std::uint64_t source = reader_.number(); source > 0) {
      message.source = static_cast<LimitSource>(source - 1);
      sound_ &= source - 1 <= static_cast<std::uint64_t>(LimitSource::enqueue);
    }
    if (const std::uint64_t bits = reader_.number(); bits > 0) {
      message.limit = read_limit(bits, reader_);
      sound_ &= message.limit.has_value();
    }
    if (const std::uint64_t for_ms = reader_.number(); for_ms > 0) {
      message.for_ms = static_cast<std::int64_t>(for_ms - 1);
    }
  }

  EventItem item(JobId job) {
    EventItem item;
    item.job = job;
    item.handler = name(handlers_);
    item.run = static_cast<std::int64_t>(reader_.number());
    item.attempt = static_cast<std::int64_t>(reader_.number());
    const std::uint64_t session = reader_.number();
    if (session > sessions_.size()) {
      sound_ = false;
    } else if (session > 0) {
      item.session = sessions_[session - 1].id;
      item.worker = sessions_[session - 1].worker;
    }
    item.next = enumerator(EventNext::count_);
    return item;
  }

  std::string name(const std::vector<std::string>& names) {
    const std::uint64_t position = reader_.number();
    if (position < names.size()) return names[position];
    sound_ = false;
    return {};
  }

  template <class Enumeration>
  Enumeration enumerator(Enumeration count) {
    const std::uint64_t value = reader_.number();
    if (value < static_cast<std::uint64_t>(count)) return static_cast<Enumeration>(value);
    sound_ = false;
    return Enumeration{};
  }

  const EventChunk& chunk_;
  const std::string& log_;
  VarintReader reader_;
  std::uint64_t format_ = 0;
  bool sound_ = true;
  WallMs at_ms_ = 0;
  std::vector<std::string> queues_;
  std::vector<std::string> handlers_;
  std::vector<Session> sessions_;
};

}  // namespace

Result<std::vector<EventMessage>> decode_events(const EventChunk& chunk, const std::string& log) {
  if (auto messages = Decoder(chunk, log).decode()) return std::move(*messages);
  return Error{ErrorCode::internal, "the events from " + std::to_string(chunk.first_seq) +
                                        " on cannot be read: their record is damaged"};
}

}  // namespace stint
