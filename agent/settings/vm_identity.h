// VmIdentity: which JVM the agent was loaded into, and whether the agent supports it.
//
// Guarantees: pure logic on the strings with which the JVM describes itself. Threads: any. Failure:
// an unreadable version is 0 and refused.
#pragma once

#include <string>
#include <string_view>

namespace iprof::vm {

// What the JVM reports in the system properties java.vm.name and java.vm.version.
struct VmIdentity {
  std::string name;     // "OpenJDK 64-Bit Server VM"
  std::string version;  // "17.0.15+6-Debian-1deb12u1"
  int major = 0;        // 17; 0 if the version cannot be parsed
};

VmIdentity MakeVmIdentity(std::string name, std::string version);

enum class VmVerdict { kTested, kUntested, kRefused };

struct VmAssessment {
  VmVerdict verdict;
  std::string sentence;  // why it is refused, or what to expect if it is untested; empty if tested
};

// HotSpot 17, 21 and 25 are tested. Other HotSpots from 17 on are accepted with a warning. Older
// ones and other virtual machines (OpenJ9, …) are refused, because the agent relies on internals
// that differ there.
VmAssessment Assess(const VmIdentity& vm);

}  // namespace iprof::vm
