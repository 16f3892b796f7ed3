#include "storage/tables/limit_table.hpp"

#include "storage/encodings.hpp"
#include "storage/tables/limit_numbers.hpp"

namespace stint {

void LimitTable::each(const std::function<void(const LimitRow&)>& visit) {
  for (auto rows = each_.query(); rows.next();) {
    const auto scope = scope_of(rows.integer());
    LimitRow row;
    row.name = rows.bytes();
    const auto source = source_of(rows.integer());
    auto limit = decode_limit(rows.bytes());
    if (!scope || !source || !limit) return database_.report_damage("a limit of " + row.name);
    row.scope = *scope;
    row.source = *source;
    row.limit = *limit;
    visit(row);
  }
}

void LimitTable::put(const LimitRow& row) {
  const auto record = encode_limit(row.limit);
  put_.run(number_of(row.scope), row.name, number_of(row.source), Blob{record});
}

void LimitTable::erase(LimitScope scope, const std::string& name, LimitSource source) {
  erase_.run(number_of(scope), name, number_of(source));
}

}  // namespace stint
