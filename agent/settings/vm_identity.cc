#include "agent/settings/vm_identity.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace iprof::vm {
namespace {

constexpr int kOldestMajor = 17;
constexpr std::array kTestedMajors = {17, 21, 25};

// "17.0.15+6" → 17. For JDK 8's "25.412-b08" see IsJdk8.
int MajorOf(std::string_view version) {
  int major = 0;
  std::from_chars(version.data(), version.data() + version.size(), major);
  return major;
}

// HotSpot of JDK 8 has its own version, 25.<update>-b<build>. Newer versions never have "-b"
// directly after two numbers.
bool IsJdk8(std::string_view version) {
  const size_t dash = version.find_first_not_of("0123456789.");
  return version.starts_with("25.") && dash != std::string_view::npos &&
         version.substr(dash).starts_with("-b");
}

bool IsHotSpot(std::string_view name) {
  return name.find("OpenJ9") == std::string_view::npos &&
         name.find("J9") == std::string_view::npos &&
         (name.find("HotSpot") != std::string_view::npos || name.starts_with("OpenJDK"));
}

}  // namespace

VmIdentity MakeVmIdentity(std::string name, std::string version) {
  const int major = IsJdk8(version) ? 8 : MajorOf(version);
  return VmIdentity{std::move(name), std::move(version), major};
}

VmAssessment Assess(const VmIdentity& vm) {
  if (!IsHotSpot(vm.name)) {
    return {VmVerdict::kRefused,
            fmt::format("this JVM is '{}', but profiles can only be taken on HotSpot 17 or newer",
                        vm.name)};
  }
  if (vm.major < kOldestMajor) {
    return {VmVerdict::kRefused,
            fmt::format("this is HotSpot {}, but profiles can only be taken on 17 or newer",
                        vm.version)};
  }
  if (std::find(kTestedMajors.begin(), kTestedMajors.end(), vm.major) == kTestedMajors.end()) {
    return {VmVerdict::kUntested,
            fmt::format("HotSpot {} is untested (17, 21 and 25 are tested); going on", vm.major)};
  }
  return {VmVerdict::kTested, {}};
}

}  // namespace iprof::vm
