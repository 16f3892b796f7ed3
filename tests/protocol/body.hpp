// Bodies for tests, written as JSON, and the bytes of msgpack that JSON cannot say.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace stint::testing {

// `{"jobs": [{"handler": "h"}]}` as msgpack. A text "bin:..." becomes binary of what follows.
std::string body(std::string_view json);

// `{key: <value>}`, the value given as msgpack.
std::string body_with(std::string_view key, std::string_view value);

// The body without the key at its top; the key's value set to nil; to a value of msgpack; the pair given
// twice.
std::string without(std::string_view body, std::string_view key);
std::string with_nil(std::string_view body, std::string_view key);
std::string with_value(std::string_view body, std::string_view key, std::string_view value);
std::string with_twice(std::string_view body, std::string_view key);

// Heads and values of msgpack.
std::string packed_text(std::string_view text);
std::string packed_binary(std::string_view bytes);
std::string packed_list(std::size_t items);
std::string packed_map(std::size_t pairs);

std::string repeated(std::string_view text, std::size_t times);

}  // namespace stint::testing
