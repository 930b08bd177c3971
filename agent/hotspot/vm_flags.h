// VmFlags: the values of a JVM's flags, and the arguments that it was given, from any source
// (command line, @argfiles, JDK_JAVA_OPTIONS, JAVA_TOOL_OPTIONS, flag files).
//
// Guarantees: never guesses; the number of flags and arguments that it looks at is bounded. The
// VmStructs must outlive the object.
// Threads: any, but only while no thread writes flags, as at start-up.
// Failure: an unknown flag returns nullopt; if HotSpot's tables lack the flags, found() is false.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/hotspot/vm_structs.h"

namespace iprof::hotspot {

class VmFlags {
 public:
  explicit VmFlags(const VmStructs& structs);

  bool found() const { return flags_ != 0; }

  std::optional<bool> Bool(std::string_view name) const;
  // The value of a 64-bit flag, such as a size.
  std::optional<uint64_t> Number(std::string_view name) const;
  // The value of a text flag; nullopt also if the flag exists but is not set.
  std::optional<std::string> Text(std::string_view name) const;

  // All arguments in the order in which the JVM applies them; empty if the JVM's tables lack them.
  std::vector<std::string> Arguments() const;
  // The last argument that starts with `prefix`, such as "-Xshare:".
  std::optional<std::string> LastArgument(std::string_view prefix) const;

 private:
  void ReadFirstLetters(uint64_t count);
  // The address of the flag's value, or 0 if there is no such flag.
  Address AddressOf(std::string_view name) const;

  const Memory& memory_;
  Address arguments_ = 0;
  uint64_t argument_count_ = 0;
  Address flags_ = 0;  // the first JVMFlag
  // Of each flag's name, in the order of the table. A start of the agent asks for some twenty flags
  // of 1,500, and this leaves few names to compare.
  std::string first_letters_;
  uint64_t size_ = 0;         // of one JVMFlag, in bytes
  uint64_t name_offset_ = 0;  // within a JVMFlag
  uint64_t address_offset_ = 0;
};

}  // namespace iprof::hotspot
