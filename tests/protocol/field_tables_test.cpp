// PROTOCOL.md says what the declarations say.
#include "protocol/documentation/field_tables.hpp"

#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

namespace stint {
namespace {

std::string protocol_document() {
  std::ifstream file(STINT_PROTOCOL_DOCUMENT, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(TheProtocolDocument, has_the_field_tables_of_the_declarations) {
  const std::string document = protocol_document();
  const auto renewed = with_field_tables(document);
  ASSERT_TRUE(renewed) << renewed.error().message;
  EXPECT_TRUE(*renewed == document)
      << "build the target protocol_tables and run: protocol_tables protocol/PROTOCOL.md";
}

TEST(TheProtocolDocument, has_a_table_for_every_message_and_struct) {
  for (const std::string& name : undocumented(protocol_document())) {
    ADD_FAILURE() << "no section in PROTOCOL.md: <!-- fields: " << name << " -->";
  }
}

TEST(FieldTables, replace_what_stands_in_their_sections_and_nothing_else) {
  const auto renewed =
      with_field_tables("before\n<!-- fields: get_job -->\nold\n<!-- end -->\nafter <!-- end -->\n");
  ASSERT_TRUE(renewed);
  EXPECT_EQ(*renewed,
            "before\n<!-- fields: get_job -->\nAll that is known of one job.\n\n"
            "| field | holds | if absent | meaning |\n|---|---|---|---|\n"
            "| `id` | integer ≥ 1 | required | the job |\n<!-- end -->\nafter <!-- end -->\n");
}

TEST(FieldTables, refuse_a_section_of_an_unknown_name_or_without_an_end) {
  EXPECT_FALSE(with_field_tables("<!-- fields: nonsense -->\n<!-- end -->").ok());
  EXPECT_FALSE(with_field_tables("<!-- fields: ping -->\n").ok());
}

}  // namespace
}  // namespace stint
