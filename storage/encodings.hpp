// How the small structures of rows are kept in one column each. An encoding never changes: a file holds what
// older versions wrote. Decoding gives nothing where the bytes are not what its encoder writes: the file is
// damaged.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/limit.hpp"
#include "protocol/values.hpp"

namespace stint {

std::string encode_meta(const Meta& meta);
std::optional<Meta> decode_meta(std::string_view bytes);

std::string encode_names(const std::vector<std::string>& names);
std::optional<std::vector<std::string>> decode_names(std::string_view bytes);

std::string encode_backoff(const Backoff& backoff);
std::optional<Backoff> decode_backoff(std::string_view bytes);

std::string encode_limit(const Limit& limit);
std::optional<Limit> decode_limit(std::string_view bytes);

std::string encode_error(const RunError& error);
std::optional<RunError> decode_error(std::string_view bytes);

// Each id as its distance from the one before: two bytes a run where ids follow one another.
std::string encode_runs(const std::vector<JobRun>& runs);
std::optional<std::vector<JobRun>> decode_runs(std::string_view bytes);

std::string encode_ids(const std::vector<JobId>& ids);
std::optional<std::vector<JobId>> decode_ids(std::string_view bytes);

}  // namespace stint
