#include "nodes/config/config_fault.hpp"

namespace stint {

std::string to_string(const ConfigFault& fault) {
  std::string text = fault.file;
  if (fault.line > 0) text += ":" + std::to_string(fault.line);
  if (!text.empty()) text += ": ";
  text += fault.key;
  if (!fault.value.empty()) text += " = " + fault.value;
  if (!fault.key.empty()) text += ": ";
  return text + fault.message;
}

}  // namespace stint
