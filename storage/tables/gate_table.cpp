#include "storage/tables/gate_table.hpp"

#include "storage/tables/limit_numbers.hpp"

namespace stint {

void GateTable::each(const std::function<void(const GateRow&)>& visit) {
  for (auto rows = each_.query(); rows.next();) {
    const auto scope = scope_of(rows.integer());
    GateRow row;
    row.name = rows.bytes();
    row.version = rows.integer();
    row.level = rows.optional_integer();
    row.level_at = rows.instant();
    if (const auto paused_until = rows.optional_integer())
      row.paused_until = Instant(Duration(*paused_until));
    row.rate = rows.real();
    row.burst = rows.integer();
    if (const auto window = rows.optional_integer()) row.window = Duration(*window);
    if (!scope) return database_.report_damage("the gate of " + row.name);
    row.scope = *scope;
    visit(row);
  }
}

void GateTable::put(const GateRow& row) {
  put_.run(number_of(row.scope), row.name, row.version, row.level, row.level_at, row.paused_until, row.rate,
           row.burst, row.window);
}

void GateTable::erase(LimitScope scope, const std::string& name) { erase_.run(number_of(scope), name); }

}  // namespace stint
