// VmIdentity: which JVM the agent was loaded into, and whether it knows its way around in it.
//
// Pure logic on the strings that the JVM reports of itself; callable from any thread.
#pragma once

#include <string>
#include <string_view>

namespace iprof::vm {

// What the JVM says of itself, from the system properties java.vm.name and java.vm.version.
struct VmIdentity {
  std::string name;     // "OpenJDK 64-Bit Server VM"
  std::string version;  // "17.0.15+6-Debian-1deb12u1"
  int major = 0;        // 17; 0 when the version cannot be read
};

VmIdentity MakeVmIdentity(std::string name, std::string version);

enum class VmVerdict { kTested, kUntested, kRefused };

struct VmAssessment {
  VmVerdict verdict;
  std::string
      sentence;  // why it is refused, or what to expect of an untested one; empty when tested
};

// HotSpot 17, 21 and 25 are tested; other HotSpots from 17 on are accepted with a warning; older
// ones and other virtual machines (OpenJ9, …) are refused, because their insides differ from what
// the agent relies on.
VmAssessment Assess(const VmIdentity& vm);

}  // namespace iprof::vm
