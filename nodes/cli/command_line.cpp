#include <exception>
#include <new>

#include "nodes/cli/commands.hpp"

namespace stint {

namespace {

ExitStatus run_parsed(int count, const char* const* arguments, const Console& console) {
  const auto parsed = parse_arguments(count, arguments);
  if (!parsed) {
    console.complain(parsed.error());
    return parsed.error().status;
  }
  if (const HelpText* help = std::get_if<HelpText>(&*parsed)) {
    console.print(help->text);
    return ExitStatus::done;
  }
  return std::visit([&](const auto& command) { return run(command, console); }, std::get<Command>(*parsed));
}

}  // namespace

ExitStatus run_command_line(int count, const char* const* arguments, const Console& console) {
  try {
    return console.finish(run_parsed(count, arguments, console));
  } catch (const std::exception& error) {
    console.complain(
        {.status = ExitStatus::internal, .message = std::string("internal error: ") + error.what()});
    return ExitStatus::internal;
  }
}

}  // namespace stint
