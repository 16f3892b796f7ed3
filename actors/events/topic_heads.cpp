#include "actors/events/topic_heads.hpp"

namespace stint {

std::int64_t TopicHeads::advance(std::string_view topic, std::int64_t seq) {
  auto head = heads_.find(topic);
  if (head == heads_.end()) head = heads_.emplace(topic, Head{}).first;
  if (!std::exchange(head->second.moved, true)) moved_.push_back(&*head);
  return std::exchange(head->second.seq, seq);
}

std::vector<TopicRow> TopicHeads::take_moved() {
  std::vector<TopicRow> rows;
  rows.reserve(moved_.size());
  for (auto* head : moved_) {
    rows.push_back({head->first, head->second.seq});
    head->second.moved = false;
  }
  moved_.clear();
  return rows;
}

void TopicHeads::forget_before(std::int64_t seq) {
  std::erase_if(heads_, [seq](const auto& head) { return head.second.seq < seq && !head.second.moved; });
}

}  // namespace stint
