#include "protocol/codec/message_codec.hpp"
#include "protocol/messages/inspect_fields.hpp"

namespace stint::wire {

template struct MessageCodec<ListQueues>;
template struct MessageCodec<Queues>;
template struct MessageCodec<ListWorkers>;
template struct MessageCodec<Workers>;
template struct MessageCodec<ListJobs>;
template struct MessageCodec<Jobs>;
template struct MessageCodec<GetJob>;
template struct MessageCodec<JobDetails>;
template struct MessageCodec<RetryJob>;
template struct MessageCodec<CancelJob>;
template struct MessageCodec<DeleteJob>;
template struct MessageCodec<Deleted>;
template struct MessageCodec<GetStats>;
template struct MessageCodec<Stats>;
template struct MessageCodec<Ping>;
template struct MessageCodec<Pong>;
template struct MessageCodec<Error>;

}  // namespace stint::wire
