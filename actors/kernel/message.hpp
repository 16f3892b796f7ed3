// Message: any one thing that can be said to an actor; Envelope: a message on its way.
#pragma once

#include <type_traits>
#include <utility>
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

// A std::variant of them all. What moves and destroys it is compiled once, in message.cpp: with so many
// alternatives it costs every user seconds otherwise.
class Message : public detail::JoinMessages<Request, Answer, InternalMessages>::type {
  using Variant = detail::JoinMessages<Request, Answer, InternalMessages>::type;

 public:
  template <class Part>
  requires(!std::is_same_v<std::remove_cvref_t<Part>, Message>)
      Message(Part&& part)  // NOLINT: any part is a message
      : Variant(std::in_place_type<std::remove_cvref_t<Part>>, std::forward<Part>(part)) {}
  Message(const Message& other);
  Message(Message&& other) noexcept;
  Message& operator=(const Message& other);
  Message& operator=(Message&& other) noexcept;
  ~Message();
};

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
