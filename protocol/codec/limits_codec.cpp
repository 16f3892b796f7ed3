#include "protocol/codec/message_codec.hpp"
#include "protocol/messages/events_fields.hpp"
#include "protocol/messages/limits_fields.hpp"

namespace stint::wire {

template struct MessageCodec<SetLimit>;
template struct MessageCodec<GetLimit>;
template struct MessageCodec<ClearLimit>;
template struct MessageCodec<Pause>;
template struct MessageCodec<Resume>;
template struct MessageCodec<LimitState>;
template struct MessageCodec<ListLimits>;
template struct MessageCodec<Limits>;
template struct MessageCodec<ReadEvents>;
template struct MessageCodec<Events>;
template struct MessageCodec<EventMessage>;
template struct MessageCodec<EventLogHead>;
template struct MessageCodec<ExplainJob>;
template struct MessageCodec<Explanation>;

}  // namespace stint::wire
