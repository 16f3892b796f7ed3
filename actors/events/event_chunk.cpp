#include "actors/events/event_chunk.hpp"

#include <algorithm>
#include <utility>

#include "actors/events/event_builder.hpp"
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

// Follows the layout that event_builder.hpp describes. Positions that do not exist are a fault like a short
// chunk.
class Decoder {
 public:
  explicit Decoder(const EventChunk& chunk) : chunk_(chunk), reader_(chunk.bytes) {}

  std::optional<std::vector<EventMessage>> decode() {
    if (reader_.number() != EventBuilder::format) return std::nullopt;
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
  bool good() const { return reader_.ok() && positions_good_; }

  // A count of things of at least one byte each: more than there are bytes is a fault, not memory to take.
  std::uint64_t count() {
    const std::uint64_t count = reader_.number();
    if (count > reader_.bytes_left()) positions_good_ = false;
    return good() ? count : 0;
  }

  std::vector<std::string> names() {
    std::vector<std::string> names;
    for (std::uint64_t left = count(); left > 0; --left) names.emplace_back(reader_.text());
    return names;
  }

  std::vector<Session> sessions() {
    std::vector<Session> sessions;
    for (std::uint64_t left = count(); left > 0; --left) {
      Session& session = sessions.emplace_back();
      const std::string_view id = reader_.bytes(session.id.bytes.size());
      std::copy(id.begin(), id.end(), session.id.bytes.begin());
      session.worker = reader_.text();
    }
    return sessions;
  }

  EventMessage message(std::int64_t seq) {
    EventMessage message{seq, at_ms_, enumerator(EventKind::count_), name(queues_), {}};
    JobId job = 0;
    for (std::uint64_t left = count(); good() && left > 0; --left) {
      job = plus(job, unzigzag(reader_.number()));
      message.items.push_back(item(job));
    }
    return message;
  }

  EventItem item(JobId job) {
    EventItem item;
    item.job = job;
    item.handler = name(handlers_);
    item.run = static_cast<std::int64_t>(reader_.number());
    item.attempt = static_cast<std::int64_t>(reader_.number());
    const std::uint64_t session = reader_.number();
    if (session > sessions_.size()) {
      positions_good_ = false;
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
    positions_good_ = false;
    return {};
  }

  template <class Enumeration>
  Enumeration enumerator(Enumeration count) {
    const std::uint64_t value = reader_.number();
    if (value < static_cast<std::uint64_t>(count)) return static_cast<Enumeration>(value);
    positions_good_ = false;
    return Enumeration{};
  }

  const EventChunk& chunk_;
  VarintReader reader_;
  bool positions_good_ = true;
  WallMs at_ms_ = 0;
  std::vector<std::string> queues_;
  std::vector<std::string> handlers_;
  std::vector<Session> sessions_;
};

}  // namespace

Result<std::vector<EventMessage>> decode_events(const EventChunk& chunk) {
  if (auto messages = Decoder(chunk).decode()) return std::move(*messages);
  return Error{ErrorCode::internal, "the events from " + std::to_string(chunk.first_seq) +
                                        " on cannot be read: their record is damaged"};
}

}  // namespace stint
