#include <algorithm>
#include <fmt/core.h>

#include "nodes/cli/printable.hpp"
#include "nodes/cli/table.hpp"
#include "nodes/cli/time_text.hpp"
#include "nodes/cli/views.hpp"

namespace stint {

namespace {

constexpr std::size_t cut_payload = 400;  // characters

Style style_of(JobState state) {
  switch (state) {
    case JobState::running:
      return Style::green;
    case JobState::retrying:
      return Style::yellow;
    case JobState::dead:
      return Style::red;
    case JobState::completed:
    case JobState::cancelled:
      return Style::faint;
    case JobState::waiting:
    case JobState::scheduled:
    case JobState::blocked:
      break;
  }
  return Style::plain;
}

Style style_of(RunEnd end) {
  switch (end) {
    case RunEnd::completed:
      return Style::green;
    case RunEnd::failed:
    case RunEnd::dead:
    case RunEnd::lost:
    case RunEnd::timed_out:
      return Style::red;
    case RunEnd::snoozed:
    case RunEnd::released:
    case RunEnd::undelivered:
    case RunEnd::cancelled:
      break;
  }
  return Style::yellow;
}

// What there is to know of a job besides its columns.
std::string remark(const JobView& job) {
  if (job.due_in_ms) return "due in " + span_text(*job.due_in_ms);
  if (!job.reason.empty()) return printable(job.reason);
  if (job.state != JobState::running) return "";
  std::string text = job.worker.empty() ? "" : "on " + printable(job.worker);
  if (job.progress) text += fmt::format("{}{}%", text.empty() ? "" : ", ", *job.progress);
  return text;
}

std::string payload_text(const Payload& payload, bool whole) {
  const std::string text = printable(payload.bytes);
  const std::string kind = payload.is_text ? "text" : "bytes";
  const std::string size =
      fmt::format("({} of {})", bytes_text(static_cast<std::int64_t>(payload.bytes.size())), kind);
  if (payload.bytes.empty()) return "empty";
  return (whole ? text : cut(text, cut_payload)) + "  " + size;
}

void add_line(std::string& screen, const char* name, const std::string& value, const Console& console) {
  if (value.empty()) return;
  screen += fmt::format("{}{:<13}{}{}\n", style_begin(Style::bold, console.colour), name,
                        style_end(Style::bold, console.colour), value);
}

std::string ago(WallMs then_ms, WallMs now_ms) {
  return fmt::format("{} ({} ago)", time_text(then_ms), span_text(now_ms - then_ms));
}

std::string meta_text(const Meta& meta) {
  std::string text;
  for (const auto& [key, value] : meta) {
    text += (text.empty() ? "" : "  ") + printable(key) + "=" + printable(value);
  }
  return text;
}

std::string error_text(const RunError& error) {
  const bool is_said_once = error.type.empty() || error.type == error.message;
  return is_said_once ? error.message : error.type + ": " + error.message;
}

std::string outcome_text(const RunView& run, bool whole) {
  if (run.error)
    return whole ? printable(error_text(*run.error)) : cut(printable(error_text(*run.error)), 120);
  if (run.result && !run.result->bytes.empty()) {
    return whole ? printable(run.result->bytes) : cut(printable(run.result->bytes), 120);
  }
  if (run.result_left_out) return "(left out: too much with the newer results)";
  return "";
}

std::string run_table(const JobDetails& details, bool whole, const Console& console) {
  Table table({{.title = "RUN", .right = true},
               {.title = "ATTEMPT", .right = true},
               {.title = "END"},
               {.title = "STARTED"},
               {.title = "TOOK", .right = true},
               {.title = "WORKER", .right = false, .may_cut = true},
               {.title = "RESULT OR ERROR", .right = false, .may_cut = !whole}});
  for (const RunView& run : details.runs) {
    table.add({{.text = std::to_string(run.run)},
               {.text = std::to_string(run.attempt)},
               {.text = spaced(to_string(run.end)), .style = style_of(run.end)},
               {.text = time_text(run.started_at_ms / 1'000 * 1'000)},
               {.text = span_text(run.ended_at_ms - run.started_at_ms)},
               {.text = run.worker.empty() ? "-" : printable(run.worker)},
               {.text = outcome_text(run, whole)}});
  }
  return table.text(console);
}

}  // namespace

std::string job_table(const std::vector<JobView>& jobs, WallMs now_ms, const Console& console) {
  Table table({{.title = "ID", .right = true},
               {.title = "STATE"},
               {.title = "QUEUE", .right = false, .may_cut = true},
               {.title = "HANDLER", .right = false, .may_cut = true},
               {.title = "PRIO", .right = true},
               {.title = "ATTEMPTS", .right = true},
               {.title = "AGE", .right = true},
               {.title = "REMARK", .right = false, .may_cut = true}});
  for (const JobView& job : jobs) {
    table.add({{.text = std::to_string(job.id)},
               {.text = std::string(to_string(job.state)), .style = style_of(job.state)},
               {.text = printable(job.queue)},
               {.text = printable(job.handler)},
               {.text = std::to_string(job.priority)},
               {.text = fmt::format("{}/{}", job.attempts, job.max_attempts)},
               {.text = span_text(now_ms - job.enqueued_at_ms)},
               {.text = remark(job)}});
  }
  return table.text(console);
}

std::string job_screen(const JobDetails& details, WallMs now_ms, bool whole, const Console& console) {
  const JobView& job = details.job;
  const Style style = style_of(job.state);
  std::string screen;
  add_line(screen, "Job", std::to_string(job.id), console);
  add_line(screen, "State",
           std::string(style_begin(style, console.colour)) + std::string(to_string(job.state)) +
               std::string(style_end(style, console.colour)),
           console);
  add_line(screen, "Reason", printable(job.reason), console);
  if (job.due_in_ms) add_line(screen, "Due in", span_text(*job.due_in_ms), console);
  add_line(screen, "Queue", printable(job.queue), console);
  add_line(screen, "Handler", printable(job.handler), console);
  add_line(screen, "Priority", std::to_string(job.priority), console);
  add_line(screen, "Attempts", fmt::format("{} of {} spent", job.attempts, job.max_attempts), console);
  add_line(screen, "Runs", fmt::format("{}, {} lost", job.runs, job.lost), console);
  add_line(screen, "Enqueued", ago(job.enqueued_at_ms, now_ms), console);
  add_line(screen, "Worker", printable(job.worker), console);
  if (job.progress) add_line(screen, "Progress", fmt::format("{}%", *job.progress), console);
  if (details.timeout_ms) add_line(screen, "Timeout", span_text(*details.timeout_ms), console);
  add_line(screen, "Meta", meta_text(details.meta), console);
  add_line(screen, "Payload", details.payload ? payload_text(*details.payload, whole) : "no longer kept",
           console);
  if (!details.runs.empty()) screen += "\n" + run_table(details, whole, console);
  if (details.runs_left_out > 0) {
    screen += fmt::format("{} older runs are not shown: too many, or no longer kept\n",
                          count_text(details.runs_left_out));
  }
  return screen;
}

}  // namespace stint
