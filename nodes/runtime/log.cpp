#include "nodes/runtime/log.hpp"

#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_sinks.h>

namespace stint {
namespace {

spdlog::level::level_enum level_from(std::string_view text) {
  if (text == "debug") return spdlog::level::debug;
  if (text == "warning") return spdlog::level::warn;
  if (text == "error") return spdlog::level::err;
  if (text == "off") return spdlog::level::off;
  return spdlog::level::info;
}

spdlog::level::level_enum level_of(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return spdlog::level::debug;
    case LogLevel::info:
      return spdlog::level::info;
    case LogLevel::warning:
      return spdlog::level::warn;
    case LogLevel::error:
      return spdlog::level::err;
  }
  return spdlog::level::info;
}

bool needs_quotes(std::string_view value) {
  if (value.empty()) return true;
  for (const char c : value) {
    if (static_cast<unsigned char>(c) <= ' ' || c == '"' || c == '=' || c == 0x7f) return true;
  }
  return false;
}

// A value from outside must not be able to forge a line of its own.
void append_quoted(std::string& line, std::string_view value) {
  line += '"';
  for (const char c : value) {
    if (c == '"' || c == '\\') line += '\\';
    line += (static_cast<unsigned char>(c) < ' ' || c == 0x7f) ? ' ' : c;
  }
  line += '"';
}

}  // namespace

Log::Log(std::string_view level)
    : logger_(std::make_unique<spdlog::logger>("stint", std::make_shared<spdlog::sinks::stderr_sink_mt>())) {
  logger_->set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %l %v");
  logger_->set_level(level_from(level));
  logger_->flush_on(spdlog::level::debug);
}

Log::~Log() = default;

void Log::debug(std::string_view event, std::initializer_list<LogField> fields) {
  write(LogLevel::debug, event, fields);
}
void Log::info(std::string_view event, std::initializer_list<LogField> fields) {
  write(LogLevel::info, event, fields);
}
void Log::warning(std::string_view event, std::initializer_list<LogField> fields) {
  write(LogLevel::warning, event, fields);
}
void Log::error(std::string_view event, std::initializer_list<LogField> fields) {
  write(LogLevel::error, event, fields);
}

void Log::write(LogLevel level, std::string_view event, std::initializer_list<LogField> fields) {
  const auto spdlog_level = level_of(level);
  if (!logger_->should_log(spdlog_level)) return;
  std::string line(event);
  for (const LogField& field : fields) {
    line.append(" ").append(field.name).append("=");
    if (needs_quotes(field.value)) {
      append_quoted(line, field.value);
    } else {
      line += field.value;
    }
  }
  logger_->log(spdlog_level, spdlog::string_view_t(line));
}

}  // namespace stint
