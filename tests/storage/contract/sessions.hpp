// The contract of sessions and batch keys.
#pragma once

#include "tests/storage/contract/fixture.hpp"

namespace stint::test {

TEST_P(StoreContract, gives_back_sessions_in_order_with_every_field) {
  auto plain = SessionRow{};
  plain.number = 1;
  store().put_session(session(2));
  store().put_session(plain);
  commit();
  reopen();
  EXPECT_EQ(all_sessions(), (std::vector{plain, session(2)}));
}

TEST_P(StoreContract, replaces_a_session_that_is_put_again) {
  store().put_session(session(2));
  commit();
  auto later = session(2);
  later.last_message = at_us(77'000);
  later.ended = true;
  later.handlers = {};
  store().put_session(later);
  commit();
  EXPECT_EQ(all_sessions(), std::vector{later});
}

TEST_P(StoreContract, deletes_one_session_and_keeps_the_others) {
  store().put_session(session(2));
  store().put_session(session(3));
  commit();
  store().delete_session(2);
  store().delete_session(4);
  commit();
  reopen();
  EXPECT_EQ(all_sessions(), std::vector{session(3)});
}

TEST_P(StoreContract, gives_back_a_batch_key_with_its_content_and_ids) {
  store().put_batch_key(batch_key("order-7"));
  commit();
  reopen();
  EXPECT_EQ(store().batch_key("order-7").value(), batch_key("order-7"));
  EXPECT_EQ(store().batch_key("order-8").value(), std::nullopt);
}

TEST_P(StoreContract, replaces_a_batch_key_that_is_put_again) {
  store().put_batch_key(batch_key("order-7"));
  commit();
  auto later = batch_key("order-7", at_us(5));
  later.content_hash = 1;
  later.ids = {};
  store().put_batch_key(later);
  commit();
  EXPECT_EQ(store().batch_key("order-7").value(), later);
}

}  // namespace stint::test
