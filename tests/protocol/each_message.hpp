// For tests that go through all messages by their types.
#pragma once

#include <variant>

namespace stint::testing {

// `visit.template operator()<Message>()` for each message of a variant.
template <class Variant>
struct EachMessage;
template <class... Messages>
struct EachMessage<std::variant<Messages...>> {
  template <class Visit>
  static void visit(Visit&& visit) {
    (visit.template operator()<Messages>(), ...);
  }
};

}  // namespace stint::testing
