// From the messages of actors back to those of the wire, where one leaves its node.
#pragma once

#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "actors/kernel/message.hpp"

namespace stint {

template <class Part, class Variant>
inline constexpr bool is_alternative = false;
template <class Part, class... Types>
inline constexpr bool is_alternative<Part, std::variant<Types...>> = (std::is_same_v<Part, Types> || ...);

// As a Request or an Answer; nothing: the message is none of these.
template <class Wire>
std::optional<Wire> to_wire(Message&& message) {
  return std::visit(
      [](auto&& part) -> std::optional<Wire> {
        if constexpr (is_alternative<std::decay_t<decltype(part)>, Wire>) {
          return Wire(std::move(part));
        } else {
          return std::nullopt;
        }
      },
      std::move(message));
}

}  // namespace stint
