#include "storage/tables/session_table.hpp"

#include <algorithm>

#include "storage/encodings.hpp"

namespace stint {

namespace {

std::string_view view(const SessionId& id) {
  return {reinterpret_cast<const char*>(id.bytes.data()), id.bytes.size()};
}

std::optional<SessionId> session_id_of(std::string_view bytes) {
  SessionId id;
  if (bytes.size() != id.bytes.size()) return std::nullopt;
  std::copy(bytes.begin(), bytes.end(), id.bytes.begin());
  return id;
}

}  // namespace

std::optional<SessionRow> SessionTable::read(Rows& rows) {
  SessionRow row;
  row.number = rows.integer();
  const auto id = session_id_of(rows.bytes());
  row.worker = rows.bytes();
  row.client = rows.bytes();
  row.hostname = rows.bytes();
  row.pid = rows.optional_integer();
  row.first_hello_ms = rows.integer();
  row.last_message = rows.instant();
  row.taken_over = rows.boolean();
  row.ended = rows.boolean();
  auto handlers = decode_names(rows.bytes());
  auto queues = decode_names(rows.bytes());
  auto labels = decode_meta(rows.bytes());
  if (!id || !handlers || !queues || !labels) {
    database_.report_damage("session " + std::to_string(row.number));
    return std::nullopt;
  }
  row.id = *id;
  row.handlers = std::move(*handlers);
  row.queues = std::move(*queues);
  row.labels = std::move(*labels);
  return row;
}

void SessionTable::each(const std::function<void(const SessionRow&)>& visit) {
  for (auto rows = each_.query(); rows.next();) {
    if (const auto row = read(rows)) visit(*row);
  }
}

void SessionTable::put(const SessionRow& row) {
  const auto handlers = encode_names(row.handlers);
  const auto queues = encode_names(row.queues);
  const auto labels = encode_meta(row.labels);
  put_.run(row.number, Blob{view(row.id)}, row.worker, row.client, row.hostname, row.pid, row.first_hello_ms,
           row.last_message, row.taken_over, row.ended, Blob{handlers}, Blob{queues}, Blob{labels});
}

void SessionTable::erase(SessionNumber number) { erase_.run(number); }

}  // namespace stint
