// Kept shapes: methods that get no probes because something recognises them by their code. Classes of JMH
// are left alone, too: writer/names/benchmark_harness.h.
//
// - An empty finalize()V of any class. HotSpot gives an object a finalizer unless the method is a
//   single return, as Object's own is. A probe in it crashed the JVM.
// - An empty static method without result, if the JVM was told to treat methods as black holes
//   (-XX:CompileCommand=blackhole,…). HotSpot accepts only empty methods and prints a warning for
//   others, and the user's measurement would be wrong.
//
// The following were examined and are counted like all others, because HotSpot does not depend on
// their code (17 to 25):
// - Getters, setters and constant getters: HotSpot compiles these without a profile (tier 1). With
//   a probe they take the usual way through the tiers, and nothing else changes.
// - Object.<init>: the interpreter rewrites its return, wherever it is.
// - Methods with their own interpreter entry (Math.sin, CRC32.update, Reference.get): their code
//   does not run there. Calls are counted at the sites.
// - Intrinsics: recognised by class, name and descriptor.
// - Methods whose locals the JVM reads from the stack (AccessController.executePrivileged, scoped
//   values, scoped memory access): the method's own locals keep their indices.
// - Methods that stack walks skip or find by name (fillInStackTrace, Continuation.enter).
// - Methods that are empty for language reasons (Thread.onSpinWait, reachabilityFence): compilers
//   recognise them by name or annotation.
//
// Guarantees: pure functions. Threads: any. Failure: none.
#pragma once

#include <cstdint>
#include <string_view>

namespace iprof::instrument {

struct MethodShape {
  std::string_view name;
  std::string_view descriptor;
  uint16_t access = 0;
  uint32_t code_size = 0;
};

// `black_holes`: the JVM was told to treat some methods as black holes.
bool HasKeptShape(const MethodShape& method, bool black_holes);

}  // namespace iprof::instrument
