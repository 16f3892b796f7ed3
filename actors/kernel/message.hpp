// Message: any one thing that can be said to an actor; Envelope: a message on its way.
#pragma once

#include <variant>

#include "actors/kernel/address.hpp"
#include "actors/kernel/internal_messages.hpp"

namespace stint {

namespace detail {
template <class Requests, class Answers, class Internals>
struct JoinMessages;
template <class... R, class... A, class... I>
struct JoinMessages<std::variant<R...>, std::variant<A...>, TypeList<I...>> {
  using type = std::variant<R..., A..., I...>;
};
}  // namespace detail

using Message = detail::JoinMessages<Request, Answer, InternalMessages>::type;

struct Envelope {
  Address from;
  Address to;
  Message message;
};

// A request or answer of the wire as a message.
template <class... Types>
Message to_message(std::variant<Types...>&& wire) {
  return std::visit([](auto&& part) { return Message(std::move(part)); }, std::move(wire));
}

}  // namespace stint
