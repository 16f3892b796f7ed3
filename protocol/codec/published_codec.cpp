#include "protocol/codec/messages.hpp"
#include "protocol/published.hpp"

namespace stint {

Result<EventMessage> decode_event(std::string_view body) {
  if (static_cast<std::int64_t>(body.size()) > Bounds::message_bytes) {
    return Error{.code = ErrorCode::too_large, .message = "a body has at most 16 MiB"};
  }
  const Bounds bounds;
  wire::Decoder decoder(body, bounds);
  EventMessage event;
  if (!wire::MessageCodec<EventMessage>::read(decoder, event, false)) return decoder.error();
  return event;
}

}  // namespace stint
