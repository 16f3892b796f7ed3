#include "nodes/cli/job_source.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "nodes/cli/job_lines.hpp"
#include "protocol/bounds.hpp"

namespace stint {

namespace {

// A payload of bytes grows by a third as Base64, and by six as escapes at worst.
constexpr std::size_t longest_line = 6 * std::size_t{Bounds::batch_bytes} + (1 << 20);

struct CloseFile {
  void operator()(std::FILE* file) const { static_cast<void>(std::fclose(file)); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

Failure io_failure(const std::string& what) {
  return {.status = ExitStatus::io, .message = what + ": " + std::strerror(errno)};
}

void note_largest(LargestJob& largest, const NewJob& job, const std::string& place) {
  const auto payload = static_cast<std::int64_t>(job.payload.bytes.size());
  if (payload > largest.payload_bytes) {
    largest.payload_bytes = payload;
    largest.payload_place = place;
  }
  if (const std::int64_t meta = meta_bytes(job.meta); meta > largest.meta_bytes) {
    largest.meta_bytes = meta;
    largest.meta_place = place;
  }
}

class Copies : public JobSource {
 public:
  Copies(const NewJob& job, std::int64_t count) : job_(job), count_(count) {
    note_largest(largest_, job_, "");
  }

  std::int64_t total() const override { return count_; }
  const LargestJob& largest() const override { return largest_; }

  Result<std::optional<Sourced>, Failure> next() override {
    if (given_ == count_) return std::optional<Sourced>();
    ++given_;
    return std::optional<Sourced>({.job = job_, .line = 0});
  }

 private:
  NewJob job_;
  std::int64_t count_;
  std::int64_t given_ = 0;
  LargestJob largest_;
};

class Lines : public JobSource {
 public:
  Lines(File file, std::string path, const NewJob& defaults)
      : file_(std::move(file)), path_(std::move(path)), defaults_(defaults) {}

  std::int64_t total() const override { return total_; }
  const LargestJob& largest() const override { return largest_; }

  std::optional<Failure> check() {
    while (true) {
      auto sourced = next();
      if (!sourced) return sourced.error();
      if (!*sourced) break;
      ++total_;
      note_largest(largest_, (*sourced)->job, place());
    }
    std::rewind(file_.get());
    line_ = 0;
    return {};
  }

  Result<std::optional<Sourced>, Failure> next() override {
    std::string text;
    while (true) {
      ++line_;
      const bool found = read_line(text);
      if (std::ferror(file_.get()) != 0) return io_failure("cannot read " + path_);
      if (!found) return std::optional<Sourced>();
      if (text.size() > longest_line)
        return fault({.message = "is over " + std::to_string(longest_line) + " bytes"});
      if (text.find_first_not_of(" \t\r") != std::string::npos) break;
    }
    auto job = parse_job_line(text, defaults_);
    if (!job) return fault(job.error());
    return std::optional<Sourced>({.job = std::move(*job), .line = line_});
  }

 private:
  std::string place() const { return path_ + ":" + std::to_string(line_); }

  Failure fault(const Error& error) const {
    const std::string field = error.field.empty() ? "" : error.field + ": ";
    return {.status = ExitStatus::bad_data,
            .message = place() + ": " + field + error.message,
            .hint = "  Nothing was enqueued from this line on."};
  }

  // Without its end. False: there is none. Of a line that is too long, one byte too many is read.
  bool read_line(std::string& text) {
    text.clear();
    int c = getc_unlocked(file_.get());
    if (c == EOF) return false;
    while (c != EOF && c != '\n' && text.size() <= longest_line) {
      text += static_cast<char>(c);
      c = getc_unlocked(file_.get());
    }
    return true;
  }

  File file_;
  std::string path_;
  NewJob defaults_;
  std::int64_t line_ = 0;
  std::int64_t total_ = 0;
  LargestJob largest_;
};

// stdin can be read only once: a temporary file keeps it.
Result<File, Failure> spooled_stdin() {
  File file(std::tmpfile());
  if (!file) {
    return Failure{.status = ExitStatus::cannot_create,
                   .message = std::string("cannot create a temporary file: ") + std::strerror(errno)};
  }
  std::array<char, 1 << 16> buffer;
  while (const std::size_t size = std::fread(buffer.data(), 1, buffer.size(), stdin)) {
    if (std::fwrite(buffer.data(), 1, size, file.get()) != size)
      return io_failure("cannot write a temporary file");
  }
  if (std::ferror(stdin) != 0) return io_failure("cannot read stdin");
  std::rewind(file.get());
  return file;
}

Result<File, Failure> open_lines(const std::string& path) {
  if (path == "-") return spooled_stdin();
  File file(std::fopen(path.c_str(), "re"));
  if (!file) return io_failure("cannot open " + path);
  if (std::fseek(file.get(), 0, SEEK_SET) != 0) {
    return Failure{.status = ExitStatus::io,
                   .message = "cannot read " + path + " twice",
                   .hint = "  Give it as stdin: --file - < " + path};
  }
  return file;
}

}  // namespace

std::int64_t meta_bytes(const Meta& meta) {
  std::size_t bytes = 0;
  for (const auto& [key, value] : meta) bytes += key.size() + value.size();
  return static_cast<std::int64_t>(bytes);
}

std::unique_ptr<JobSource> copies_of(const NewJob& job, std::int64_t count) {
  return std::make_unique<Copies>(job, count);
}

Result<std::unique_ptr<JobSource>, Failure> lines_of(const std::string& path, const NewJob& defaults) {
  auto file = open_lines(path);
  if (!file) return file.error();
  auto lines = std::make_unique<Lines>(std::move(*file), path == "-" ? "stdin" : path, defaults);
  if (auto failure = lines->check()) {
    failure->hint = failure->status == ExitStatus::bad_data ? "  Nothing was enqueued." : "";
    return *failure;
  }
  return std::unique_ptr<JobSource>(std::move(lines));
}

Result<std::string, Failure> read_stdin(std::size_t most) {
  std::string bytes(most + 1, '\0');
  bytes.resize(std::fread(bytes.data(), 1, bytes.size(), stdin));
  if (std::ferror(stdin) != 0) return io_failure("cannot read stdin");
  if (bytes.size() > most) {
    return Failure{.status = ExitStatus::bad_data,
                   .message = "the payload on stdin is over " + std::to_string(most) + " bytes"};
  }
  return bytes;
}

}  // namespace stint
