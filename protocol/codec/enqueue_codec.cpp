#include "protocol/codec/message_codec.hpp"
#include "protocol/messages/enqueue_fields.hpp"

namespace stint::wire {

template struct MessageCodec<Enqueue>;
template struct MessageCodec<Enqueued>;

}  // namespace stint::wire
