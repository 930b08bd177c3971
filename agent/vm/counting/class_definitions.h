// ClassDefinitions: which definition of a class belongs to which bytes.
//
// Why: the class-file hook has the bytes and no class yet; the event that a
// class was loaded has the class and no bytes. Both come on the thread that
// defines the class, but other definitions may come between them (a superclass
// is loaded while its subclass is being defined), and a definition may fail
// without a word.
//
// How: a definition that is nested in another one runs deeper on the thread's
// stack. So a definition that was begun at a place of the stack that is no
// deeper than where the thread is now has ended.
//
// Guarantees: each Begin ends in either its End, or in `failed`, which gets it
// at the latest when the thread ends or begins the next definition from no
// deeper a place. Any thread, each with its own definitions; a lock only where
// one has failed, no calls to the JVM.
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
  // Gets what was begun since it was set and will not end; on any thread, one
  // at a time. It may be replaced: once SetFailed has returned, the one before
  // is not called any more, and what was begun before is forgotten.
  using Failed = std::function<void(instrument::ClassId)>;
  static void SetFailed(Failed failed);

  // This thread defines a class of this internal name from bytes that are known under this id.
  // `depth`: where the thread's stack is, an address that falls with every call.
  static void Begin(std::string_view name, instrument::ClassId id, uintptr_t depth);
  // A class of this name was loaded on this thread.
  static std::optional<instrument::ClassId> End(std::string_view name);
  // Whether this thread has begun any.
  static bool Any();
};

}  // namespace iprof::vm
