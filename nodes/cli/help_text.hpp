// How help screens look: usage, description, what may be given, examples; 80 columns.
#pragma once

#include <memory>
#include <string>

namespace CLI {
class FormatterBase;
}

namespace stint {

std::shared_ptr<CLI::FormatterBase> make_help_formatter();

// Below the list of commands.
std::string help_footer();

}  // namespace stint
