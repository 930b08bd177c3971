// VmFlags: what the JVM's own flags are set to, and which arguments it was given, wherever they came
// from (command line, @argfiles, JDK_JAVA_OPTIONS, JAVA_TOOL_OPTIONS, flag files).
//
// Why: some start-up features of the JVM cannot be combined with early class-file hooks, and asking
// for such a hook would end the JVM. Agent_OnLoad must know before it asks, when neither JNI nor
// management interfaces exist yet. HotSpot publishes where its flags are (agent/hotspot).
//
// Guarantees: reads memory only where HotSpot says; an unknown flag answers nothing, never guesses. Any thread, any phase from Agent_OnLoad on; values may be read only while no one
// writes flags (start-up).
#pragma once

#include <jni.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/hotspot/vm_structs.h"

namespace iprof::vm {

class VmFlags {
 public:
  // Finds the table of the library that this JVM's interface points into.
  explicit VmFlags(JavaVM* vm);
  VmFlags(const VmFlags&) = delete;
  VmFlags& operator=(const VmFlags&) = delete;

  bool found() const { return flags_ != 0; }

  std::optional<bool> Bool(std::string_view name) const;
  // Of a flag of 64 bits, such as a size.
  std::optional<uint64_t> Number(std::string_view name) const;
  // All arguments in the order in which they count; none where the JVM does not say.
  std::vector<std::string> Arguments() const;
  // The last argument that starts with this, such as "-Xshare:".
  std::optional<std::string> LastArgument(std::string_view prefix) const;
  // Nothing also where the flag exists but is not set.
  std::optional<std::string> Text(std::string_view name) const;

 private:
  // Arguments can be class paths.
  static constexpr size_t kLongestText = 1 << 20;

  // Of the flag's value; 0 where there is no such flag.
  hotspot::Address AddressOf(std::string_view name) const;

  const hotspot::OwnMemory memory_;
  const hotspot::VmStructs structs_;
  hotspot::Address arguments_ = 0;
  int32_t argument_count_ = 0;
  hotspot::Address flags_ = 0;  // the first JVMFlag
  uint64_t count_ = 0;
  uint64_t size_ = 0;         // of one JVMFlag
  uint64_t name_offset_ = 0;  // of its name and its value's address
  uint64_t address_offset_ = 0;
};

}  // namespace iprof::vm
