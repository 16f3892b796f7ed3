// Result: the value of a call that can be expected to fail, or the error that says why.
// Broken invariants are not errors: those are assertions.
#pragma once

#include <cassert>
#include <utility>
#include <variant>

#include "protocol/error.hpp"

namespace stint {

template <class T, class E = Error>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT: a value is a success
  Result(E error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: an error is a failure

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& value() { return assert(ok()), *std::get_if<0>(&state_); }
  const T& value() const { return assert(ok()), *std::get_if<0>(&state_); }
  T& operator*() { return value(); }
  const T& operator*() const { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  E& error() { return assert(!ok()), *std::get_if<1>(&state_); }
  const E& error() const { return assert(!ok()), *std::get_if<1>(&state_); }

 private:
  std::variant<T, E> state_;
};

// The value of a call that has nothing to say when it succeeds.
struct Done {};

using Status = Result<Done>;

}  // namespace stint
