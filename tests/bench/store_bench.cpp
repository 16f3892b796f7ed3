// What the Store alone carries: whole job lives a second, and how long a file of waiting jobs takes to load.
//
//   store_bench FILE [--jobs N] [--group N] [--payload BYTES] [--rows N]     prints one line of JSON a figure
//
// Each commit inserts a group of jobs, hands out the group before it in batches of 100, and finishes the one
// before that: the order in which a busy server works.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "storage/sqlite_store.hpp"

namespace {

using namespace stint;
using Clock = std::chrono::steady_clock;

struct Plan {
  std::string file;
  std::int64_t jobs = 500'000;
  std::int64_t group = 500;
  std::int64_t payload = 100;
  std::int64_t rows = 1'000'000;
};

constexpr std::int64_t batch = 100;
constexpr std::size_t event_bytes = 12;  // of one job's item
constexpr WallMs wall_ms = 1'753'000'000'000;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::unique_ptr<Store> open_or_exit(const std::string& file) {
  auto store = open_sqlite_store(file);
  if (store) return std::move(*store);
  std::fprintf(stderr, "%s\n", store.error().message.c_str());
  std::exit(1);
}

void remove_database(const std::string& file) {
  std::filesystem::remove(file);
  std::filesystem::remove(file + "-wal");
}

void commit_or_exit(Store& store) {
  const auto committed = store.commit(Instant{}, wall_ms);
  if (committed) return;
  std::fprintf(stderr, "%s\n", committed.error().message.c_str());
  std::exit(1);
}

JobRow new_job(JobId id) {
  JobRow row;
  row.id = id;
  row.queue = "default";
  row.handler = "send_email";
  row.ready_at = Instant(Duration(3'600'000'000 + id));
  row.enqueued_at_ms = wall_ms + id / 100;
  return row;
}

LogRow completed(JobId id) {
  LogRow row;
  row.run = {id, 1};
  row.queue = "default";
  row.handler = "send_email";
  row.session = 7;
  row.worker = "worker-1";
  row.attempt = 1;
  row.max_attempts = 25;
  row.enqueued_at_ms = wall_ms + id / 100;
  row.started_at_ms = row.enqueued_at_ms + 5;
  row.ended_at_ms = row.enqueued_at_ms + 10;
  return row;
}

// The lives of `jobs` jobs, one after another through one store.
class Lives {
 public:
  Lives(Store& store, const Plan& plan) : store_(store), plan_(plan) {}

  void run() {
    for (std::int64_t round = 0; round < plan_.jobs / plan_.group + 2; ++round) {
      events_ = 0;
      if (round * plan_.group < plan_.jobs) insert();
      if (round >= 1 && handed_out_ < inserted_) hand_out();
      if (round >= 2) finish();
      for (const char* event : {"enqueued", "started", "completed"}) {
        store_.put_topic({std::string("job/default/") + event, seq_});
      }
      store_.append_events(EventChunk{seq_, 3, std::string(events_ * event_bytes, 'e')});
      seq_ += 3;
      commit_or_exit(store_);
    }
  }

 private:
  void insert() {
    for (std::int64_t i = 0; i < plan_.group; ++i) {
      store_.insert_job(new_job(++inserted_), payload_);
      ++events_;
    }
  }
  void hand_out() {
    for (std::int64_t done = 0; done < plan_.group; done += batch) {
      ReceiptRow receipt;
      receipt.id = ++receipt_;
      receipt.session = 7;
      receipt.ask = receipt_;
      for (std::int64_t i = 0; i < std::min(batch, plan_.group - done); ++i) {
        receipt.runs.push_back({++handed_out_, 1});
        bytes_read_ += store_.payload(handed_out_).value()->bytes.size();
        ++events_;
      }
      store_.insert_receipt(receipt);
    }
  }
  void finish() {
    for (std::int64_t i = 0; i < plan_.group; ++i) {
      store_.delete_job(++finished_);
      store_.insert_log(completed(finished_));
      ++events_;
    }
    for (std::int64_t done = 0; done < plan_.group; done += batch) store_.delete_receipt(++receipts_ended_);
  }

  Store& store_;
  const Plan& plan_;
  const Payload payload_{std::string(static_cast<std::size_t>(plan_.payload), 'x'), false};
  JobId inserted_ = 0;
  JobId handed_out_ = 0;
  JobId finished_ = 0;
  ReceiptId receipt_ = 0;
  ReceiptId receipts_ended_ = 0;
  std::int64_t seq_ = 1;
  std::size_t events_ = 0;
  std::size_t bytes_read_ = 0;
};

void measure_lives(const Plan& plan) {
  remove_database(plan.file);
  auto store = open_or_exit(plan.file);
  const auto start = Clock::now();
  Lives(*store, plan).run();
  const double seconds = seconds_since(start);
  const auto sizes = store->sizes();
  std::printf(
      "{\"bench\":\"lives\",\"jobs\":%lld,\"group\":%lld,\"payload\":%lld,\"lives_per_s\":%.0f,\"database_"
      "mb\":%.1f,"
      "\"wal_mb\":%.1f}\n",
      static_cast<long long>(plan.jobs), static_cast<long long>(plan.group),
      static_cast<long long>(plan.payload), static_cast<double>(plan.jobs) / seconds,
      static_cast<double>(sizes.database_bytes) / 1e6, static_cast<double>(sizes.wal_bytes) / 1e6);
}

void measure_load(const Plan& plan) {
  remove_database(plan.file);
  {
    auto store = open_or_exit(plan.file);
    const Payload payload{std::string(static_cast<std::size_t>(plan.payload), 'x'), false};
    for (JobId id = 1; id <= plan.rows; ++id) {
      store->insert_job(new_job(id), payload);
      if (id % 1000 == 0) commit_or_exit(*store);
    }
    commit_or_exit(*store);
  }
  const auto start = Clock::now();
  auto store = open_or_exit(plan.file);
  std::int64_t rows = 0;
  const auto loaded = store->each_job([&](const JobRow&) { ++rows; });
  std::printf("{\"bench\":\"load\",\"rows\":%lld,\"payload\":%lld,\"loaded\":%s,\"seconds\":%.3f}\n",
              static_cast<long long>(rows), static_cast<long long>(plan.payload), loaded ? "true" : "false",
              seconds_since(start));
}

}  // namespace

int main(int argc, char** argv) {
  Plan plan;
  if (argc < 2 || argc % 2 != 0) {
    std::fprintf(stderr, "usage: store_bench FILE [--jobs N] [--group N] [--payload BYTES] [--rows N]\n");
    return 64;
  }
  plan.file = argv[1];
  for (int i = 2; i + 1 < argc; i += 2) {
    const std::string_view option = argv[i];
    const auto value = std::atoll(argv[i + 1]);
    if (option == "--jobs") plan.jobs = value;
    if (option == "--group") plan.group = value;
    if (option == "--payload") plan.payload = value;
    if (option == "--rows") plan.rows = value;
  }
  if (plan.jobs > 0) measure_lives(plan);
  if (plan.rows > 0) measure_load(plan);
  remove_database(plan.file);
}
