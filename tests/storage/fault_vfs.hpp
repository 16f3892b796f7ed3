// FaultVfs: the disk of a test, which fails when it is told to. Everything else goes to the real disk, but
// that nothing is synced: tests that end processes only need what the system keeps.
#pragma once

#include <sqlite3.h>
#include <string>

namespace stint::test {

enum class DiskFault { write_fails, disk_is_full, write_is_cut_short, sync_fails, read_fails };

class FaultVfs {
 public:
  // `name` is for SqliteOptions::vfs, one at a time.
  explicit FaultVfs(std::string name);
  ~FaultVfs();
  FaultVfs(const FaultVfs&) = delete;
  FaultVfs& operator=(const FaultVfs&) = delete;

  const std::string& name() const { return name_; }

  // The `nth` operation of the fault's kind from now on fails, counted from 1; with `lasting` those after it
  // too.
  void arm(DiskFault fault, int nth, bool lasting);
  // Only writes and syncs of the database itself fail, not those of its log.
  void spare_logs() { spares_logs_ = true; }
  void lift() { armed_ = false; }
  bool has_struck() const { return struck_; }

  // For the files: the code an operation fails with, SQLITE_OK: it does not.
  int on_write(bool of_log);
  int on_sync(bool of_log);
  int on_read();
  bool cuts_short() const { return fault_ == DiskFault::write_is_cut_short; }

 private:
  int strike(bool concerns, int code);

  std::string name_;
  sqlite3_vfs vfs_{};
  DiskFault fault_ = DiskFault::write_fails;
  int left_ = 0;
  bool armed_ = false;
  bool lasting_ = false;
  bool struck_ = false;
  bool spares_logs_ = false;
};

}  // namespace stint::test
