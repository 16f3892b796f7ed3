#include "nodes/cli/table.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace stint {

namespace {

constexpr std::size_t gap = 2;
constexpr std::size_t least_width = 8;  // of a column that is cut

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }

std::string padded(const Cell& cell, const Table::Column& column, std::size_t width, bool is_last,
                   bool colour) {
  const std::string text = cut(cell.text, width);
  const std::string space(width - width_of(text), ' ');
  const std::string styled =
      std::string(style_begin(cell.style, colour)) + text + std::string(style_end(cell.style, colour));
  if (column.right) return space + styled;
  return is_last ? styled : styled + space;
}

}  // namespace

void Table::add(std::vector<Cell> row) {
  assert(row.size() == columns_.size());
  rows_.push_back(std::move(row));
}

std::vector<std::size_t> Table::fitted_widths(int width) const {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::size_t widest = width_of(columns_[i].title);
    for (const auto& row : rows_) widest = std::max(widest, width_of(row[i].text));
    widths.push_back(widest);
  }
  if (width <= 0) return widths;
  std::size_t total = std::accumulate(widths.begin(), widths.end(), gap * (widths.size() - 1));
  // The widest of those that may be cut gives up one column at a time, so that they end about equal.
  while (total > static_cast<std::size_t>(width)) {
    std::size_t* widest = nullptr;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      if (!columns_[i].may_cut || widths[i] <= std::max(least_width, width_of(columns_[i].title))) continue;
      if (widest == nullptr || widths[i] > *widest) widest = &widths[i];
    }
    if (widest == nullptr) break;
    --*widest;
    --total;
  }
  return widths;
}

std::string Table::text(bool colour, int width) const {
  const std::vector<std::size_t> widths = fitted_widths(width);
  std::string text;
  const auto add_line = [&](const auto& cell_of) {
    std::string line;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (i > 0) line.append(gap, ' ');
      line += padded(cell_of(i), columns_[i], widths[i], i + 1 == columns_.size(), colour);
    }
    if (!colour) line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  };
  add_line([&](std::size_t i) { return Cell{.text = columns_[i].title, .style = Style::bold}; });
  for (const auto& row : rows_) add_line([&](std::size_t i) { return row[i]; });
  return text;
}

std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins_character));
}

std::string cut(const std::string& text, std::size_t most) {
  if (width_of(text) <= most) return text;
  std::string result;
  std::size_t characters = 0;
  for (const char c : text) {
    if (begins_character(c) && ++characters >= most) break;
    result += c;
  }
  return result + "…";
}

}  // namespace stint
