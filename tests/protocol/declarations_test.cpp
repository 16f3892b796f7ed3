// Every member of a message stands in its field table: one that was forgotten would be lost on the wire.
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <vector>

#include "protocol/messages.hpp"
#include "protocol/messages/enqueue_fields.hpp"
#include "protocol/messages/events_fields.hpp"
#include "protocol/messages/inspect_fields.hpp"
#include "protocol/messages/worker_fields.hpp"
#include "tests/protocol/each_message.hpp"

namespace stint::testing {
namespace {

template <class Value>
struct Inner {
  using type = Value;
};
template <class Value>
struct Inner<std::optional<Value>> : Inner<Value> {};
template <class Value>
struct Inner<std::vector<Value>> : Inner<Value> {};
template <class Value>
struct Inner<std::map<std::string, Value>> : Inner<Value> {};

// Where the members of a struct stand.
class Layout {
 public:
  void add(std::ptrdiff_t offset, std::size_t size, std::size_t alignment) {
    places_[static_cast<std::size_t>(offset)] = {size, alignment};
  }

  // Between members that follow each other there is no more room than their alignment asks for. `unlisted`:
  // the size of the members at the end that are no fields.
  void expect_no_gap(std::size_t size, std::size_t alignment, std::size_t unlisted) const {
    std::size_t end = 0;
    for (const auto& [offset, place] : places_) {
      EXPECT_EQ(offset, aligned(end, place.alignment)) << "something stands before this offset";
      end = offset + place.size;
    }
    EXPECT_EQ(aligned(end + unlisted, alignment), size) << "something stands at the end";
  }

 private:
  struct Place {
    std::size_t size;
    std::size_t alignment;
  };
  static std::size_t aligned(std::size_t offset, std::size_t alignment) {
    return (offset + alignment - 1) / alignment * alignment;
  }

  std::map<std::size_t, Place> places_;
};

// What could not be read of a finish, and where the rest stood, are no fields.
template <class Owner>
constexpr std::size_t unlisted_bytes = std::is_same_v<Owner, Finish>
                                           ? sizeof(Finish::positions) + sizeof(Finish::faulty)
                                           : 0;

template <class Owner>
void expect_no_member_forgotten() {
  if constexpr (!std::is_empty_v<Owner>) {
    SCOPED_TRACE(wire::Fields<Owner>::name);
    const Owner owner{};
    Layout layout;
    wire::each_field<Owner>([&]<class Field>(const Field& field) {
      if constexpr (!wire::is_reserved<Field>) {
        const auto& member = owner.*field.member;
        using Member = std::decay_t<decltype(member)>;
        layout.add(reinterpret_cast<const char*>(&member) - reinterpret_cast<const char*>(&owner),
                   sizeof(Member), alignof(Member));
        using Item = typename Inner<Member>::type;
        if constexpr (requires { wire::Fields<Item>::table; }) expect_no_member_forgotten<Item>();
      }
    });
    layout.expect_no_gap(sizeof(Owner), alignof(Owner), unlisted_bytes<Owner>);
  }
}

TEST(FieldTables, name_every_member_of_every_request) {
  EachMessage<Request>::visit([]<class Message>() { expect_no_member_forgotten<Message>(); });
}

TEST(FieldTables, name_every_member_of_every_answer) {
  EachMessage<Answer>::visit([]<class Message>() { expect_no_member_forgotten<Message>(); });
}

}  // namespace
}  // namespace stint::testing
