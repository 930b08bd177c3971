#include "writer/names/intrinsic_names.h"

#include <catch2/catch.hpp>
#include <string>
#include <utility>

namespace iprof {
namespace {

TEST_CASE("the first, the last and some famous intrinsics are found") {
  CHECK(MayBeIntrinsic("com/sun/crypto/provider/AESCrypt", "implDecryptBlock"));
  CHECK(MayBeIntrinsic("java/lang/Math", "max"));
  CHECK(MayBeIntrinsic("java/util/Arrays", "equals"));
  CHECK(MayBeIntrinsic("java/lang/StringLatin1", "equals"));
  CHECK(MayBeIntrinsic("java/lang/Object", "<init>"));
  CHECK(MayBeIntrinsic("java/util/Arrays", "copyOf"));
}

TEST_CASE("what C2 leaves out, boxing and chains of StringBuilder, is among them") {
  const std::pair<const char*, const char*> boxes[] = {
      {"Boolean", "booleanValue"}, {"Byte", "byteValue"},   {"Character", "charValue"},
      {"Double", "doubleValue"},   {"Float", "floatValue"}, {"Integer", "intValue"},
      {"Long", "longValue"},       {"Short", "shortValue"}};
  for (const auto& [box, value] : boxes) {
    INFO(box);
    CHECK(MayBeIntrinsic(std::string("java/lang/") + box, "valueOf"));
    CHECK(MayBeIntrinsic(std::string("java/lang/") + box, value));
  }
  for (const char* const builder : {"java/lang/StringBuilder", "java/lang/StringBuffer"}) {
    for (const char* const name : {"<init>", "append", "toString"})
      CHECK(MayBeIntrinsic(builder, name));
  }
  CHECK(MayBeIntrinsic("java/lang/Integer", "toString"));
}

TEST_CASE("similar names are not intrinsics") {
  CHECK_FALSE(MayBeIntrinsic("", ""));
  CHECK_FALSE(MayBeIntrinsic("java/lang/Math", ""));
  CHECK_FALSE(MayBeIntrinsic("", "max"));
  CHECK_FALSE(MayBeIntrinsic("java/lang/Math", "maxi"));
  CHECK_FALSE(MayBeIntrinsic("java/lang/Math", "ma"));
  CHECK_FALSE(MayBeIntrinsic("java/lang/Mat", "h.max"));
  CHECK_FALSE(MayBeIntrinsic("com/acme/Math", "max"));
  CHECK_FALSE(MayBeIntrinsic("zzz/Zzz", "zzz"));
  CHECK_FALSE(MayBeIntrinsic(std::string(70'000, 'x'), std::string(70'000, 'y')));
}

}  // namespace
}  // namespace iprof
