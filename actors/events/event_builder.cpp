#include "actors/events/event_builder.hpp"

#include <cassert>
#include <utility>

#include "actors/events/chunk_limit.hpp"
#include "actors/events/event_chunk.hpp"
#include "actors/events/varint.hpp"
#include "protocol/words.hpp"

namespace stint {

namespace {

constexpr auto kinds = static_cast<std::uint64_t>(EventKind::count_);

}  // namespace

void EventBuilder::continue_after(std::int64_t seq, std::string log) {
  assert(empty());
  last_seq_ = seq;
  log_ = std::move(log);
}

void EventBuilder::add(EventKind kind, std::string_view queue, const Item& item) {
  assert(!is_of_limit(kind));
  OpenMessage& message = message_for(kind, queues_.number(queue), item.job);
  append_varint(message.bytes, zigzag(item.job - std::exchange(message.last_job, item.job)));
  append_varint(message.bytes, handlers_.number(item.handler));
  append_varint(message.bytes, static_cast<std::uint64_t>(item.run));
  append_varint(message.bytes, static_cast<std::uint64_t>(item.attempt));
  append_varint(message.bytes, session_number(item.session));
  append_varint(message.bytes, static_cast<std::uint64_t>(item.next));
  ++message.items;
}

void EventBuilder::add_limit(EventKind kind, LimitScope scope, std::string_view name,
                             std::optional<LimitSource> source, const std::optional<Limit>& limit,
                             std::optional<std::int64_t> for_ms) {
  assert(is_of_limit(kind) && kind < EventKind::reached);
  OpenMessage& message = messages_.emplace_back();
  message.kind = kind;
  message.scope = scope;
  message.name = name;
  append_varint(message.bytes, source ? 1 + static_cast<std::uint64_t>(*source) : 0);
  if (limit) {
    append_limit(message.bytes, *limit);
  } else {
    append_varint(message.bytes, 0);
  }
  append_varint(message.bytes, for_ms ? 1 + static_cast<std::uint64_t>(*for_ms) : 0);
}

EventBuilder::Flushed EventBuilder::flush(WallMs at_ms) {
  assert(!empty());
  EventChunk chunk{last_seq_ + 1, std::ssize(messages_), {}};
  append_varint(chunk.bytes, event_chunk_format);
  append_varint(chunk.bytes, zigzag(at_ms));
  queues_.append_to(chunk.bytes);
  handlers_.append_to(chunk.bytes);
  append_varint(chunk.bytes, sessions_.size());
  chunk.bytes += session_bytes_;
  for (const OpenMessage& message : messages_) append_message(chunk.bytes, message, ++last_seq_);
  messages_.clear();
  open_.clear();
  newest_of_job_.clear();
  queues_.clear();
  handlers_.clear();
  sessions_.clear();
  session_bytes_.clear();
  return {std::move(chunk), topics_.take_moved()};
}

void EventBuilder::append_message(std::string& bytes, const OpenMessage& message, std::int64_t seq) {
  const std::int64_t prev = topics_.advance(topic_of(message), seq);
  append_varint(bytes, static_cast<std::uint64_t>(message.kind));
  append_varint(bytes, prev == 0 ? 0 : static_cast<std::uint64_t>(seq - prev));
  if (is_of_limit(message.kind)) {
    append_varint(bytes, static_cast<std::uint64_t>(message.scope));
    append_text(bytes, message.name);
  } else {
    append_varint(bytes, message.queue);
    append_varint(bytes, message.items);
  }
  bytes += message.bytes;
}

// The same as of the message once it is decoded.
const std::string& EventBuilder::topic_of(const OpenMessage& message) {
  if (is_of_limit(message.kind)) {
    topic_ = "limit/";
    topic_ += word_of(message.scope);
    topic_ += '/';
    topic_ += message.name;
  } else {
    topic_ = "job/";
    topic_ += queues_.name(message.queue);
  }
  topic_ += '/';
  topic_ += word_of(message.kind);
  return topic_;
}

EventBuilder::OpenMessage& EventBuilder::message_for(EventKind kind, std::uint64_t queue, JobId job) {
  std::size_t& newest_of_job = newest_of_job_[job];
  const auto has_room = [this](std::size_t message) { return messages_[message].items < most_items; };
  // Most events come right after another of their kind.
  std::size_t position = messages_.size() - 1;
  const bool goes_on = !empty() && messages_[position].kind == kind && messages_[position].queue == queue;
  if (!goes_on || !has_room(position)) {
    const auto open = open_.try_emplace(queue * kinds + static_cast<std::uint64_t>(kind), messages_.size());
    const bool is_new = open.second;
    position = open.first->second;
    if (is_new || position < newest_of_job || !has_room(position)) {
      position = open.first->second = messages_.size();
      OpenMessage& message = messages_.emplace_back();
      message.kind = kind;
      message.queue = queue;
    }
  }
  newest_of_job = position;
  return messages_[position];
}

std::uint64_t EventBuilder::session_number(const EventSession* session) {
  if (session == nullptr) return 0;
  const auto [known, is_new] = sessions_.try_emplace(session->id, sessions_.size() + 1);
  if (is_new) {
    const auto& bytes = session->id.bytes;
    session_bytes_.append(bytes.begin(), bytes.end());
    append_text(session_bytes_, session->worker);
  }
  return known->second;
}

std::uint64_t EventBuilder::Names::number(std::string_view name) {
  if (!in_order_.empty() && name == last_) return last_number_;
  auto known = numbers_.find(name);
  if (known == numbers_.end()) {
    known = numbers_.emplace(name, in_order_.size()).first;
    in_order_.push_back(known->first);
  }
  last_ = name;
  return last_number_ = known->second;
}

void EventBuilder::Names::append_to(std::string& bytes) const {
  append_varint(bytes, in_order_.size());
  for (const std::string_view name : in_order_) append_text(bytes, name);
}

void EventBuilder::Names::clear() {
  in_order_.clear();
  numbers_.clear();
}

}  // namespace stint
