#include "nodes/cli/help_text.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <string_view>
#include <vector>

#include "nodes/cli/exit_status.hpp"

namespace stint {

namespace {

constexpr std::size_t width = 80;
constexpr std::size_t least_name_column = 12;
constexpr std::size_t most_name_column = 30;

struct Entry {
  std::string name;
  std::string description;
};

// Breaks a text at spaces; every line but the first begins with `indent` spaces.
std::string wrapped(std::string_view text, std::size_t indent) {
  std::string result;
  std::size_t column = indent;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (column > indent && column + 1 + end > width) {
      result.append("\n").append(indent, ' ');
      column = indent;
    } else if (column > indent) {
      result += ' ';
      ++column;
    }
    result.append(text.substr(0, end));
    column += end;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

std::string list_of(std::string_view title, const std::vector<Entry>& entries) {
  if (entries.empty()) return "";
  std::size_t column = least_name_column;
  for (const Entry& entry : entries) {
    if (entry.name.size() + 4 <= most_name_column) column = std::max(column, entry.name.size() + 4);
  }
  std::string text = "\n" + std::string(title) + ":\n";
  for (const Entry& entry : entries) {
    std::string line = "  " + entry.name;
    if (line.size() + 2 > column) {
      line += "\n" + std::string(column, ' ');
    } else {
      line.resize(column, ' ');
    }
    text += line + wrapped(entry.description, column) + "\n";
  }
  return text;
}

class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode) const override {
    std::string text = "Usage: " + usage(*app, name) + "\n\n" + wrapped(app->get_description(), 0) + "\n";
    text += list_of("Commands", commands(*app));
    text += list_of("Arguments", options(*app, true));
    text += list_of("Options", options(*app, false));
    if (!app->get_footer().empty()) text += "\n" + app->get_footer();
    return text;
  }

 private:
  static std::string usage(const CLI::App& app, std::string name) {
    if (!commands(app).empty()) return name + " COMMAND [options]";
    name += " [options]";
    for (const CLI::Option* option : app.get_options()) {
      if (!option->get_positional()) continue;
      const std::string word = option->get_name(true) + (option->get_items_expected_max() > 1 ? "..." : "");
      name += option->get_required() ? " " + word : " [" + word + "]";
    }
    return name;
  }

  static std::vector<Entry> commands(const CLI::App& app) {
    std::vector<Entry> entries;
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
      if (!command->get_group().empty()) entries.push_back({command->get_name(), command->get_description()});
    }
    return entries;
  }

  static std::vector<Entry> options(const CLI::App& app, bool positional) {
    std::vector<Entry> entries;
    std::vector<const CLI::Option*> given = app.get_options();
    std::stable_partition(given.begin(), given.end(),
                          [&](const CLI::Option* option) { return option != app.get_help_ptr(); });
    for (const CLI::Option* option : given) {
      if (option->get_group().empty() || option->get_positional() != positional) continue;
      std::string name = positional ? option->get_name(true) : option->get_name(false, true);
      for (std::size_t comma = name.find(','); comma != std::string::npos;
           comma = name.find(',', comma + 2)) {
        name.insert(comma + 1, " ");
      }
      if (!positional && !option->get_option_text().empty()) name += " " + option->get_option_text();
      if (!option->get_envname().empty()) {
        entries.push_back({name, option->get_description() + "; also $" + option->get_envname()});
      } else {
        entries.push_back({name, option->get_description()});
      }
    }
    return entries;
  }
};

}  // namespace

std::shared_ptr<CLI::FormatterBase> make_help_formatter() { return std::make_shared<HelpFormatter>(); }

std::string help_footer() {
  return R"(A server is found by --server, else $STINT_SERVER, else tcp://127.0.0.1:7611.
Durations are written like 250ms, 10s, 5m, 2h, 1d; rates like 10 (a second),
5/m, 100/h.
`stint COMMAND --help` has examples.

)" + std::string(exit_status_table());
}

}  // namespace stint
