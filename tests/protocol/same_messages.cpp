#include <algorithm>
#include <optional>

#include "protocol/messages/enqueue_fields.hpp"
#include "protocol/messages/events_fields.hpp"
#include "protocol/messages/inspect_fields.hpp"
#include "protocol/messages/worker_fields.hpp"
#include "tests/protocol/random_messages.hpp"

namespace stint::testing {
namespace {

template <class Value>
bool equal(const Value& a, const Value& b);

template <class Value>
bool equal(const std::optional<Value>& a, const std::optional<Value>& b) {
  return a.has_value() == b.has_value() && (!a || equal(*a, *b));
}
template <class Value>
bool equal(const std::vector<Value>& a, const std::vector<Value>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Value& x, const Value& y) { return equal(x, y); });
}
template <class Value>
bool equal(const std::map<std::string, Value>& a, const std::map<std::string, Value>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.first == y.first && equal(x.second, y.second);
  });
}
template <class Value>
bool equal(const Value& a, const Value& b) {
  if constexpr (requires { wire::Fields<Value>::table; }) {
    bool same = true;
    wire::each_field<Value>([&]<class Field>(const Field& field) {
      if constexpr (!wire::is_reserved<Field>) same = same && equal(a.*field.member, b.*field.member);
    });
    return same;
  } else {
    return a == b;
  }
}

template <class Variant>
bool same_variant(const Variant& a, const Variant& b) {
  return a.index() == b.index() &&
         std::visit(
             [&]<class Message>(const Message& message) { return equal(message, *std::get_if<Message>(&b)); },
             a);
}

}  // namespace

bool same(const Request& a, const Request& b) { return same_variant(a, b); }
bool same(const Answer& a, const Answer& b) { return same_variant(a, b); }

}  // namespace stint::testing
