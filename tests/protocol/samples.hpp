// Samples: a valid body of every message, with the names of its fields, for tests that damage them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/codec.hpp"

namespace stint::testing {

struct SampleField {
  std::string key;
  bool is_required = false;
  bool is_reserved = false;
};

struct Sample {
  std::string type;
  bool is_request = false;
  std::string body;
  std::vector<SampleField> fields;
};

// One of every request and answer. `is_full`: no field is absent.
std::vector<Sample> samples(std::uint64_t seed, bool is_full);

// The error of decoding `body` as the sample's type, if there is one.
std::optional<Error> decode_error(const Sample& sample, std::string_view body);

// The error of decoding a request, with the default bounds.
std::optional<Error> request_error(std::string_view type, std::string_view body);

}  // namespace stint::testing
