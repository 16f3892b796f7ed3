// GroupedInsert: rows of one table that are inserted ten at a time, which costs a fifth to a quarter less
// than one by one. Owned by the table's class, which settles it before it reads or changes the table, and
// before a commit.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <tuple>
#include <utility>

#include "storage/statement.hpp"

namespace stint {

// `Row::values()` gives a tuple of what is bound for its columns, in their order. It may point into the row.
template <class Row>
class GroupedInsert {
 public:
  // `table`: with the names of its columns, as many as a row has values.
  GroupedInsert(Database& database, const std::string& table)
      : one_(database, "INSERT INTO " + table + " VALUES" + places()),
        group_(database, "INSERT INTO " + table + " VALUES" + places_of_group()) {}

  // `fill` writes over an old row: what that has allocated is used again.
  template <class Fill>
  void add(const Fill& fill) {
    fill(rows_[waiting_]);
    if (++waiting_ == size) insert_group();
  }

  void settle() {
    for (std::size_t index = 0; index < waiting_; ++index) {
      std::apply([this](const auto&... values) { one_.run(values...); }, rows_[index].values());
    }
    waiting_ = 0;
  }
  void forget() { waiting_ = 0; }

 private:
  static constexpr std::size_t size = 10;

  void insert_group() {
    int position = 0;
    for (const Row& row : rows_) {
      std::apply([&](const auto&... values) { position = group_.bind_after(position, values...); },
                 row.values());
    }
    group_.run();
    waiting_ = 0;
  }

  static std::string places() {
    using Values = decltype(std::declval<const Row&>().values());
    std::string places = "(?";
    for (std::size_t column = 1; column < std::tuple_size_v<Values>; ++column) places += ", ?";
    return places + ")";
  }
  static std::string places_of_group() {
    std::string group = places();
    for (std::size_t row = 1; row < size; ++row) group += ", " + places();
    return group;
  }

  Statement one_;
  Statement group_;
  std::array<Row, size> rows_;
  std::size_t waiting_ = 0;
};

}  // namespace stint
