// The nodes of a cluster and their numbers.
#include "nodes/links/cluster_map.hpp"

#include <gtest/gtest.h>

namespace stint {
namespace {

constexpr Roles storage_only{.storage = true, .limiter = false, .worker = false};
constexpr Roles limiter_only{.storage = false, .limiter = true, .worker = false};
constexpr Roles both{.storage = true, .limiter = true, .worker = false};

ClusterConfig three_nodes() {
  return {"tcp://a:1", {{"limiter-2", "tcp://c:1"}, {"limiter-1", "tcp://b:1"}}};
}

TEST(ClusterMapTest, numbers_the_storage_first_and_limiters_by_their_names) {
  const ClusterMap map(three_nodes());

  ASSERT_EQ(map.nodes().size(), 3u);
  EXPECT_EQ(map.place_of("any", storage_only).value(), 1);
  EXPECT_EQ(map.place_of("limiter-1", limiter_only).value(), 2);
  EXPECT_EQ(map.place_of("limiter-2", limiter_only).value(), 3);
  EXPECT_EQ(map.find(3)->endpoint, "tcp://c:1");
  EXPECT_EQ(map.find(0), nullptr);
  EXPECT_EQ(map.find(4), nullptr);
}

TEST(ClusterMapTest, routes_storage_to_its_node_and_queues_to_limiters_only) {
  const Routes routes = ClusterMap(three_nodes()).routes_of(2);

  EXPECT_EQ(routes.self, 2);
  EXPECT_EQ(routes.storage, 1);
  ASSERT_TRUE(routes.homes.has_value());
  ASSERT_EQ(routes.homes->all().size(), 2u);
  for (const char* queue : {"a", "b", "c", "d", "e"}) EXPECT_NE(routes.homes->of(queue).node, 1);
}

TEST(ClusterMapTest, without_limiters_the_storage_node_limits_all) {
  const ClusterMap map({"tcp://a:1", {}});

  EXPECT_EQ(map.place_of("server", both).value(), 1);
  EXPECT_EQ(map.routes_of(1).homes->of("email").node, 1);
  EXPECT_FALSE(map.place_of("server", storage_only).ok());
}

TEST(ClusterMapTest, a_limiter_at_the_storages_endpoint_is_the_storage_node) {
  const ClusterMap map({"tcp://a:1", {{"server", "tcp://a:1"}, {"zebra", "tcp://b:1"}}});

  ASSERT_EQ(map.nodes().size(), 2u);
  EXPECT_EQ(map.place_of("server", both).value(), 1);
  EXPECT_EQ(map.place_of("zebra", limiter_only).value(), 2);
  EXPECT_EQ(map.routes_of(2).homes->all().size(), 2u);
}

TEST(ClusterMapTest, refuses_nodes_that_the_cluster_does_not_name) {
  const ClusterMap map(three_nodes());

  EXPECT_FALSE(map.place_of("limiter-9", limiter_only).ok());
  const auto misfit = map.place_of("server", both);
  ASSERT_FALSE(misfit.ok());
  EXPECT_NE(misfit.error().message.find("server"), std::string::npos);
}

}  // namespace
}  // namespace stint
