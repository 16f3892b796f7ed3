#include "nodes/runners/find_program.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

namespace stint {

namespace {

// 0, or the errno of an attempt to run it.
int try_path(const std::string& path) {
  struct stat file {};
  if (stat(path.c_str(), &file) != 0) return errno;
  if (!S_ISREG(file.st_mode)) return EACCES;
  return access(path.c_str(), X_OK) == 0 ? 0 : errno;
}

// As exec does: a file that may not be run is passed over, and told of if nothing better comes.
int try_along_path(const std::string& name) {
  const char* const value = std::getenv("PATH");
  std::string_view folders = value != nullptr ? value : "/bin:/usr/bin";
  int fault = ENOENT;
  while (true) {
    const std::size_t end = folders.find(':');
    const std::string folder(folders.substr(0, end));
    const int tried = try_path((folder.empty() ? "." : folder) + "/" + name);
    if (tried == 0) return 0;
    if (tried == EACCES) fault = EACCES;
    if (end == std::string_view::npos) return fault;
    folders.remove_prefix(end + 1);
  }
}

}  // namespace

std::optional<std::string> fault_of_program(const std::string& program) {
  const bool is_path = program.find('/') != std::string::npos;
  const int fault = is_path ? try_path(program) : try_along_path(program);
  if (fault == 0) return std::nullopt;
  return std::strerror(fault);
}

}  // namespace stint
