// stint: the program. See `stint --help`.
#include "nodes/cli/commands.hpp"

int main(int argc, char** argv) {
  const stint::Console console = stint::Console::of_process();
  return static_cast<int>(stint::run_command_line(argc, argv, console));
}
