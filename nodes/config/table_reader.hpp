// TableReader: takes the keys of one TOML table, collects what is wrong with them, and in the end names the
// keys that nobody took. A key that is absent leaves its target as it was.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nodes/config/config_fault.hpp"
#include "nodes/config/toml_document.hpp"

namespace stint {

class TableReader {
 public:
  // Returns what was expected, or nothing if the text is fine.
  using TextCheck = std::function<std::optional<std::string>(const std::string&)>;

  // `path` is that of the table, empty for the whole file. Both references must outlive the reader.
  TableReader(const TomlValue::Table& table, std::string path, ConfigFaults& faults);
  ~TableReader();  // names the unknown keys
  TableReader(const TableReader&) = delete;
  TableReader& operator=(const TableReader&) = delete;

  void text(std::string_view key, std::optional<std::string>& target, const TextCheck& check);
  void texts(std::string_view key, std::vector<std::string>& target, const TextCheck& check);
  void boolean(std::string_view key, std::optional<bool>& target);
  // These check the kind alone: who reads a limit has it judged whole.
  void any_whole(std::string_view key, std::optional<std::int64_t>& target);
  void any_duration(std::string_view key, std::optional<std::int64_t>& target_ms);
  void any_rate(std::string_view key, std::optional<double>& target);
  void whole(std::string_view key, std::int64_t& target, std::int64_t least, std::int64_t most);
  void number(std::string_view key, double& target, double least, double most);
  void duration(std::string_view key, std::int64_t& target_ms, std::int64_t least_ms, std::int64_t most_ms);
  void table(std::string_view key, const std::function<void(TableReader&)>& read);
  // A table whose keys are names that the user chose.
  void named_tables(std::string_view key, const TextCheck& check_name,
                    const std::function<void(const std::string& name, TableReader&)>& read);
  // The same where the values are no tables, or not always: `read` takes the key `name` of the reader.
  void named_values(std::string_view key, const TextCheck& check_name,
                    const std::function<void(const std::string& name, TableReader&)>& read);

  bool has(std::string_view key) const { return find(key) != nullptr; }
  bool has_table(std::string_view key) const;
  // Refuses a key, or with an empty one the table, for a reason that only the reader's user knows.
  void refuse(std::string_view key, std::string message);

 private:
  const TomlValue* find(std::string_view key) const;
  const TomlValue* take(std::string_view key);
  std::string path_of(std::string_view key) const;
  void fault(std::string_view key, const TomlValue& value, std::string message);

  const TomlValue::Table& table_;
  std::string path_;
  ConfigFaults& faults_;
  std::vector<std::string_view> known_;  // what may stand in this table
};

}  // namespace stint
