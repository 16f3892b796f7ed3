// Lists: they come in pages, which are fetched one after another, and may be empty, which is said.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "nodes/cli/client_connection.hpp"
#include "nodes/cli/console.hpp"
#include "protocol/bounds.hpp"

namespace stint {

// A table of rows; where there are none, a note on stderr says so.
inline void print_rows(const Console& console, const std::string& table, bool is_empty,
                       std::string_view none) {
  console.print(table);
  if (is_empty) console.note("stint: " + std::string(none));
}

template <class Row>
struct Listing {
  std::vector<Row> rows;
  bool more = false;  // the server has more than were asked for
};

// At most `most` rows. `rows_of` names the page's list: `&Queues::queues`.
template <class Page, class Row, class List>
Result<Listing<Row>, Failure> fetch_all(ServerClient& client, List request, std::vector<Row> Page::*rows_of,
                                        std::int64_t most) {
  Listing<Row> listing;
  while (true) {
    const std::int64_t wanted = most - static_cast<std::int64_t>(listing.rows.size());
    request.limit = std::min(wanted, Bounds::list_rows);
    Result<Page, Failure> page = client.ask_for<Page>(request);
    if (!page) return page.error();
    std::vector<Row>& rows = (*page).*rows_of;
    std::move(rows.begin(), rows.end(), std::back_inserter(listing.rows));
    listing.more = !page->cursor.empty();
    request.cursor = page->cursor;
    if (!listing.more || static_cast<std::int64_t>(listing.rows.size()) >= most) return listing;
  }
}

}  // namespace stint
