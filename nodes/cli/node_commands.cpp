#include <fstream>
#include <iterator>
#include <string>

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

std::string text_of(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// `otherwise`: how the program ends if the config has faults.
ExitStatus start(const Result<NodeConfig, ConfigFaults>& config, ExitStatus otherwise,
                 const Console& console) {
  if (!config) {
    name_faults(config.error(), console);
    return otherwise;
  }
  const auto ended = run_node(*config);
  if (ended) return ExitStatus::done;
  console.complain(ended.error());
  return ended.error().status;
}

}  // namespace

ExitStatus run(const NodeCommand& command, const Console& console) {
  const bool has_file = !command.config_file.empty();
  auto config = has_file ? load_config(command.config_file, command.settings)
                         : resolve_config(ConfigFile{}, command.settings);
  if (config && !command.record_file.empty())
    config->record = {command.record_file, has_file ? text_of(command.config_file) : std::string()};
  return start(config, has_file ? ExitStatus::config : ExitStatus::usage, console);
}

ExitStatus run(const WorkCommand& command, const Console& console) {
  ConfigFile file;
  file.worker = command.worker;
  return start(resolve_config(file, command.settings), ExitStatus::usage, console);
}

ExitStatus run(const ConfigCheckCommand& command, const Console& console) {
  const auto config = load_config(command.file, NodeSettings{});
  const ConfigFaults faults = config ? ConfigFaults{} : config.error();
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
