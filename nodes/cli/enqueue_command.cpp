#include <algorithm>
#include <array>
#include <fmt/core.h>
#include <map>
#include <random>

#include "nodes/cli/client_connection.hpp"
#include "nodes/cli/commands.hpp"
#include "nodes/cli/job_source.hpp"
#include "nodes/cli/json_text.hpp"
#include "nodes/cli/progress.hpp"

namespace stint {

namespace {

// What a request may hold: well under the bounds of a message, so that neither side has to hold large ones.
constexpr std::int64_t chunk_bytes = 4 << 20;
constexpr std::int64_t chunk_values = 100'000;
constexpr std::int64_t chunk_jobs = 1'000;
constexpr std::size_t open_chunks = 4;
constexpr std::size_t longest_base_key = 52;  // leaves room for `#` and the number of the chunk

std::string random_batch_key() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}{:08x}{:08x}", random(), random(), random(), random());
}

// Jobs of one request, and where they come from.
struct Chunk {
  std::int64_t first = 0;           // position of its first job among all
  std::vector<std::int64_t> lines;  // of each job in the file
  std::int64_t jobs = 0;
};

class Enqueuing {
 public:
  Enqueuing(const EnqueueCommand& command, JobSource& source, ServerClient& client, const Console& console)
      : source_(source),
        client_(client),
        console_(console),
        json_(command.client.json),
        is_one_request_(source.total() == 1),
        base_key_(command.batch_key.empty() ? random_batch_key() : command.batch_key),
        progress_(console, "enqueueing", source.total()) {}

  ExitStatus run() {
    if (auto failure = prepare()) return fail(*failure);
    while (true) {
      while (!source_ended_ && !failure_ && open_.size() < open_chunks) {
        if (auto failure = send_chunk()) failure_ = std::move(failure);
      }
      if (open_.empty()) break;
      auto answered = client_.receive();
      if (!answered) return fail(answered.error());
      take(*answered);
      progress_.advance_to(acknowledged_);
    }
    if (failure_) return fail(*failure_);
    if (json_) console_.print(json_of(all_));
    return ExitStatus::done;
  }

 private:
  // Several requests: asks what the server takes, before anything is sent to it.
  std::optional<Failure> prepare() {
    if (is_one_request_) return {};
    if (base_key_.size() > longest_base_key) {
      return Failure{.status = ExitStatus::usage,
                     .message = fmt::format("--batch-key: expected at most {} bytes for several requests",
                                            longest_base_key)};
    }
    Hello hello;
    hello.client = "stint enqueue";
    const auto welcome = client_.ask_for<Welcome>(hello);
    if (!welcome) return welcome.error();
    jobs_per_request_ = std::min(chunk_jobs, std::max<std::int64_t>(1, welcome->bounds.jobs_per_request));
    const LargestJob& largest = source_.largest();
    if (largest.payload_bytes > welcome->bounds.payload_bytes) {
      return too_large(largest.payload_place, "payload", largest.payload_bytes,
                       welcome->bounds.payload_bytes);
    }
    if (largest.meta_bytes > welcome->bounds.meta_bytes) {
      return too_large(largest.meta_place, "meta", largest.meta_bytes, welcome->bounds.meta_bytes);
    }
    return {};
  }

  static Failure too_large(const std::string& place, const char* field, std::int64_t bytes,
                           std::int64_t most) {
    return {.status = ExitStatus::bad_data,
            .message = fmt::format("{}{}{} is {} bytes; this server takes at most {}", place,
                                   place.empty() ? "" : ": ", field, bytes, most),
            .hint = "  Nothing was enqueued."};
  }

  std::string next_key() {
    const std::size_t number = chunks_sent_++;
    return number == 0 ? base_key_ : fmt::format("{}#{}", base_key_, number);
  }

  // Where a request ends depends on the jobs alone, so that the same jobs get the same keys again.
  std::optional<Failure> send_chunk() {
    Enqueue request{.jobs = {}, .batch_key = {}};
    Chunk chunk{.first = given_, .lines = {}, .jobs = 0};
    std::int64_t bytes = 0;
    std::int64_t values = 0;
    while (chunk.jobs < jobs_per_request_ && bytes < chunk_bytes && values < chunk_values) {
      auto sourced = source_.next();
      if (!sourced) return sourced.error();
      source_ended_ = !*sourced;
      if (source_ended_) break;
      JobSource::Sourced& one = **sourced;
      bytes += static_cast<std::int64_t>(one.job.payload.bytes.size()) + meta_bytes(one.job.meta) + 400;
      values += 32 + 2 * static_cast<std::int64_t>(one.job.meta.size());
      chunk.lines.push_back(one.line);
      request.jobs.push_back(std::move(one.job));
      ++chunk.jobs;
    }
    if (chunk.jobs == 0) return {};
    given_ += chunk.jobs;
    request.batch_key = next_key();
    open_.emplace(client_.send(std::move(request)), std::move(chunk));
    return {};
  }

