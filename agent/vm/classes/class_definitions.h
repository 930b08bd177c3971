// ClassDefinitions: which class definition belongs to which bytes.
//
// Why: the class-file hook has the bytes but no class yet; the class-load event has the class but
// no bytes. Both happen on the thread that defines the class. But other definitions may happen in
// between (a superclass is loaded while its subclass is being defined), and a definition may fail
// without any event.
//
// How: a nested definition runs deeper on the thread's stack. So a definition that began at a depth
// no less than the thread's current depth has ended.
//
// Guarantees: each Begin is followed either by its End or by a call of `failed`. That call comes at
// the latest when the thread ends or begins its next definition at the same depth or less.
// Threads: any; each has its own definitions. A lock is taken only if a definition failed. No calls
// to the JVM.
// Failure: a failed definition is reported to `failed`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "agent/instrument/table/class_table.h"

namespace iprof::vm {

class ClassDefinitions {
 public:
  // Called with each definition that was begun since the callback was set and that failed; on any
  // thread, one at a time. The callback can be replaced: once SetFailed has returned, the previous
  // one is not called any more, and definitions that were begun before are forgotten.
  using Failed = std::function<void(instrument::ClassId)>;
  static void SetFailed(Failed failed);

  // This thread begins to define a class with this internal name, from bytes that have this id.
  // `depth` is an address on the thread's stack; it falls with every call.
  static void Begin(std::string_view name, instrument::ClassId id, uintptr_t depth);
  // A class with this name was loaded on this thread. Returns its id if this thread began it.
  static std::optional<instrument::ClassId> End(std::string_view name);
  // Whether this thread has begun any definition.
  static bool Any();
};

}  // namespace iprof::vm
