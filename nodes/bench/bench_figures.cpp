#include "nodes/bench/bench_figures.hpp"

#include <cmath>
#include <cstdio>

#include "nodes/cli/time_text.hpp"

namespace stint {

std::string fixed_text(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

std::string whole_text(double per_s) { return count_text(std::llround(per_s)); }

std::string range_text(const Spread& spread) {
  return whole_text(spread.least) + "-" + whole_text(spread.most);
}

std::string span_text_of_us(double span_us) { return fixed_text(span_us / 1e3, 2) + " ms"; }

std::string ratio_text(double ratio) { return fixed_text(ratio, 2); }

JsonObject& JsonObject::add(const char* key, std::int64_t value) {
  return add_written(key, std::to_string(value));
}

JsonObject& JsonObject::add(const char* key, double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  return add_written(key, text);
}

JsonObject& JsonObject::add(const char* key, bool value) {
  return add_written(key, value ? "true" : "false");
}

JsonObject& JsonObject::add(const char* key, const std::string& text) {
  return add_written(key, "\"" + text + "\"");
}

JsonObject& JsonObject::add(const char* key, const Spread& spread) {
  return add(key,
             JsonObject().add("median", spread.median).add("least", spread.least).add("most", spread.most));
}

JsonObject& JsonObject::add(const char* key, const JsonObject& object) {
  return add_written(key, object.text());
}

JsonObject& JsonObject::add(const char* key, const std::vector<JsonObject>& list) {
  std::string items;
  for (const JsonObject& item : list) items += (items.empty() ? "" : ",") + item.text();
  return add_written(key, "[" + items + "]");
}

JsonObject& JsonObject::add_written(const char* key, const std::string& value) {
  members_ += (members_.empty() ? "\"" : ",\"") + std::string(key) + "\":" + value;
  return *this;
}

}  // namespace stint
