// VmFlags: what the JVM's own flags are set to and which arguments it was given, as parsed,
// wherever they came from (command line,
// @argfiles, JDK_JAVA_OPTIONS, JAVA_TOOL_OPTIONS, flag files).
//
// Why: some start-up features of the JVM cannot be combined with early class-file hooks, and asking
// for such a hook would end the JVM. Agent_OnLoad must know before it asks, when neither JNI nor
// management interfaces exist yet. HotSpot publishes its flags' table for debuggers in every build
// (gHotSpotVMStructs); this reads it.
//
// Guarantees: reads memory only where that table says; an unknown table or flag answers nothing,
// never guesses. Any thread, any phase from Agent_OnLoad on; values may be read only while no one
// writes flags (start-up).
#pragma once

#include <jni.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace iprof::vm {

class VmFlags {
 public:
  // Finds the table of the library that this JVM's interface points into.
  explicit VmFlags(JavaVM* vm);

  bool found() const { return flags_ != nullptr; }

  std::optional<bool> Bool(std::string_view name) const;
  // All arguments in the order in which they count; none where the JVM does not say.
  std::vector<std::string> Arguments() const;
  // The last argument that starts with this, such as "-Xshare:".
  std::optional<std::string> LastArgument(std::string_view prefix) const;
  // Nothing also where the flag exists but is not set.
  std::optional<std::string> Text(std::string_view name) const;

 private:
  const void* AddressOf(std::string_view name) const;

  const char* const* arguments_ = nullptr;
  size_t argument_count_ = 0;
  const char* flags_ = nullptr;  // the first JVMFlag
  size_t count_ = 0;
  size_t size_ = 0;         // of one JVMFlag
  size_t name_offset_ = 0;  // of its name and its value's address
  size_t addr_offset_ = 0;
};

}  // namespace iprof::vm
