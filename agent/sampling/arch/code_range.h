// CodeRange: a piece of generated code and what is known of it. CodeLookup: finds the piece at an
// address.
//
// Guarantees: plain data and pure functions. A range that a lookup returns stays valid while the
// signal handler that asked for it runs.
// Threads: any; async-signal-safe. Failure: null if the address is in no known range.
#pragma once

#include <cstdint>

namespace iprof::sampling {

enum class CodeKind : uint8_t {
  kCompiled,  // a compiled Java method
  kInterpreter,
  kUnwinder,  // C1's stub that looks for a handler in the caller of the method that threw
  kStub,      // any other code that the VM generated: stubs, adapters
};

// From this offset up to the next entry's, compiled code is at this bci, by its debug information.
struct PcBci {
  uint32_t offset;
  int32_t bci;
};

struct CodeRange {
  uintptr_t start = 0;
  uintptr_t end = 0;
  CodeKind kind = CodeKind::kStub;
  void* method = nullptr;  // a jmethodID, for kCompiled
  const PcBci* bcis = nullptr;
  uint32_t bci_count = 0;

  bool Contains(uintptr_t pc) const { return start <= pc && pc < end; }
  // The bci of the *outermost* (not inlined) method at this address. In the prologue, which has no
  // debug information, it is 0.
  int32_t BciAt(uintptr_t pc) const;
};

class CodeLookup {
 public:
  // Async-signal-safe. Returns null if the address is in no known range.
  virtual const CodeRange* Find(uintptr_t pc) const noexcept = 0;

 protected:
  ~CodeLookup() = default;
};

}  // namespace iprof::sampling
