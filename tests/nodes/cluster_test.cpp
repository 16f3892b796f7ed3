#include "nodes/config/cluster.hpp"

#include <gtest/gtest.h>

namespace stint {
namespace {

const ClusterConfig a_cluster{
    .storage = "tcp://10.0.0.1:7611",
    .limiters = {{"limiter-1", "tcp://10.0.0.2:7611"}, {"limiter-2", "tcp://10.0.0.3:7611"}}};

TEST(ClusterHash, is_the_fnv_1a_sum_of_its_texts_and_zero_bytes) {
  EXPECT_EQ(cluster_hash({.storage = "a", .limiters = {}}), 0x089be207b544f1e4ULL);
}

TEST(ClusterHash, differs_with_the_storage_endpoint) {
  ClusterConfig other = a_cluster;
  other.storage = "tcp://10.0.0.1:7612";
  EXPECT_NE(cluster_hash(other), cluster_hash(a_cluster));
}

TEST(ClusterHash, differs_with_a_limiters_name_or_endpoint) {
  ClusterConfig renamed = a_cluster;
  renamed.limiters.erase("limiter-2");
  renamed.limiters["limiter-3"] = "tcp://10.0.0.3:7611";
  ClusterConfig moved = a_cluster;
  moved.limiters["limiter-2"] = "tcp://10.0.0.4:7611";
  EXPECT_NE(cluster_hash(renamed), cluster_hash(a_cluster));
  EXPECT_NE(cluster_hash(moved), cluster_hash(a_cluster));
}

TEST(ClusterHash, keeps_names_and_endpoints_apart) {
  EXPECT_NE(cluster_hash({.storage = "s", .limiters = {{"ab", "c"}}}),
            cluster_hash({.storage = "s", .limiters = {{"a", "bc"}}}));
  EXPECT_NE(cluster_hash({.storage = "s", .limiters = {{"a", "b"}, {"c", "d"}}}),
            cluster_hash({.storage = "s", .limiters = {{"a", "d"}, {"c", "b"}}}));
}

}  // namespace
}  // namespace stint
