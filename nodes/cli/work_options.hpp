// The words of `stint work`: `--queue email:10` and `--handler 'send_email=python3 send_email.py'`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/result.hpp"

namespace stint {

struct QueueOption {
  std::string name;
  std::int64_t permits = 1;
};

// The last `:digits` are the permits, else there are `otherwise`. Errors: bad_message.
Result<QueueOption> parse_queue_option(std::string_view text, std::int64_t otherwise);

struct HandlerOption {
  std::string name;
  std::vector<std::string> command;
};

// Errors: bad_message.
Result<HandlerOption> parse_handler_option(std::string_view text);

// Splits a command line into words as a shell would, with its quotes and backslashes but without its
// expansions: `a 'b c' "d \"e\"" f\ g` has four words. Errors: bad_message, for a quote or backslash without
// an end.
Result<std::vector<std::string>> split_words(std::string_view line);

}  // namespace stint
