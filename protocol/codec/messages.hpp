// The codec of every message, compiled in four units because their templates are slow to compile.
#pragma once

#include "protocol/codec/decoder.hpp"
#include "protocol/messages.hpp"
#include "protocol/msgpack_writer.hpp"

namespace stint::wire {

// What the codec's dispatcher needs of one message.
template <class Message>
struct MessageCodec {
  static std::string_view name();
  // Returns whether there was no fault; the decoder knows which.
  static bool read(Decoder& decoder, Message& message, bool is_request);
  static void write(MsgpackWriter& writer, const Message& message);
};

}  // namespace stint::wire
