#include "writer/base/name_table.h"

#include <catch2/catch.hpp>
#include <string>

namespace iprof {

TEST_CASE("equal texts share an id until the last use ends", "[name_table]") {
  NameTable names;
  const NameId a = names.Add("java/lang/Object");
  const NameId b = names.Add("()V");
  CHECK(names.Add("java/lang/Object") == a);
  CHECK(a != b);
  names.Release(a);
  CHECK(names.Text(a) == "java/lang/Object");
  names.Release(a);
  CHECK(names.size() == 1);
  CHECK(names.Text(names.Add("")).empty());
  CHECK(names.Text(b) == "()V");
}

TEST_CASE("names without end cost no more than those in use", "[name_table]") {
  NameTable names;
  const NameId stays = names.Add("stays");
  size_t after_some = 0;
  for (int i = 0; i < 100'000; ++i) {
    names.Release(names.Add("generated/Class" + std::to_string(i)));
    if (i == 1000) after_some = names.bytes();
  }
  CHECK(names.bytes() == after_some);
  CHECK(names.Text(stays) == "stays");
}

}  // namespace iprof
