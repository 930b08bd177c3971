// Kept shapes: what gets no probes because somebody tells it by its code. This file is the only
// place with such rules.
//
//  - An empty finalize()V, of any class. HotSpot gives an object a finalizer unless the method is a
//    single return; Object's own is one. A probe in it crashed the JVM.
//  - An empty static method without result, where the JVM was told to treat methods as black holes
//    (-XX:CompileCommand=blackhole,…). HotSpot does that to empty methods only and prints a warning
//    for others, and the measurement that wanted it is wrong.
//  - JMH's own black holes and the loops that it generates around a benchmark
//    (IsBenchmarkHarness). Their code is laid out so that compilers treat it in one way; a counter
//    in the measuring loop is measured. No image has them. The benchmark's own methods are counted.
//
// Looked at, and counted like all others, since HotSpot does not mind their code (17 to 25):
//  - Getters, setters and constant getters: HotSpot compiles these without a profile (tier 1). With
//    a probe they take the usual way through the tiers. Nothing else depends on it.
//  - Object.<init>: the interpreter rewrites its return, wherever that stands.
//  - Methods that the interpreter has an entry of its own for (Math.sin, CRC32.update,
//    Reference.get): their code does not run there. Calls are counted at the sites.
//  - Intrinsics: known by class, name and descriptor.
//  - Methods whose locals the JVM reads from the stack (AccessController.executePrivileged, scoped
//    values, scoped memory access): the method's own locals stay where they are.
//  - Methods that stack walks skip or look for by name (fillInStackTrace, Continuation.enter).
//  - Methods that are empty for a reason of the language (Thread.onSpinWait, reachabilityFence):
//    compilers know them by name or annotation.
//
// Pure functions; any thread.
#pragma once

#include <cstdint>
#include <string_view>

namespace iprof::instrument {

// A class of JMH that gets no probes at all.
bool IsBenchmarkHarness(std::string_view internal_class_name);

struct MethodShape {
  std::string_view name;
  std::string_view descriptor;
  uint16_t access = 0;
  uint32_t code_size = 0;
};

// `black_holes`: the JVM was told to treat some methods as black holes.
bool HasKeptShape(const MethodShape& method, bool black_holes);

}  // namespace iprof::instrument
