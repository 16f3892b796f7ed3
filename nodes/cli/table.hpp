// Table: rows of text in aligned columns, for people. On a terminal the columns that may be cut are cut to
// fit.
#pragma once

#include <string>
#include <vector>

#include "nodes/cli/console.hpp"

namespace stint {

struct Cell {
  std::string text;
  Style style = Style::plain;
};

class Table {
 public:
  struct Column {
    std::string title;
    bool right = false;  // aligned to the right: numbers
    bool may_cut = false;
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // One cell a column.
  void add(std::vector<Cell> row);

  // With a line of titles; `width` 0: no bound.
  std::string text(bool colour, int width) const;
  std::string text(const Console& console) const { return text(console.colour, console.width); }

 private:
  std::vector<std::size_t> fitted_widths(int width) const;

  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

// Characters, as far as that is their number of columns on a screen.
std::size_t width_of(const std::string& text);

// Cut to `most` columns, the last of them `…`.
std::string cut(const std::string& text, std::size_t most);

}  // namespace stint
