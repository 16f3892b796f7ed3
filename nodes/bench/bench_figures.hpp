// How benchmarks print their figures: the same words and shapes in every mode.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nodes/bench/quantiles.hpp"

namespace stint {

std::string whole_text(double per_s);          // `1,234,567`
std::string range_text(const Spread& spread);  // `1,200,000-1,300,000`
std::string span_text_of_us(double span_us);   // `0.43 ms`
std::string ratio_text(double ratio);          // `0.95`
std::string fixed_text(double value, int digits);

// A JSON object, its members in the order they were added. Keys and texts are words of the benchmarks' own:
// nothing in them needs an escape.
class JsonObject {
 public:
  JsonObject& add(const char* key, std::int64_t value);
  JsonObject& add(const char* key, double value);
  JsonObject& add(const char* key, bool value);
  JsonObject& add(const char* key, const std::string& text);
  JsonObject& add(const char* key, const char* text) { return add(key, std::string(text)); }
  // `{"median": …, "least": …, "most": …}`
  JsonObject& add(const char* key, const Spread& spread);
  JsonObject& add(const char* key, const JsonObject& object);
  JsonObject& add(const char* key, const std::vector<JsonObject>& list);

  std::string text() const { return "{" + members_ + "}"; }

 private:
  JsonObject& add_written(const char* key, const std::string& value);

  std::string members_;
};

}  // namespace stint
