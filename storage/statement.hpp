// Statement: one prepared statement, used again and again. Values are bound in order, and every use ends with
// the statement reset, as one that is not holds checkpoints back. Faults stick to the Database.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/time.hpp"
#include "storage/database.hpp"

namespace stint {

// Bytes to be stored as a BLOB; any other string is stored as TEXT.
struct Blob {
  std::string_view bytes;
};

// Those bytes, or NULL for none: what is mostly empty then takes no room.
inline std::optional<Blob> blob_or_null(std::string_view bytes) {
  return bytes.empty() ? std::nullopt : std::optional(Blob{bytes});
}
inline std::optional<std::string_view> text_or_null(std::string_view text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

class Rows;

class Statement {
 public:
  Statement(Database& database, const std::string& sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  // Runs a statement that changes rows. The values need to live only during the call.
  template <class... Values>
  void run(const Values&... values) {
    bind_all(values...);
    run_bound();
  }

  // Binds values to the places after this one, for a later run() without any; gives the last place. They must
  // live until then.
  template <class... Values>
  int bind_after(int position, const Values&... values) {
    (bind(++position, values), ...);
    return position;
  }

  // Begins a query; the values must live as long as its rows. One query of a statement at a time.
  template <class... Values>
  Rows query(const Values&... values);

 private:
  friend class Rows;

  template <class... Values>
  void bind_all(const Values&... values) {
    bind_after(0, values...);
  }
  template <std::integral Number>
  void bind(int position, Number value) {
    bind_integer(position, static_cast<std::int64_t>(value));
  }
  void bind(int position, double value) { bind_real(position, value); }
  void bind(int position, Duration value) { bind_integer(position, value.count()); }
  void bind(int position, Instant value) { bind_integer(position, value.time_since_epoch().count()); }
  void bind(int position, std::string_view value) { bind_text(position, value); }
  void bind(int position, const std::string& value) { bind_text(position, value); }
  void bind(int position, Blob value) { bind_blob(position, value.bytes); }
  template <class Value>
  void bind(int position, const std::optional<Value>& value) {
    if (value) {
      bind(position, *value);
    } else {
      bind_null(position);
    }
  }

  void bind_integer(int position, std::int64_t value);
  void bind_real(int position, double value);
  void bind_text(int position, std::string_view value);
  void bind_blob(int position, std::string_view value);
  void bind_null(int position);
  void check(int code);
  void run_bound();

  Database& database_;
  sqlite3_stmt* statement_ = nullptr;
};

// The rows of one query. Columns are read from left to right; texts and bytes live until the next row.
class Rows {
 public:
  explicit Rows(Statement& statement) : statement_(statement) {}
  ~Rows();
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;

  bool next();  // false after the last row, and on a fault

  std::int64_t integer();
  double real();
  bool boolean() { return integer() != 0; }
  Instant instant() { return Instant(Duration(integer())); }
  std::optional<std::int64_t> optional_integer();
  std::string_view bytes();  // of TEXT or BLOB; NULL is empty
  std::optional<std::string_view> optional_bytes();

 private:
  Statement& statement_;
  int column_ = 0;
};

template <class... Values>
Rows Statement::query(const Values&... values) {
  bind_all(values...);
  return Rows(*this);
}

}  // namespace stint
