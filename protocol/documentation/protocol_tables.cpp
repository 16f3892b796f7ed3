// protocol_tables FILE: makes the field tables of FILE (PROTOCOL.md) anew from the declarations, in place.
#include <cstdio>
#include <fstream>
#include <iterator>

#include "protocol/documentation/field_tables.hpp"

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: protocol_tables FILE\n"), 64;
  std::ifstream in(argv[1], std::ios::binary);
  const std::string document{std::istreambuf_iterator<char>(in), {}};
  if (!in) return std::fprintf(stderr, "%s cannot be read\n", argv[1]), 74;
  const stint::Result<std::string> renewed = stint::with_field_tables(document);
  if (!renewed) return std::fprintf(stderr, "%s\n", renewed.error().message.c_str()), 65;
  if (*renewed == document) return 0;
  std::ofstream out(argv[1], std::ios::binary | std::ios::trunc);
  out << *renewed << std::flush;
  return out ? 0 : (std::fprintf(stderr, "%s cannot be written\n", argv[1]), 74);
}
