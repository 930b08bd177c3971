#include "agent/settings/vm_identity.h"

#include <catch2/catch.hpp>

using namespace iprof::vm;

namespace {
VmAssessment Of(const char* name, const char* version) {
  return Assess(MakeVmIdentity(name, version));
}
}  // namespace

TEST_CASE("HotSpot 17, 21 and 25 are tested, from every vendor") {
  CHECK(Of("OpenJDK 64-Bit Server VM", "17.0.15+6-Debian-1deb12u1").verdict == VmVerdict::kTested);
  CHECK(Of("Java HotSpot(TM) 64-Bit Server VM", "21.0.8+12-LTS-250").verdict == VmVerdict::kTested);
  CHECK(Of("OpenJDK 64-Bit Server VM", "25+36-LTS").verdict == VmVerdict::kTested);
}

TEST_CASE("other HotSpots from 17 on are accepted with one line") {
  CHECK(Of("OpenJDK 64-Bit Server VM", "27-ea+3").verdict == VmVerdict::kUntested);
  CHECK(Of("OpenJDK 64-Bit Server VM", "27-ea+3").sentence ==
        "HotSpot 27 is untested (17, 21 and 25 are tested); going on");
  CHECK(Of("OpenJDK 64-Bit Server VM", "19.0.2+7").verdict == VmVerdict::kUntested);
}

TEST_CASE("others are refused by name") {
  CHECK(Of("Eclipse OpenJ9 VM", "openj9-0.40.0").verdict == VmVerdict::kRefused);
  CHECK(Of("Eclipse OpenJ9 VM", "openj9-0.40.0").sentence ==
        "this JVM is 'Eclipse OpenJ9 VM', but profiles can only be taken on HotSpot 17 or newer");
  CHECK(Of("OpenJDK 64-Bit Server VM", "11.0.23+9").sentence ==
        "this is HotSpot 11.0.23+9, but profiles can only be taken on 17 or newer");
  CHECK(Of("OpenJDK 64-Bit Server VM", "25.412-b08").verdict ==
        VmVerdict::kRefused);  // JDK 8's own numbering
  CHECK(Of("", "").verdict == VmVerdict::kRefused);
}
