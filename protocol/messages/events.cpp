#include "protocol/messages/events.hpp"

#include "protocol/words.hpp"

namespace stint {

std::string topic_of(const EventMessage& message) {
  const std::string event(word_of(message.event));
  if (!message.scope) return "job/" + message.queue + "/" + event;
  return "limit/" + std::string(word_of(*message.scope)) + "/" + message.name + "/" + event;
}

}  // namespace stint
