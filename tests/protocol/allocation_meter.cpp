#include "tests/protocol/allocation_meter.hpp"

#include <cstdlib>
#include <new>

namespace {
thread_local std::size_t allocated = 0;
}  // namespace

namespace stint::testing {
std::size_t bytes_allocated() { return allocated; }
}  // namespace stint::testing

void* operator new(std::size_t size) {
  allocated += size;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void* operator new[](std::size_t size) { return operator new(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
