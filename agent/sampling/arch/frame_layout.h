// FrameLayout: what the instructions around an address say about the frame there. This is the part
// of frame recovery that differs between processors.
//
// Why: HotSpot describes compiled code only between the end of a method's prologue and the start of
// its epilogue. Outside of that, the instruction at the program counter says where the return
// address is, and the instruction before a return address says what was called.
//
// Guarantees: reads code only inside the given range.
// Threads: any; pure and async-signal-safe. Failure: code that is not recognised has no layout;
// that is a normal result.
#pragma once

#include <cstdint>
#include <cstring>

#include "agent/sampling/arch/code_range.h"

namespace iprof::sampling {

// Reads the machine code of one range and nothing outside it.
class CodeReader {
 public:
  explicit CodeReader(const CodeRange& range) : range_(range) {}
  // -1 if outside.
  int Byte(uintptr_t at) const {
    return range_.Contains(at) ? *reinterpret_cast<const unsigned char*>(at) : -1;
  }
  // 0 if outside.
  uint32_t Word32(uintptr_t at) const { return Read<uint32_t>(at); }
  uint64_t Word64(uintptr_t at) const { return Read<uint64_t>(at); }
  uintptr_t start() const { return range_.start; }

 private:
  template <typename T>
  T Read(uintptr_t at) const {
    T value = 0;
    if (range_.Contains(at) && range_.end - at >= sizeof(value))
      std::memcpy(&value, reinterpret_cast<const void*>(at), sizeof(value));
    return value;
  }

  const CodeRange& range_;
};

// Where the caller's registers are saved, as offsets from the stack pointer.
struct FrameLayout {
  static constexpr int64_t kInRegister = -1;

  // The return address is in the link register.
  static constexpr FrameLayout InLink(int64_t frame_bytes = 0) {
    return {kInRegister, kInRegister, frame_bytes, true};
  }
  // The return address is the uppermost word of the frame.
  static constexpr FrameLayout OnStack(int64_t return_at, int64_t fp_at = kInRegister) {
    return {return_at, fp_at, return_at + int64_t{sizeof(uintptr_t)}, true};
  }

  int64_t return_at = 0;
  int64_t fp_at = kInRegister;
  int64_t frame_bytes = 0;  // from the stack pointer to the caller's
  bool is_known = false;
  // false: a stub that this method has called, so the caller is this method itself
  bool is_leaf = true;
};

}  // namespace iprof::sampling
