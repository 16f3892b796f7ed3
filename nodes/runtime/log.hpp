// Log: what a node tells its operator, one line an event: its name, then fields as `name=value`. Owned by the
// node.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

namespace spdlog {
class logger;
}

namespace stint {

struct LogField {
  LogField(std::string_view field_name, std::string_view text) : name(field_name), value(text) {}
  LogField(std::string_view field_name, const char* text) : name(field_name), value(text) {}
  LogField(std::string_view field_name, std::int64_t number)
      : name(field_name), value(std::to_string(number)) {}

  std::string_view name;
  std::string value;
};

enum class LogLevel { debug, info, warning, error };

class Log {
 public:
  // To stderr, from `level` on: "debug", "info", "warning", "error" or "off"; any other is "info".
  explicit Log(std::string_view level);
  ~Log();

  void debug(std::string_view event, std::initializer_list<LogField> fields = {});
  void info(std::string_view event, std::initializer_list<LogField> fields = {});
  void warning(std::string_view event, std::initializer_list<LogField> fields = {});
  void error(std::string_view event, std::initializer_list<LogField> fields = {});
  void write(LogLevel level, std::string_view event, std::initializer_list<LogField> fields);

 private:
  std::unique_ptr<spdlog::logger> logger_;
};

}  // namespace stint
