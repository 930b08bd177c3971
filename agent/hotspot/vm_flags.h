// VmFlags: what a JVM's own flags are set to, and which arguments it was given, wherever they came
// from (command line, @argfiles, JDK_JAVA_OPTIONS, JAVA_TOOL_OPTIONS, flag files).
//
// Guarantees: reads memory only where HotSpot's tables say, and no more than a bounded number of flags and arguments; an
// unknown flag answers nothing, never guesses. Any thread. Values may be read only while no one writes flags (start-up). The
// VmStructs must outlive the object.
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
  // Of a flag of 64 bits, such as a size.
  std::optional<uint64_t> Number(std::string_view name) const;
  // Nothing also where the flag exists but is not set.
  std::optional<std::string> Text(std::string_view name) const;

  // All arguments in the order in which they count; none where the JVM does not say.
  std::vector<std::string> Arguments() const;
  // The last argument that starts with this, such as "-Xshare:".
  std::optional<std::string> LastArgument(std::string_view prefix) const;

 private:
  // Of the flag's value; 0 where there is no such flag.
  Address AddressOf(std::string_view name) const;

  const Memory& memory_;
  Address arguments_ = 0;
  uint64_t argument_count_ = 0;
  Address flags_ = 0;  // the first JVMFlag
  uint64_t count_ = 0;
  uint64_t size_ = 0;         // of one JVMFlag
  uint64_t name_offset_ = 0;  // of its name and its value's address
  uint64_t address_offset_ = 0;
};

}  // namespace iprof::hotspot
