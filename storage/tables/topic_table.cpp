#include "storage/tables/topic_table.hpp"

namespace stint {

void TopicTable::each(const std::function<void(const TopicRow&)>& visit) {
  TopicRow row;
  for (auto rows = each_.query(); rows.next();) {
    row.topic = rows.bytes();
    row.seq = rows.integer();
    visit(row);
  }
}

}  // namespace stint
