#include "tests/storage/fault_vfs.hpp"

#include <cassert>
#include <utility>

namespace stint::test {

namespace {

// SQLite allocates it, with the real file right behind it.
struct FaultFile {
  sqlite3_file base;
  FaultVfs* disk;
  bool is_log;
};

sqlite3_file* real(sqlite3_file* file) {
  return reinterpret_cast<sqlite3_file*>(reinterpret_cast<FaultFile*>(file) + 1);
}
FaultFile& self(sqlite3_file* file) { return *reinterpret_cast<FaultFile*>(file); }

int close(sqlite3_file* file) { return real(file)->pMethods->xClose(real(file)); }
int read(sqlite3_file* file, void* to, int bytes, sqlite3_int64 at) {
  if (const int code = self(file).disk->on_read()) return code;
  return real(file)->pMethods->xRead(real(file), to, bytes, at);
}
int write(sqlite3_file* file, const void* from, int bytes, sqlite3_int64 at) {
  const auto& disk = *self(file).disk;
  if (const int code = self(file).disk->on_write(self(file).is_log)) {
    if (disk.cuts_short()) real(file)->pMethods->xWrite(real(file), from, bytes / 2, at);
    return code;
  }
  return real(file)->pMethods->xWrite(real(file), from, bytes, at);
}
int truncate(sqlite3_file* file, sqlite3_int64 bytes) {
  if (const int code = self(file).disk->on_write(self(file).is_log)) return code;
  return real(file)->pMethods->xTruncate(real(file), bytes);
}
int sync(sqlite3_file* file, int) { return self(file).disk->on_sync(self(file).is_log); }
int file_size(sqlite3_file* file, sqlite3_int64* bytes) {
  return real(file)->pMethods->xFileSize(real(file), bytes);
}
int lock(sqlite3_file* file, int level) { return real(file)->pMethods->xLock(real(file), level); }
int unlock(sqlite3_file* file, int level) { return real(file)->pMethods->xUnlock(real(file), level); }
int check_lock(sqlite3_file* file, int* held) {
  return real(file)->pMethods->xCheckReservedLock(real(file), held);
}
int file_control(sqlite3_file* file, int operation, void* value) {
  return real(file)->pMethods->xFileControl(real(file), operation, value);
}
int sector_size(sqlite3_file* file) { return real(file)->pMethods->xSectorSize(real(file)); }
int characteristics(sqlite3_file* file) { return real(file)->pMethods->xDeviceCharacteristics(real(file)); }

// Version 1: no shared memory and no memory mapping, so that nothing goes past these functions.
const sqlite3_io_methods methods{
    1,       close,      read,         write,       truncate,        sync,    file_size, lock,
    unlock,  check_lock, file_control, sector_size, characteristics, nullptr, nullptr,   nullptr,
    nullptr, nullptr,    nullptr};

int open(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* flags_used) {
  sqlite3_vfs* const system = sqlite3_vfs_find("unix");
  self(file).base.pMethods = nullptr;
  self(file).disk = static_cast<FaultVfs*>(vfs->pAppData);
  self(file).is_log = (flags & SQLITE_OPEN_MAIN_DB) == 0;
  const int code = system->xOpen(system, name, real(file), flags, flags_used);
  if (code == SQLITE_OK) self(file).base.pMethods = &methods;
  return code;
}

int erase(sqlite3_vfs*, const char* name, int) {
  sqlite3_vfs* const system = sqlite3_vfs_find("unix");
  return system->xDelete(system, name, 0);
}

}  // namespace

FaultVfs::FaultVfs(std::string name) : name_(std::move(name)) {
  const sqlite3_vfs* const system = sqlite3_vfs_find("unix");
  vfs_ = *system;
  vfs_.pNext = nullptr;
  vfs_.zName = name_.c_str();
  vfs_.szOsFile = static_cast<int>(sizeof(FaultFile)) + system->szOsFile;
  vfs_.pAppData = this;
  vfs_.xOpen = open;
  vfs_.xDelete = erase;
  [[maybe_unused]] const int code = sqlite3_vfs_register(&vfs_, 0);
  assert(code == SQLITE_OK);
}

FaultVfs::~FaultVfs() { sqlite3_vfs_unregister(&vfs_); }

void FaultVfs::arm(DiskFault fault, int nth, bool lasting) {
  fault_ = fault;
  left_ = nth;
  lasting_ = lasting;
  armed_ = true;
  struck_ = false;
}

int FaultVfs::strike(bool concerns, int code) {
  if (!armed_ || !concerns) return SQLITE_OK;
  if (left_ > 0) --left_;
  if (left_ > 0) return SQLITE_OK;
  struck_ = true;
  if (!lasting_) armed_ = false;
  return code;
}

int FaultVfs::on_write(bool of_log) {
  if (of_log && spares_logs_) return SQLITE_OK;
  const bool is_full = fault_ == DiskFault::disk_is_full;
  return strike(is_full || fault_ == DiskFault::write_fails || cuts_short(),
                is_full ? SQLITE_FULL : SQLITE_IOERR_WRITE);
}

int FaultVfs::on_sync(bool of_log) {
  if (of_log && spares_logs_) return SQLITE_OK;
  return strike(fault_ == DiskFault::sync_fails, SQLITE_IOERR_FSYNC);
}

int FaultVfs::on_read() { return strike(fault_ == DiskFault::read_fails, SQLITE_IOERR_READ); }

}  // namespace stint::test
