// The jobs that have not ended well, and their payloads: small ones in the job's row, large ones apart.
#pragma once

#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "storage/grouped_insert.hpp"
#include "storage/statement.hpp"
#include "storage/store.hpp"

namespace stint {

class JobTable {
 public:
  // Payloads above this stand apart. Below it a second row would cost more than it saves a scan of the jobs.
  static constexpr std::size_t inline_bytes = 512;

  explicit JobTable(Database& database);

  void each(const std::function<void(const JobRow&)>& visit);
  std::optional<JobRow> find(JobId id);
  std::optional<Payload> payload(JobId id);
  void find_whole(const std::vector<JobId>& ids, const std::function<bool(WholeJob&&)>& visit);
  std::vector<JobRow> after(JobId id, std::int64_t most);

  void insert(const JobRow& row, const Payload& payload);
  void change(const JobChange& change);
  // Jobs whose ids follow one another are erased in one go, at the latest by settle().
  void erase(JobId id);
  // Before a commit: what waits to be inserted or erased is. Before a rollback: that is not worth it.
  void settle();
  void forget();

 private:
  // As most jobs are inserted: of what it does not say the columns' defaults hold.
  struct PlainJob {
    JobId id = 0;
    int priority = 0;
    Instant ready_at{};
    WallMs enqueued_at_ms = 0;
    std::string queue;
    std::string handler;
    Payload payload;

    auto values() const {
      return std::make_tuple(id, priority, ready_at, enqueued_at_ms, std::ssize(payload.bytes),
                             std::string_view(queue), std::string_view(handler), payload.is_text,
                             Blob{payload.bytes});
    }
  };

  static bool is_plain(const JobRow& row, const Payload& payload);
  void settle_erased();
  void read(Rows& rows, JobRow& row);
  void read_payload(Rows& rows, JobId id, Payload& payload);

  Database& database_;
  Statement each_;
  Statement find_;
  Statement after_;
  Statement payload_;
  Statement whole_from_;
  Statement large_payload_;
  Statement insert_;
  GroupedInsert<PlainJob> insert_plain_;
  Statement insert_large_payload_;
  Statement change_;
  Statement erase_small_;
  Statement erase_;
  Statement erase_large_payload_;
  Statement erase_range_;
  Statement erase_large_payloads_;

  // To be erased yet; 0: none.
  JobId first_erased_ = 0;
  JobId last_erased_ = 0;
};

}  // namespace stint
