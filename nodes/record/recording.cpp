#include "nodes/record/recording.hpp"

#include <array>
#include <cstring>
#include <string_view>
#include <utility>

#include "nodes/record/byte_text.hpp"

namespace stint {

namespace {

constexpr std::string_view magic = "stint recording 1\n";
// More than the largest message.
constexpr std::uint32_t longest_entry = 256U << 20;

std::string framed(char kind, const std::string& body) {
  ByteText head;
  head.put(static_cast<std::uint8_t>(kind));
  head.put(static_cast<std::uint32_t>(body.size()));
  return head.take() + body;
}

// Nothing: no whole one is left.
std::optional<std::pair<char, std::string>> read_frame(std::ifstream& file) {
  std::array<char, 5> head{};
  if (!file.read(head.data(), head.size())) return std::nullopt;
  const auto size = ByteTaking(std::string_view(head.data() + 1, 4)).number<std::uint32_t>();
  if (size > longest_entry) return std::nullopt;
  std::string body(size, '\0');
  if (!file.read(body.data(), static_cast<std::streamsize>(size))) return std::nullopt;
  return std::pair(head[0], std::move(body));
}

// --- Entries ---

std::string body_of(const RecordedPost& post, char& kind) {
  kind = 'P';
  ByteText bytes;
  bytes.put(post.from);
  bytes.put(post.to);
  bytes.put(std::string_view(post.kind));
  bytes.put(std::string_view(post.body));
  return bytes.take();
}

std::string body_of(const RecordedTurn& turn, char& kind) {
  kind = 'T';
  ByteText bytes;
  bytes.put(turn.now);
  bytes.put(turn.wall_now);
  return bytes.take();
}

std::string body_of(const RecordedLeave& leave, char& kind) {
  kind = 'L';
  ByteText bytes;
  bytes.put(std::string_view(leave.lines));
  return bytes.take();
}

std::string body_of(const RecordedCommit& commit, char& kind) {
  kind = 'C';
  ByteText bytes;
  bytes.put(commit.now);
  return bytes.take();
}

std::string body_of(const RecordedRollback& rollback, char& kind) {
  kind = 'R';
  ByteText bytes;
  bytes.put(rollback.now);
  bytes.put(rollback.wall_now);
  return bytes.take();
}

std::optional<RecordedEntry> entry_of(char kind, const std::string& body) {
  ByteTaking bytes(body);
  std::optional<RecordedEntry> entry;
  if (kind == 'P') {
    RecordedPost post;
    post.from = bytes.address();
    post.to = bytes.address();
    post.kind = bytes.text();
    post.body = bytes.text();
    entry = std::move(post);
  } else if (kind == 'T') {
    const Instant now = bytes.instant();
    entry = RecordedTurn{now, bytes.number<WallMs>()};
  } else if (kind == 'L') {
    entry = RecordedLeave{bytes.text()};
  } else if (kind == 'C') {
    entry = RecordedCommit{bytes.instant()};
  } else if (kind == 'R') {
    const Instant now = bytes.instant();
    entry = RecordedRollback{now, bytes.number<WallMs>()};
  }
  if (!bytes.is_good_and_done()) return std::nullopt;
  return entry;
}

std::optional<RecordedStart> start_of(const std::string& body) {
  ByteTaking bytes(body);
  RecordedStart start;
  start.version = bytes.text();
  start.config_text = bytes.text();
  start.name = bytes.text();
  start.roles.storage = bytes.number<std::uint8_t>() != 0;
  start.roles.limiter = bytes.number<std::uint8_t>() != 0;
  start.roles.worker = bytes.number<std::uint8_t>() != 0;
  start.events = bytes.text();
  start.seed = bytes.number<std::uint64_t>();
  const std::string session = bytes.text();
  if (session.size() != start.session.bytes.size()) return std::nullopt;
  std::memcpy(start.session.bytes.data(), session.data(), session.size());
  start.storage.now = bytes.instant();
  start.storage.wall_now = bytes.number<WallMs>();
  start.storage.boot_id = bytes.text();
  start.storage.clock_offset = Duration(bytes.number<std::int64_t>());
  start.storage.new_log = bytes.text();
  if (!bytes.is_good_and_done()) return std::nullopt;
  return start;
}

}  // namespace

std::string database_of(const std::string& recording) { return recording + ".db"; }

std::string encode(const RecordedStart& start) {
  ByteText bytes;
  bytes.put(std::string_view(start.version));
  bytes.put(std::string_view(start.config_text));
  bytes.put(std::string_view(start.name));
  for (const bool role : {start.roles.storage, start.roles.limiter, start.roles.worker})
    bytes.put(static_cast<std::uint8_t>(role));
  bytes.put(std::string_view(start.events));
  bytes.put(start.seed);
  bytes.put(std::string_view(reinterpret_cast<const char*>(start.session.bytes.data()),
                             start.session.bytes.size()));
  bytes.put(start.storage.now);
  bytes.put(start.storage.wall_now);
  bytes.put(std::string_view(start.storage.boot_id));
  bytes.put(start.storage.clock_offset.count());
  bytes.put(std::string_view(start.storage.new_log));
  return std::string(magic) + framed('S', bytes.take());
}

std::string encode(const RecordedEntry& entry) {
  char kind = 0;
  const std::string body = std::visit([&](const auto& part) { return body_of(part, kind); }, entry);
  return framed(kind, body);
}

Result<RecordingReader> RecordingReader::open(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return Error{ErrorCode::not_found, "there is no file " + file + " that can be read"};
  std::string begins(magic.size(), '\0');
  stream.read(begins.data(), static_cast<std::streamsize>(begins.size()));
  if (begins != magic)
    return Error{ErrorCode::bad_message, file + " is not a recording of this form of stint"};
  const auto head = read_frame(stream);
  auto start = head && head->first == 'S' ? start_of(head->second) : std::nullopt;
  if (!start) return Error{ErrorCode::bad_message, "the head of " + file + " is damaged"};
  return RecordingReader(std::move(stream), std::move(*start));
}

std::optional<RecordedEntry> RecordingReader::next() {
  const auto frame = read_frame(file_);
  if (!frame) return std::nullopt;
  return entry_of(frame->first, frame->second);
}

}  // namespace stint
