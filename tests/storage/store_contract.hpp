// What every Store promises, as tests. A kind of store is held to it in one source file of a test program:
//
//   INSTANTIATE_TEST_SUITE_P(Sqlite, StoreContract, testing::Values(kind), name_of);
//   INSTANTIATE_TEST_SUITE_P(Sqlite, StorePruning, testing::Values(kind), name_of);
#pragma once

#include "tests/storage/contract/events_and_header.hpp"
#include "tests/storage/contract/fixture.hpp"
#include "tests/storage/contract/jobs.hpp"
#include "tests/storage/contract/limits.hpp"
#include "tests/storage/contract/pruning.hpp"
#include "tests/storage/contract/runs.hpp"
#include "tests/storage/contract/sessions.hpp"
#include "tests/storage/contract/transactions.hpp"
