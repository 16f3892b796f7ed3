#include "storage/tables/window_table.hpp"

namespace stint {

void WindowTable::each(const std::function<void(const WindowRow&)>& visit) {
  WindowRow row;
  for (auto rows = each_.query(); rows.next();) {
    row.handler = rows.bytes();
    row.at = rows.instant();
    row.count = rows.integer();
    visit(row);
  }
}

}  // namespace stint
