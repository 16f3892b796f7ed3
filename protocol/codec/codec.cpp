#include "protocol/codec.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "protocol/codec/messages.hpp"

namespace stint {
namespace {

using wire::Decoder;
using wire::MessageCodec;

Error unknown_type() {
  Error error;
  error.code = ErrorCode::unknown_type;
  error.message = "no message of this type is known";
  return error;
}

// Reads the body as the message of Variant whose type it is.
template <class Variant>
struct Reader;
template <class... Messages>
struct Reader<std::variant<Messages...>> {
  using Variant = std::variant<Messages...>;

  // Nothing: no message has this type. The decoder knows whether there was a fault.
  static std::optional<Variant> read(std::string_view type, Decoder& decoder, bool is_request,
                                     bool& is_sound) {
    std::optional<Variant> message;
    static_cast<void>((try_read<Messages>(message, type, decoder, is_request, is_sound) || ...));
    return message;
  }

 private:
  template <class Message>
  static bool try_read(std::optional<Variant>& message, std::string_view type, Decoder& decoder,
                       bool is_request, bool& is_sound) {
    if (MessageCodec<Message>::name() != type) return false;
    message.emplace(std::in_place_type<Message>);
    is_sound = MessageCodec<Message>::read(decoder, *std::get_if<Message>(&*message), is_request);
    return true;
  }
};

template <class Variant>
Result<Variant> decode(std::string_view type, std::string_view body, Decoder& decoder, bool is_request) {
  if (static_cast<std::int64_t>(body.size()) > Bounds::message_bytes) {
    return Error{.code = ErrorCode::too_large, .message = "a body has at most 16 MiB"};
  }
  bool is_sound = false;
  std::optional<Variant> message = Reader<Variant>::read(type, decoder, is_request, is_sound);
  if (!message) return unknown_type();
  if (!is_sound) return decoder.error();
  return std::move(*message);
}

template <class Variant>
std::string_view type_of(const Variant& message) {
  return std::visit([](const auto& part) { return MessageCodec<std::decay_t<decltype(part)>>::name(); },
                    message);
}

template <class Part>
std::string encode_part(const Part& part) {
  MsgpackWriter writer(false);
  MessageCodec<Part>::write(writer, part);
  return writer.take();
}

template <class Variant>
std::string encode_variant(const Variant& message, bool numbers_as_float) {
  MsgpackWriter writer(numbers_as_float);
  std::visit([&](const auto& part) { MessageCodec<std::decay_t<decltype(part)>>::write(writer, part); },
             message);
  return writer.take();
}

}  // namespace

Result<DecodedRequest> decode_request(std::string_view type, std::string_view body, const Bounds& bounds) {
  Decoder decoder(body, bounds);
  Result<Request> request = decode<Request>(type, body, decoder, true);
  if (!request) return std::move(request.error());
  return DecodedRequest{std::move(*request), decoder.numbers_as_float()};
}

Result<Answer> decode_answer(std::string_view type, std::string_view body, const Bounds& bounds) {
  Decoder decoder(body, bounds);
  return decode<Answer>(type, body, decoder, false);
}

std::string_view wire_type(const Request& request) { return type_of(request); }
std::string_view wire_type(const Answer& answer) { return type_of(answer); }

std::string encode(const Request& request) { return encode_variant(request, false); }
std::string encode(const Answer& answer, bool numbers_as_float) {
  return encode_variant(answer, numbers_as_float);
}
std::string encode(const EventMessage& event) { return encode_part(event); }
std::string encode(const EventLogHead& head) { return encode_part(head); }

}  // namespace stint
