#include "nodes/cli/commands.hpp"
#include "nodes/cli/json_text.hpp"
#include "nodes/config/read_config.hpp"
#include "nodes/runtime/run_node.hpp"
#include "protocol/version.hpp"

namespace stint {

namespace {

void name_faults(const ConfigFaults& faults, const Console& console) {
  for (const ConfigFault& fault : faults) console.note("stint: " + to_string(fault));
}

ExitStatus start(const ConfigFile& file, const NodeSettings& settings, const Console& console) {
  const auto config = resolve_config(file, settings);
  if (!config) {
    name_faults(config.error(), console);
    return file.path.empty() ? ExitStatus::usage : ExitStatus::config;
  }
  const auto ended = run_node(*config);
  if (ended) return ExitStatus::done;
  console.complain(ended.error());
  return ended.error().status;
}

}  // namespace

ExitStatus run(const NodeCommand& command, const Console& console) {
  if (command.config_file.empty()) return start(ConfigFile{}, command.settings, console);
  const auto file = read_config(command.config_file);
  if (!file) {
    name_faults(file.error(), console);
    return ExitStatus::config;
  }
  return start(*file, command.settings, console);
}

ExitStatus run(const WorkCommand& command, const Console& console) {
  ConfigFile file;
  file.worker = command.worker;
  return start(file, command.settings, console);
}

ExitStatus run(const ConfigCheckCommand& command, const Console& console) {
  ConfigFaults faults;
  if (const auto file = read_config(command.file); !file) {
    faults = file.error();
  } else if (const auto config = resolve_config(*file, NodeSettings{}); !config) {
    faults = config.error();
  }
  name_faults(faults, console);
  if (command.json) {
    console.print(json_of_config(command.file, faults));
  } else if (faults.empty()) {
    console.print(command.file + ": ok\n");
  }
  return faults.empty() ? ExitStatus::done : ExitStatus::config;
}

ExitStatus run(const VersionCommand& command, const Console& console) {
  console.print(command.json ? json_of_version() : "stint " + std::string(stint_version) + "\n");
  return ExitStatus::done;
}

}  // namespace stint
