// The field tables of PROTOCOL.md, made from the declarations in protocol/messages. In the document each
// stands between `<!-- fields: NAME -->` and `<!-- end -->`; what is between them is replaced, all else is
// left alone.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "protocol/result.hpp"

namespace stint {

// The document with every marked section made anew. Errors: a name that is not declared, a section that does
// not end.
Result<std::string> with_field_tables(std::string_view document);

// Declared structs that have no section in the document.
std::vector<std::string> undocumented(std::string_view document);

}  // namespace stint
