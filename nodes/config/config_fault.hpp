// ConfigFault: one thing that is wrong in a config, as a line for a person: file, line, key, value, what was
// expected.
#pragma once

#include <string>
#include <vector>

namespace stint {

struct ConfigFault {
  std::string file{};     // empty: it came from the command line
  int line = 0;           // 0: none
  std::string key{};      // `queues.email.batch_max`; empty: the file as a whole
  std::string value{};    // as it is written; empty: the key itself is the fault
  std::string message{};  // what was expected
};

using ConfigFaults = std::vector<ConfigFault>;

// `stint.toml:12: queues.email.batch_max = -3: expected a whole number from 1 to 1000`
std::string to_string(const ConfigFault& fault);

}  // namespace stint