  void take(ServerClient::Answered& answered) {
    const auto taken = open_.extract(answered.request);
    if (taken.empty()) return;
    const Chunk& chunk = taken.mapped();
    if (Enqueued* enqueued = std::get_if<Enqueued>(&answered.answer)) {
      acknowledged_ += chunk.jobs;
      answered_[chunk.first] = std::move(*enqueued);
    } else if (failure_) {
      // The first is the one that is told.
    } else if (const Error* error = std::get_if<Error>(&answered.answer)) {
      key_is_taken_ = error->code == ErrorCode::conflict && error->field == "batch_key";
      is_refused_ = error->code == ErrorCode::bad_message || error->code == ErrorCode::too_large ||
                    error->code == ErrorCode::conflict;
      failure_ = refused(chunk, *error);
    } else {
      failure_ = Failure{.status = ExitStatus::no_server,
                         .message = "the server answered something else than was asked"};
    }
    give_out();
  }

  // In the order of the jobs: what was answered early waits for those before it.
  void give_out() {
    std::int64_t oldest_open = given_;
    for (const auto& [number, chunk] : open_) oldest_open = std::min(oldest_open, chunk.first);
    while (!answered_.empty() && answered_.begin()->first < oldest_open) {
      give_out(answered_.begin()->first, answered_.begin()->second);
      answered_.erase(answered_.begin());
    }
  }

  void give_out(std::int64_t first, const Enqueued& enqueued) {
    if (json_) {
      all_.ids.insert(all_.ids.end(), enqueued.ids.begin(), enqueued.ids.end());
      for (const std::int64_t at : enqueued.duplicates) all_.duplicates.push_back(first + at);
      return;
    }
    std::string text;
    for (const JobId id : enqueued.ids) fmt::format_to(std::back_inserter(text), "{}\n", id);
    console_.print(text);
  }

  // The server speaks of positions in its request; people know the lines of their file.
  Failure refused(const Chunk& chunk, const Error& error) const {
    Failure failure = refusal(error);
    std::string lines;
    for (const ErrorItem& item : error.items) {
      if (item.at < 0 || item.at >= chunk.jobs || chunk.lines[static_cast<std::size_t>(item.at)] == 0)
        continue;
      lines += fmt::format("{}  line {}: {}: {}", lines.empty() ? "" : "\n",
                           chunk.lines[static_cast<std::size_t>(item.at)], item.field, item.message);
    }
    failure.hint = lines;
    return failure;
  }

  ExitStatus fail(Failure failure) {
    open_.clear();
    give_out();
    if (json_ && acknowledged_ > 0) console_.print(json_of(all_));
    if (key_is_taken_) {
      failure.hint = fmt::format(
          "  `--batch-key {}` belongs to other jobs, enqueued with it before: what the server has for it is\n"
          "  what was sent first. For these jobs use another key, or none.",
          base_key_);
    }
    if (given_ > 0 && !is_one_request_) failure.hint += (failure.hint.empty() ? "" : "\n") + how_far();
    console_.complain(failure);
    return failure.status;
  }

  std::string how_far() const {
    std::string text =
        fmt::format("  {} of {} jobs are known to be enqueued", acknowledged_, source_.total());
    if (key_is_taken_) return text + (acknowledged_ > 0 ? ", now or before." : ".");
    return text +
           fmt::format("; `--batch-key {}` with the {} enqueues the rest, none twice.", base_key_,
                       is_refused_ ? "refused lines put right and the others as they are" : "same jobs");
  }

  JobSource& source_;
  ServerClient& client_;
  const Console& console_;
  bool json_;
  bool is_one_request_;
  std::string base_key_;
  Progress progress_;
  std::int64_t jobs_per_request_ = chunk_jobs;
  std::map<std::uint64_t, Chunk> open_;
  std::map<std::int64_t, Enqueued> answered_;  // but not given out yet, by the position of their first job
  Enqueued all_;
  std::size_t chunks_sent_ = 0;
  std::int64_t given_ = 0;
  std::int64_t acknowledged_ = 0;
  bool source_ended_ = false;
  std::optional<Failure> failure_;
  bool key_is_taken_ = false;  // by other jobs
  bool is_refused_ = false;    // sent again as it is, it would be refused again
};

Result<std::unique_ptr<JobSource>, Failure> source_of(const EnqueueCommand& command) {
  if (!command.file.empty()) return lines_of(command.file, command.job);
  NewJob job = command.job;
  if (command.payload_from_stdin) {
    auto bytes = read_stdin(Bounds::batch_bytes);
    if (!bytes) return bytes.error();
    job.payload = Payload{.bytes = std::move(*bytes), .is_text = false};
  }
  return copies_of(job, command.count);
}

}  // namespace

ExitStatus run(const EnqueueCommand& command, const Console& console) {
  auto source = source_of(command);
  if (!source) {
    console.complain(source.error());
    return source.error().status;
  }
  if ((*source)->total() == 0) {
    if (command.client.json) console.print(json_of(Enqueued{}));
    return ExitStatus::done;
  }
  ServerClient client(command.client.server);
  return Enqueuing(command, **source, client, console).run();
}

}  // namespace stint
