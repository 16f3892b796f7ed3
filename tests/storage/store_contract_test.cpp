// The stores that there are, held to the contract.
#include "tests/storage/store_contract.hpp"

#include "storage/sqlite_store.hpp"
#include "tests/storage/temporary_folder.hpp"
#include "tests/support/memory_store.hpp"

namespace stint::test {

namespace {

StoreOpener new_sqlite_place() {
  auto folder = std::make_shared<TemporaryFolder>();
  return [folder] {
    auto store = open_sqlite_store(folder->file());
    if (!store) ADD_FAILURE() << store.error().message;
    return std::move(*store);
  };
}

StoreOpener new_memory_place() {
  auto disk = std::make_shared<MemoryDisk>();
  return [disk] { return std::make_unique<MemoryStore>(*disk); };
}

const StoreKind sqlite{"sqlite", new_sqlite_place};
const StoreKind memory{"memory", new_memory_place};

}  // namespace

INSTANTIATE_TEST_SUITE_P(Stores, StoreContract, testing::Values(sqlite, memory), name_of);
INSTANTIATE_TEST_SUITE_P(Stores, StorePruning, testing::Values(sqlite, memory), name_of);

}  // namespace stint::test
