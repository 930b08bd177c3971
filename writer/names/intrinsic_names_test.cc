#include "writer/names/intrinsic_names.h"

#include <catch2/catch.hpp>
#include <string>

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
