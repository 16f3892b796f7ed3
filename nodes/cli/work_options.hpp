// The words of `stint work`: `--queue email:10` or `--queue email:min=2,weight=3`, `--limit
// send_email=60/60s` and `--handler 'send_email=python3 send_email.py'`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nodes/config/config.hpp"
#include "protocol/limit.hpp"
#include "protocol/result.hpp"

namespace stint {

struct QueueOption {
  std::string name;
  // The last `:digits`, or what stands behind a last `:` that has a `=`; neither: the name is all there is.
  std::optional<std::int64_t> permits;
  std::optional<QueueShare> share;
};

// Errors: bad_message.
Result<QueueOption> parse_queue_option(std::string_view text);

struct LimitOption {
  std::string handler;
  Limit limit;
};

// Errors: bad_message, also for a limit that nobody may set.
Result<LimitOption> parse_limit_option(std::string_view text);

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
