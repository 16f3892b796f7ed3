#include "actors/events/event_builder.hpp"

#include <utility>

#include "actors/events/varint.hpp"

namespace stint {

namespace {

constexpr auto kinds = static_cast<std::uint64_t>(EventKind::count_);

}  // namespace

void EventBuilder::continue_after(std::int64_t seq) {
  if (!empty()) flush(0);
  last_seq_ = seq;
}

void EventBuilder::add(EventKind kind, std::string_view queue, const Item& item) {
  OpenMessage& message = message_for(kind, queues_.number(queue), item.job);
  append_varint(message.bytes, zigzag(item.job - std::exchange(message.last_job, item.job)));
  append_varint(message.bytes, handlers_.number(item.handler));
  append_varint(message.bytes, static_cast<std::uint64_t>(item.run));
  append_varint(message.bytes, static_cast<std::uint64_t>(item.attempt));
  append_varint(message.bytes, session_number(item.session));
  append_varint(message.bytes, static_cast<std::uint64_t>(item.next));
  ++message.items;
}

EventChunk EventBuilder::flush(WallMs at_ms) {
  EventChunk chunk{last_seq_ + 1, std::ssize(messages_), {}};
  append_varint(chunk.bytes, format);
  append_varint(chunk.bytes, zigzag(at_ms));
  queues_.write_and_clear(chunk.bytes);
  handlers_.write_and_clear(chunk.bytes);
  append_varint(chunk.bytes, sessions_.size());
  chunk.bytes += session_bytes_;
  for (const OpenMessage& message : messages_) {
    append_varint(chunk.bytes, static_cast<std::uint64_t>(message.kind));
    append_varint(chunk.bytes, message.queue);
    append_varint(chunk.bytes, message.items);
    chunk.bytes += message.bytes;
  }
  last_seq_ += chunk.messages;
  messages_.clear();
  open_.clear();
  newest_of_job_.clear();
  sessions_.clear();
  session_bytes_.clear();
  return chunk;
}

EventBuilder::OpenMessage& EventBuilder::message_for(EventKind kind, std::uint64_t queue, JobId job) {
  std::size_t& newest_of_job = newest_of_job_[job];
  // Most events come right after another of their kind.
  if (!messages_.empty() && messages_.back().kind == kind && messages_.back().queue == queue) {
    newest_of_job = messages_.size() - 1;
    return messages_.back();
  }
  const auto [open, is_new] =
      open_.try_emplace(queue * kinds + static_cast<std::uint64_t>(kind), messages_.size());
  if (!is_new && open->second < newest_of_job) open->second = messages_.size();
  if (open->second == messages_.size()) messages_.push_back({kind, queue, 0, 0, {}});
  newest_of_job = open->second;
  return messages_[open->second];
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
  if (!numbers_.empty() && name == last_) return last_number_;
  auto known = numbers_.find(name);
  if (known == numbers_.end()) {
    known = numbers_.emplace(name, numbers_.size()).first;
    append_text(bytes_, name);
  }
  last_ = name;
  return last_number_ = known->second;
}

void EventBuilder::Names::write_and_clear(std::string& chunk) {
  append_varint(chunk, numbers_.size());
  chunk += bytes_;
  numbers_.clear();
  bytes_.clear();
}

}  // namespace stint
