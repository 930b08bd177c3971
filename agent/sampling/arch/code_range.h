// CodeRange: a piece of generated code, and what is known of it; CodeLookup: which piece an address belongs to.
//
// Guarantees: plain data and pure functions; async-signal-safe. A range that a lookup gives stays valid while the signal
// handler that asked for it runs.
#pragma once

#include <cstdint>

namespace iprof::sampling {

enum class CodeKind : uint8_t {
  kCompiled,  // a compiled Java method
  kInterpreter,
  kUnwinder,  // C1's stub that looks for a handler in a callee's caller
  kStub,      // anything else that the VM generated: stubs, adapters
};

// Where the debug information of compiled code knows the bci: from this offset on, up to the next
// entry's.
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
  // The bci of the *outermost* (not inlined) method at this address; 0 where nothing is known
  // before it, which is the prologue.
  int32_t BciAt(uintptr_t pc) const;
};

class CodeLookup {
 public:
  // Async-signal-safe. Null where the address is in no known range.
  virtual const CodeRange* Find(uintptr_t pc) const noexcept = 0;

 protected:
  ~CodeLookup() = default;
};

}  // namespace iprof::sampling
