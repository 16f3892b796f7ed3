// Recording: what a node was given, and when, as a file: enough to decide the same again. A head, then
// entries in their order; the last one may be cut off where the node died.
//
// The database as it was at the start lies beside it, in the file `database_of()` names.
#pragma once

#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "actors/kernel/address.hpp"
#include "actors/storage/load_state.hpp"
#include "nodes/config/config.hpp"
#include "protocol/messages.hpp"
#include "protocol/result.hpp"
#include "protocol/time.hpp"

namespace stint {

// How the node began.
struct RecordedStart {
  std::string version;      // of stint
  std::string config_text;  // of its file
  std::string name;         // what the command line made of it
  Roles roles;
  std::string events;  // what it really publishes on
  std::uint64_t seed = 0;
  SessionId session;     // of its worker
  StorageStart storage;  // where the node has that role
};

struct RecordedPost {
  Address from;
  Address to;
  std::string kind;
  std::string body;
  friend bool operator==(const RecordedPost&, const RecordedPost&) = default;
};
struct RecordedTurn {
  Instant now{};
  WallMs wall_now = 0;
  friend bool operator==(const RecordedTurn&, const RecordedTurn&) = default;
};
// What left, a line each: what two runs are compared by.
struct RecordedLeave {
  std::string lines;
  friend bool operator==(const RecordedLeave&, const RecordedLeave&) = default;
};
struct RecordedCommit {
  Instant now{};
  friend bool operator==(const RecordedCommit&, const RecordedCommit&) = default;
};
struct RecordedRollback {
  Instant now{};
  WallMs wall_now = 0;
  friend bool operator==(const RecordedRollback&, const RecordedRollback&) = default;
};
using RecordedEntry =
    std::variant<RecordedPost, RecordedTurn, RecordedLeave, RecordedCommit, RecordedRollback>;

std::string database_of(const std::string& recording);

// The bytes of a whole file's head, and of an entry.
std::string encode(const RecordedStart& start);
std::string encode(const RecordedEntry& entry);

class RecordingReader {
 public:
  // Errors: not_found, bad_message (it is no recording, or of another form).
  static Result<RecordingReader> open(const std::string& file);

  const RecordedStart& start() const { return start_; }
  // Nothing: there is no further whole one.
  std::optional<RecordedEntry> next();

 private:
  RecordingReader(std::ifstream file, RecordedStart start)
      : file_(std::move(file)), start_(std::move(start)) {}

  std::ifstream file_;
  RecordedStart start_;
};

}  // namespace stint
