// The definitions behind messages.hpp, for the four units that instantiate them.
#pragma once

#include "protocol/codec/messages.hpp"
#include "protocol/codec/read_fields.hpp"
#include "protocol/codec/write_fields.hpp"

namespace stint::wire {

template <class Message>
std::string_view MessageCodec<Message>::name() {
  return Fields<Message>::name;
}

template <class Message>
bool MessageCodec<Message>::read(Decoder& decoder, Message& message, bool is_request) {
  if (!read_message(decoder, message, is_request)) return false;
  if constexpr (std::is_same_v<Message, Finish>) {
    message.positions = decoder.take_positions();
    message.faulty = decoder.take_set_apart("results");
  }
  return true;
}

template <class Message>
void MessageCodec<Message>::write(MsgpackWriter& writer, const Message& message) {
  write_struct(writer, message);
}

}  // namespace stint::wire
