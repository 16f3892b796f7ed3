#include "actors/jobs/leases.hpp"

#include <gtest/gtest.h>

namespace stint {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

struct LeasesTest : ::testing::Test {
  static Lease lease(JobId job, ReceiptId receipt, SessionNumber session = 1,
                     Duration timeout = seconds(600)) {
    Lease lease;
    lease.job.id = job;
    lease.receipt = receipt;
    lease.session = session;
    lease.timeout = timeout;
    return lease;
  }
  void hand_out(ReceiptId id, std::vector<JobId> jobs, SessionNumber session = 1,
                Duration timeout = seconds(600)) {
    std::vector<Lease> held;
    for (const JobId job : jobs) held.push_back(lease(job, id, session, timeout));
    leases.hand_out({.id = id, .session = session, .ask = id, .jobs = std::move(jobs)}, std::move(held), now);
    leases.stamp(now);
  }
  // The clock is read every 50 ms while time passes.
  void pass(Duration duration) {
    for (const Instant end = now + duration; now < end;) {
      now = std::min(now + milliseconds(50), end);
      leases.read_clock(now);
    }
  }
  std::vector<JobId> overdue() { return leases.overdue(now, 100); }

  Instant now{seconds(1000)};
  Leases leases{seconds(30)};
};

using Ids = std::vector<JobId>;

TEST_F(LeasesTest, are_overdue_at_their_deadline_and_not_before) {
  hand_out(1, {10, 11});
  pass(seconds(30) - milliseconds(1));
  EXPECT_EQ(overdue(), Ids{});
  pass(milliseconds(1));
  EXPECT_EQ(overdue(), (Ids{10, 11}));
}

TEST_F(LeasesTest, count_from_the_stamp_of_their_hand_out) {
  leases.hand_out({.id = 1, .session = 1, .ask = 1, .jobs = {10}}, {lease(10, 1)}, now);
  pass(seconds(2));
  leases.stamp(now);
  pass(seconds(29));
  EXPECT_EQ(overdue(), Ids{});
  pass(seconds(1));
  EXPECT_EQ(overdue(), Ids{10});
}

TEST_F(LeasesTest, are_extended_one_by_one) {
  hand_out(1, {10, 11});
  pass(seconds(20));
  leases.extend(*leases.find(11), now);
  pass(seconds(10));
  EXPECT_EQ(overdue(), Ids{10});
  leases.end(10);
  pass(seconds(20));
  EXPECT_EQ(overdue(), Ids{11});
}

TEST_F(LeasesTest, end_at_timeout_plus_lease_whatever_extends_them_rule_D7) {
  hand_out(1, {10}, 1, seconds(60));
  for (int beat = 0; beat < 9; ++beat) {
    pass(seconds(9));
    leases.extend(*leases.find(10), now);
    EXPECT_EQ(overdue(), Ids{});
  }
  pass(seconds(9));
  EXPECT_EQ(overdue(), Ids{10});
}

TEST_F(LeasesTest, move_by_a_gap_between_two_readings_rule_D6) {
  hand_out(1, {10});
  pass(seconds(29));
  now += seconds(300);
  leases.read_clock(now);
  EXPECT_EQ(overdue(), Ids{});
  pass(seconds(1) - milliseconds(1));
  EXPECT_EQ(overdue(), Ids{});
}

TEST_F(LeasesTest, do_not_end_within_a_third_of_a_lease_after_a_gap_rule_D6) {
  hand_out(1, {10});
  pass(seconds(30) - milliseconds(1));
  now += milliseconds(101);
  leases.read_clock(now);
  pass(seconds(10) - milliseconds(1));
  EXPECT_EQ(overdue(), Ids{});
  pass(milliseconds(1));
  EXPECT_EQ(overdue(), Ids{10});
}

TEST_F(LeasesTest, do_not_take_the_time_when_none_was_held_for_a_gap) {
  now += seconds(3600);
  hand_out(1, {10});
  pass(seconds(30));
  EXPECT_EQ(overdue(), Ids{10});
}

TEST_F(LeasesTest, close_their_receipt_with_the_last_of_them) {
  hand_out(1, {10, 11});
  EXPECT_FALSE(leases.end(10).batch_over);
  EXPECT_TRUE(leases.end(11).batch_over);
  EXPECT_EQ(leases.receipt(1), nullptr);
  EXPECT_EQ(leases.receipt_of(1, 1), nullptr);
  EXPECT_TRUE(leases.empty());
}

TEST_F(LeasesTest, acknowledge_every_ask_up_to_the_one_named_once) {
  hand_out(1, {10});
  hand_out(2, {11});
  hand_out(3, {12});
  EXPECT_EQ(leases.acknowledge_up_to(1, 2), (std::vector<ReceiptId>{1, 2}));
  EXPECT_EQ(leases.acknowledge_up_to(1, 2), std::vector<ReceiptId>{});
  EXPECT_TRUE(leases.receipt(1)->acknowledged);
  EXPECT_FALSE(leases.receipt(3)->acknowledged);
  EXPECT_EQ(leases.acknowledge_up_to(7, 2), std::vector<ReceiptId>{});
}

TEST_F(LeasesTest, know_what_each_session_holds) {
  hand_out(1, {10, 11}, 1);
  hand_out(2, {12}, 2);
  leases.end(10);
  EXPECT_EQ(leases.running(1), 1);
  EXPECT_EQ(leases.running(2), 1);
  EXPECT_EQ(leases.jobs_of(1), Ids{11});
  EXPECT_EQ(leases.jobs_of(3), Ids{});
}

TEST_F(LeasesTest, of_a_load_are_spread_over_a_fifth_of_a_lease_rule_D6) {
  leases.load({.id = 1, .session = 1, .ask = 1, .jobs = {10}}, {lease(10, 1)}, now - seconds(3600), now, 0.0);
  leases.load({.id = 2, .session = 1, .ask = 2, .jobs = {11}}, {lease(11, 2)}, now - seconds(3600), now, 0.5);
  pass(seconds(30));
  EXPECT_EQ(overdue(), Ids{10});
  leases.end(10);
  pass(seconds(3) - milliseconds(1));
  EXPECT_EQ(overdue(), Ids{});
  pass(milliseconds(1));
  EXPECT_EQ(overdue(), Ids{11});
}

TEST_F(LeasesTest, are_given_in_portions) {
  for (JobId job = 1; job <= 10; ++job) hand_out(job, {job});
  pass(seconds(30));
  const Ids first = leases.overdue(now, 4);
  EXPECT_EQ(first.size(), 4u);
  for (const JobId job : first) leases.end(job);
  EXPECT_EQ(overdue().size(), 6u);
}

}  // namespace
}  // namespace stint
