// JobSource: the jobs of one `stint enqueue`, one after another: copies of one, or the lines of a file.
// Reading goes over a file twice, to check all of it before the first job is sent, without holding it in
// memory.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "nodes/cli/exit_status.hpp"
#include "protocol/messages/enqueue.hpp"
#include "protocol/result.hpp"

namespace stint {

// The largest of what is bounded by the server, and where it stands.
struct LargestJob {
  std::int64_t payload_bytes = 0;
  std::string payload_place;
  std::int64_t meta_bytes = 0;
  std::string meta_place;
};

class JobSource {
 public:
  struct Sourced {
    NewJob job;
    std::int64_t line = 0;  // in the file; 0: there is none
  };

  virtual ~JobSource() = default;
  virtual std::int64_t total() const = 0;
  virtual const LargestJob& largest() const = 0;
  // Nothing: that was all. Errors: io; bad_data if the file has changed since it was checked.
  virtual Result<std::optional<Sourced>, Failure> next() = 0;
};

std::unique_ptr<JobSource> copies_of(const NewJob& job, std::int64_t count);

// Checks every line. `path` may be `-` for stdin. Errors: io; bad_data, which names the line and the field.
Result<std::unique_ptr<JobSource>, Failure> lines_of(const std::string& path, const NewJob& defaults);

// All of stdin. Errors: io; bad_data: more than `most` bytes.
Result<std::string, Failure> read_stdin(std::size_t most);

std::int64_t meta_bytes(const Meta& meta);

}  // namespace stint
