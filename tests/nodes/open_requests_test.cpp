// What a door remembers of open requests.
#include "nodes/runtime/open_requests.hpp"

#include <gtest/gtest.h>
#include <limits>

namespace stint {
namespace {

constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();

TEST(OpenRequestsTest, gives_ids_from_where_it_is_told_and_never_zero) {
  OpenRequests requests(10, most - 1);

  EXPECT_EQ(requests.open({}), most);
  EXPECT_EQ(requests.open({}), 1u);
}

TEST(OpenRequestsTest, a_request_is_closed_once) {
  OpenRequests requests(10, 0);
  const auto id = requests.open({.routing_id = "r", .envelope = {}, .correlation = "c"});

  EXPECT_EQ(requests.close(id)->correlation, "c");
  EXPECT_FALSE(requests.close(id).has_value());
}

TEST(OpenRequestsTest, keeps_what_was_passed_on_until_it_is_closed) {
  OpenRequests requests(10, 0);
  const auto first = requests.open({});
  const auto second = requests.open({});
  requests.open({});
  requests.keep(first, {{Place::storage, 0, 1}, "enqueue", "body", true});
  requests.keep(second, {{Place::limiter, 0, 2}, "request_batch", "other body", false});

  EXPECT_EQ(requests.passed_on_to(1), std::vector<std::uint64_t>{first});
  EXPECT_EQ(requests.passed_on(first).body, "body");
  EXPECT_EQ(requests.bytes_kept(), 14u);

  requests.close(first);
  EXPECT_TRUE(requests.passed_on_to(1).empty());
  EXPECT_EQ(requests.bytes_kept(), 10u);
  EXPECT_EQ(requests.close_all().size(), 2u);
  EXPECT_EQ(requests.bytes_kept(), 0u);
}

TEST(OpenRequestsTest, is_full_at_its_bound) {
  OpenRequests requests(1, 0);
  EXPECT_FALSE(requests.full());
  requests.open({});
  EXPECT_TRUE(requests.full());
}

}  // namespace
}  // namespace stint
