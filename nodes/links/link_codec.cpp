#include "nodes/links/link_codec.hpp"

#include <array>
#include <cstring>
#include <utility>

#include "nodes/links/link_forms.hpp"
#include "nodes/runtime/wire_message.hpp"
#include "protocol/codec.hpp"

namespace stint {
namespace {

// Of what only actors say, all that may leave its node.
using LinkMessages =
    TypeList<SessionOpened, SessionEnded, SessionSilent, LimiterDelta, LimiterHead, AskIsNew, AskAnswered,
             Claimed, CheckAsk, SnapshotWanted, Claim, Acknowledge, BatchDropped>;

// A limiter is told of all its lanes at once.
constexpr std::int64_t most_values = 4'000'000;

template <class Part, class List>
inline constexpr bool is_in = false;
template <class Part, class... Types>
inline constexpr bool is_in<Part, TypeList<Types...>> = (std::is_same_v<Part, Types> || ...);

// Moves the instants of a message by so much.
template <class Part>
void shift(Part&, Duration) {}

void shift(LimiterDelta& delta, Duration by) {
  for (GateNews& news : delta.gates) {
    if (!news.state) continue;
    GateState& state = *news.state;
    if (state.bucket) {
      const TokenBucket& bucket = *state.bucket;
      state.bucket = TokenBucket(bucket.rate(), bucket.level_billionths(), bucket.at() + by);
    }
    for (WindowEntries& entries : state.entries) entries.at += by;
    if (state.paused_until && *state.paused_until != Gate::for_ever) *state.paused_until += by;
  }
}

template <class Part>
std::string encode_body(const Part& part) {
  MsgpackWriter writer;
  wire::write_struct(writer, part);
  return writer.take();
}

template <class Part>
Result<Part> decode_body(std::string_view body, const Bounds& bounds) {
  wire::Decoder decoder(body, bounds, most_values);
  Part part;
  if (!wire::read_message(decoder, part, false)) return decoder.error();
  return part;
}

template <class Part>
bool try_decode(std::string_view kind, std::string_view body, Instant now, const Bounds& bounds,
                std::optional<Result<Message>>& result) {
  if (wire::Fields<Part>::name != kind) return false;
  Result<Part> part = decode_body<Part>(body, bounds);
  if (!part) {
    result.emplace(std::move(part.error()));
  } else {
    shift(*part, now.time_since_epoch());
    result.emplace(Message(std::move(*part)));
  }
  return true;
}

template <class... Types>
std::optional<Result<Message>> decode_link_message(TypeList<Types...>, std::string_view kind,
                                                   std::string_view body, Instant now, const Bounds& bounds) {
  std::optional<Result<Message>> result;
  static_cast<void>((try_decode<Types>(kind, body, now, bounds, result) || ...));
  return result;
}

// --- The header: fixed places, then the kind. ---

template <class Number>
void put(std::string& bytes, Number number) {
  for (std::size_t i = 0; i < sizeof number; ++i) {
    bytes += static_cast<char>(static_cast<std::uint64_t>(number) >> (8 * i) & 0xff);
  }
}

template <class Number>
Number take(std::string_view& bytes) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < sizeof(Number); ++i) {
    number |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  }
  bytes.remove_prefix(sizeof(Number));
  return static_cast<Number>(number);
}

constexpr std::size_t header_bytes = 4 * sizeof(std::uint64_t) + 2;
constexpr std::size_t longest_kind = Bounds::correlation_bytes - header_bytes;

}  // namespace

std::string encode(const LinkHello& hello) { return encode_body(hello); }
std::string encode(const LinkWelcome& welcome) { return encode_body(welcome); }
Result<LinkHello> decode_link_hello(std::string_view body) { return decode_body<LinkHello>(body, Bounds{}); }
Result<LinkWelcome> decode_link_welcome(std::string_view body) {
  return decode_body<LinkWelcome>(body, Bounds{});
}

std::string encode(const LinkHeader& header) {
  assert(header.kind.size() <= longest_kind);
  std::string bytes;
  bytes.reserve(header_bytes + header.kind.size());
  put(bytes, header.start);
  put(bytes, header.for_start);
  put(bytes, header.from.id);
  put(bytes, header.to.id);
  put(bytes, static_cast<std::uint8_t>(header.from.place));
  put(bytes, static_cast<std::uint8_t>(header.to.place));
  return bytes + header.kind;
}

std::optional<LinkHeader> decode_link_header(std::string_view frame) {
  if (frame.size() <= header_bytes) return std::nullopt;
  LinkHeader header;
  header.start = take<std::uint64_t>(frame);
  header.for_start = take<std::uint64_t>(frame);
  header.from.id = take<std::uint64_t>(frame);
  header.to.id = take<std::uint64_t>(frame);
  const auto from = take<std::uint8_t>(frame);
  const auto to = take<std::uint8_t>(frame);
  constexpr auto places = static_cast<std::uint8_t>(Place::count_);
  if (from >= places || to >= places) return std::nullopt;
  header.from.place = static_cast<Place>(from);
  header.to.place = static_cast<Place>(to);
  header.kind = frame;
  return header;
}

std::optional<LinkBody> encode_for_link(Message&& message, Instant now) {
  return std::visit(
      [&](auto&& part) -> std::optional<LinkBody> {
        using Part = std::decay_t<decltype(part)>;
        if constexpr (is_in<Part, LinkMessages>) {
          shift(part, -now.time_since_epoch());
          return LinkBody{wire::Fields<Part>::name, encode_body(part)};
        } else if constexpr (is_alternative<Part, Request>) {
          const Request request(std::move(part));
          return LinkBody{wire_type(request), encode(request)};
        } else if constexpr (is_alternative<Part, Answer>) {
          const Answer answer(std::move(part));
          return LinkBody{wire_type(answer), encode(answer)};
        } else {
          return std::nullopt;
        }
      },
      std::move(message));
}

Result<Message> decode_from_link(std::string_view kind, std::string_view body, Instant now,
                                 const Bounds& bounds) {
  if (auto known = decode_link_message(LinkMessages{}, kind, body, now, bounds)) return std::move(*known);
  auto request = decode_request(kind, body, bounds);
  if (request) return to_message(std::move(request->request));
  if (request.error().code != ErrorCode::unknown_type) return std::move(request.error());
  auto answer = decode_answer(kind, body, bounds);
  if (answer) return to_message(std::move(*answer));
  return std::move(answer.error());
}

}  // namespace stint
