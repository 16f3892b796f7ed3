// Migrations: how the tables of a stint file came to be, step by step. A file says in PRAGMA user_version how
// many steps it has taken; opening it takes the rest, all in one transaction. How to add one:
// storage/README.md.
#pragma once

#include <span>

#include "storage/database.hpp"

namespace stint {

struct Migration {
  int version;      // the file's after this step
  const char* sql;  // statements, separated by semicolons
};

// All steps there are, numbered from 1 without gaps.
std::span<const Migration> migrations();

// What this program knows how to read.
int newest_version(std::span<const Migration> steps);

// Takes the steps the file has not taken yet, within the open transaction. Faults stick to the database.
void migrate(Database& database, std::span<const Migration> steps);

}  // namespace stint
