#include "nodes/cli/job_lines.hpp"

#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "nodes/cli/base64.hpp"
#include "nodes/cli/json_members.hpp"
#include "nodes/config/duration.hpp"
#include "nodes/config/limit_text.hpp"
#include "protocol/names.hpp"

namespace stint {

namespace {

using nlohmann::json;

constexpr std::int64_t most_attempts = 1'000'000;
constexpr std::int64_t longest_ms = 10LL * 365 * 86'400'000;
constexpr std::int64_t largest_number = std::int64_t{1} << 53;

Error bad(std::string field, std::string message) {
  return {.code = ErrorCode::bad_message, .message = std::move(message), .field = std::move(field)};
}

// One member of the line, with what its reading needs.
struct Member {
  const std::string& key;
  const json& value;
  std::string_view text;  // the value as it is written
};

Status read_text(const Member& member, std::string& target) {
  if (!member.value.is_string()) return bad(member.key, "expected a string");
  target = member.value.get<std::string>();
  return Done{};
}

template <class Number>
Status read_whole(const Member& member, Number& target, std::int64_t least, std::int64_t most) {
  const json& value = member.value;
  const bool fits = value.is_number_integer() &&
                    !(value.is_number_unsigned() && value.get<std::uint64_t>() > largest_number);
  if (!fits || value.get<std::int64_t>() < least || value.get<std::int64_t>() > most) {
    return bad(member.key,
               "expected a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  }
  target = static_cast<std::remove_cvref_t<decltype(target)>>(value.get<std::int64_t>());
  return Done{};
}

Status read_number(const Member& member, std::optional<double>& target, double least, double most) {
  if (!member.value.is_number() ||
      !(member.value.get<double>() >= least && member.value.get<double>() <= most)) {
    return bad(member.key, "expected a number from " + std::to_string(least) + " to " + std::to_string(most));
  }
  target = member.value.get<double>();
  return Done{};
}

// `"delay": "5s"`, or `"delay_ms": 5000`.
Status read_duration(const Member& member, std::optional<std::int64_t>& target_ms, std::int64_t least_ms) {
  std::int64_t duration_ms = 0;
  if (member.value.is_string()) {
    const auto parsed = parse_duration_ms(member.value.get<std::string>());
    if (!parsed) return bad(member.key, parsed.error().message);
    duration_ms = *parsed;
  } else if (!member.key.ends_with("_ms")) {
    return bad(member.key, "expected a duration like \"5s\"");
  } else if (Status status = read_whole(member, duration_ms, least_ms, longest_ms); !status) {
    return status;
  }
  if (duration_ms < least_ms || duration_ms > longest_ms) {
    return bad(member.key,
               "expected a duration from " + duration_text(least_ms) + " to " + duration_text(longest_ms));
  }
  target_ms = duration_ms;
  return Done{};
}

Status read_meta(const Member& member, Meta& meta) {
  if (!member.value.is_object()) return bad(member.key, "expected an object of strings");
  meta.clear();
  for (const auto& [key, value] : member.value.items()) {
    if (!value.is_string()) return bad(member.key + "." + key, "expected a string");
    meta.emplace(key, value.get<std::string>());
  }
  return Done{};
}

Status read_backoff_member(const Member& member, Backoff& backoff) {
  const std::string& key = member.key;
  if (key == "backoff.first" || key == "backoff.first_ms") return read_duration(member, backoff.first_ms, 0);
  if (key == "backoff.cap" || key == "backoff.cap_ms") return read_duration(member, backoff.cap_ms, 0);
  if (key == "backoff.factor") return read_number(member, backoff.factor, 1.0, 1e6);
  if (key == "backoff.jitter") return read_number(member, backoff.jitter, 0.0, 1.0);
  return bad(key, "unknown field");
}

Status read_backoff(const Member& member, std::optional<Backoff>& target) {
  if (!member.value.is_object()) return bad(member.key, "expected an object");
  Backoff backoff;
  for (const auto& [key, value] : member.value.items()) {
    const std::string path = member.key + "." + key;
    if (Status status = read_backoff_member({path, value, {}}, backoff); !status) return status;
  }
  target = backoff;
  return Done{};
}

Status read_limit_member(const Member& member, Limit& limit) {
  const std::string& key = member.key;
  // Only the kinds are checked here: the limit is judged whole.
  const auto read_any = [&](std::optional<std::int64_t>& target) {
    std::int64_t number = 0;
    Status status = read_whole(member, number, -largest_number, largest_number);
    if (status) target = number;
    return status;
  };
  if (key == "limit.max") return read_any(limit.max);
  if (key == "limit.max_running") return read_any(limit.max_running);
  if (key == "limit.window" || key == "limit.window_ms") return read_duration(member, limit.window_ms, 1);
  if (key == "limit.count") {
    if (member.value != "completed" && member.value != "started")
      return bad(key, "expected completed or started");
    limit.count = member.value == "started" ? CountPolicy::started : CountPolicy::completed;
    return Done{};
  }
  if (key == "limit.unlimited" && member.value.is_boolean()) {
    limit.unlimited = member.value.get<bool>();
    return Done{};
  }
  return bad(key, key == "limit.unlimited" ? "expected true or false" : "unknown field");
}

// `"60/60s"`, or an object.
Status read_limit(const Member& member, std::optional<Limit>& target) {
  Limit limit;
  if (member.value.is_string()) {
    const auto window = parse_window(member.value.get<std::string>());
    if (!window) return bad(member.key, window.error().message);
    limit = *window;
  } else if (!member.value.is_object()) {
    return bad(member.key, "expected a text like \"60/60s\", or an object");
  } else {
    for (const auto& [key, value] : member.value.items()) {
      const std::string path = member.key + "." + key;
      if (Status status = read_limit_member({path, value, {}}, limit); !status) return status;
    }
  }
  if (const auto fault = fault_of(limit, LimitScope::handler)) {
    const std::string field = fault->field.empty() ? "" : "." + in_config_words(fault->field);
    return bad(member.key + field, in_config_words(fault->message));
  }
  target = limit;
  return Done{};
}

// A string is kept as it is; anything else as its JSON text.
Status read_payload(const Member& member, Payload& payload) {
  payload.is_text = true;
  payload.bytes = member.value.is_string() ? member.value.get<std::string>() : std::string(member.text);
  return Done{};
}

Status read_payload_base64(const Member& member, Payload& payload) {
  std::string text;
  if (Status status = read_text(member, text); !status) return status;
  auto bytes = from_base64(text);
  if (!bytes) return bad(member.key, "expected Base64, with its padding");
  payload = Payload{.bytes = std::move(*bytes), .is_text = false};
  return Done{};
}

Status read_member(const Member& member, NewJob& job) {
  const std::string& key = member.key;
  if (key == "handler") return read_text(member, job.handler);
  if (key == "queue") return read_text(member, job.queue);
  if (key == "payload") return read_payload(member, job.payload);
  if (key == "payload_base64") return read_payload_base64(member, job.payload);
  if (key == "priority") return read_whole(member, job.priority, 0, 9);
  if (key == "delay" || key == "delay_ms") return read_duration(member, job.delay_ms, 0);
  if (key == "run_at_ms") return read_whole(member, job.run_at_ms, 0, largest_number);
  if (key == "max_attempts") return read_whole(member, job.max_attempts, 1, most_attempts);
  if (key == "timeout" || key == "timeout_ms") return read_duration(member, job.timeout_ms, 1);
  if (key == "backoff") return read_backoff(member, job.backoff);
  if (key == "meta") return read_meta(member, job.meta);
  if (key == "limit") return read_limit(member, job.limit);
  if (key == "unique") return bad(key, "not in this version of stint");
  return bad(key, "unknown field");
}

// Two ways to say one thing, of which a line may use one.
Status check_exclusive(const std::set<std::string>& keys) {
  constexpr std::array<std::array<const char*, 2>, 5> pairs{{{"payload", "payload_base64"},
                                                             {"delay", "delay_ms"},
                                                             {"delay", "run_at_ms"},
                                                             {"delay_ms", "run_at_ms"},
                                                             {"timeout", "timeout_ms"}}};
  for (const auto& [one, other] : pairs) {
    if (keys.contains(one) && keys.contains(other)) return bad(other, std::string("does not go with ") + one);
  }
  return Done{};
}

Status check_names(const NewJob& job) {
  if (job.handler.empty()) return bad("handler", "is missing");
  if (!is_handler_name(job.handler)) return bad("handler", "'" + job.handler + "' is not a handler name");
  if (!is_queue_name(job.queue)) return bad("queue", "'" + job.queue + "' is not a queue name");
  return Done{};
}

Result<NewJob> read_job(std::string_view line, const NewJob& defaults) {
  const json object = json::parse(line);
  if (!object.is_object()) return bad("", "expected a JSON object");
  NewJob job = defaults;
  std::set<std::string> keys;
  for (const auto& [written_key, text] : json_members(line)) {
    const std::string key = json::parse(written_key).get<std::string>();
    if (!keys.insert(key).second) return bad(key, "is given twice");
    if (key == "delay" || key == "delay_ms") job.run_at_ms.reset();  // the line's word replaces the default's
    if (key == "run_at_ms") job.delay_ms.reset();
    if (Status status = read_member({key, object[key], text}, job); !status) return status.error();
  }
  if (Status status = check_exclusive(keys); !status) return status.error();
  if (Status status = check_names(job); !status) return status.error();
  return job;
}

// The library's words without its own number: `syntax error while parsing ...`.
std::string reason(const json::exception& error) {
  const std::string text = error.what();
  const std::size_t end = text.find("] ");
  return end == std::string::npos ? text : text.substr(end + 2);
}

}  // namespace

Result<NewJob> parse_job_line(std::string_view line, const NewJob& defaults) {
  try {
    return read_job(line, defaults);
  } catch (const json::exception& error) {
    return bad("", "not JSON: " + reason(error));
  }
}

}  // namespace stint
