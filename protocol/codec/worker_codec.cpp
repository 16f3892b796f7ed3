#include "protocol/codec/message_codec.hpp"
#include "protocol/messages/enqueue_fields.hpp"
#include "protocol/messages/worker_fields.hpp"

namespace stint::wire {

template struct MessageCodec<Hello>;
template struct MessageCodec<Welcome>;
template struct MessageCodec<RequestBatch>;
template struct MessageCodec<Batch>;
template struct MessageCodec<Finish>;
template struct MessageCodec<Finished>;
template struct MessageCodec<Heartbeat>;
template struct MessageCodec<HeartbeatOk>;
template struct MessageCodec<Goodbye>;
template struct MessageCodec<Farewell>;

}  // namespace stint::wire
