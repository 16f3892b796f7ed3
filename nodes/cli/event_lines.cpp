#include <fmt/core.h>

#include "nodes/cli/printable.hpp"
#include "nodes/cli/table.hpp"
#include "nodes/cli/time_text.hpp"
#include "nodes/cli/views.hpp"
#include "nodes/config/limit_text.hpp"
#include "protocol/words.hpp"

namespace stint {

namespace {

Style style_of(EventKind event) {
  switch (event) {
    case EventKind::completed:
      return Style::green;
    case EventKind::failed:
    case EventKind::lost:
    case EventKind::conflict:
      return Style::red;
    case EventKind::snoozed:
    case EventKind::released:
    case EventKind::undelivered:
    case EventKind::cancelled:
    case EventKind::paused:
    case EventKind::reached:
      return Style::yellow;
    case EventKind::started:
      return Style::cyan;
    default:
      return Style::plain;
  }
}

std::string begin_of(const EventMessage& event, const Console& console) {
  const Style style = style_of(event.event);
  return fmt::format("{} {:>7} {}{:<11}{}", time_text(event.at_ms), event.seq,
                     style_begin(style, console.colour), word_of(event.event),
                     style_end(style, console.colour));
}

std::string item_text(const EventMessage& event, const EventItem& item) {
  std::string text = fmt::format(" {} job {} {}", printable(event.queue), item.job, printable(item.handler));
  if (item.run > 0) text += fmt::format(" run {}", item.run);
  if (!item.worker.empty()) text += " on " + printable(item.worker);
  if (item.next != EventNext::none) text += fmt::format(", next: {}", word_of(item.next));
  return text;
}

std::string limit_event_text(const EventMessage& event) {
  std::string text =
      " " + std::string(event.scope ? to_string(*event.scope) : "") + " " + printable(event.name);
  if (event.limit) text += " " + limit_text(*event.limit);
  if (event.source) text += " (" + std::string(to_string(*event.source)) + ")";
  if (event.for_ms) text += " for " + span_text(*event.for_ms);
  return text;
}

}  // namespace

std::string event_lines(const EventMessage& event, const Console& console) {
  const std::string begin = begin_of(event, console);
  if (is_of_limit(event.event)) return begin + limit_event_text(event) + "\n";
  std::string lines;
  for (const EventItem& item : event.items) lines += begin + item_text(event, item) + "\n";
  return lines;
}

}  // namespace stint
