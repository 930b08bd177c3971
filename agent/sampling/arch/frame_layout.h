// FrameLayout: what the machine instructions around an address say about the frame of the code that
// they belong to; the part of frame recovery that differs between processors.
//
// Why: HotSpot describes compiled code only between the end of a method's prologue and the start of
// its epilogue. Outside of it the instruction under the program counter says where the return
// address is, and the instruction before a return address says who was called.
//
// Guarantees: pure and async-signal-safe; reads code only inside the given range. What is not
// recognised has no layout, which is a normal answer. On a processor without its own part nothing
// is recognised.
#pragma once

#include <cstdint>
#include <cstring>

#include "agent/sampling/core/code_ranges.h"

namespace iprof::sampling {

// Machine code of one range, read without leaving it.
class CodeReader {
 public:
  explicit CodeReader(const CodeRange& range) : range_(range) {}
  // -1 outside.
  int Byte(uintptr_t at) const {
    return range_.Contains(at) ? *reinterpret_cast<const unsigned char*>(at) : -1;
  }
  // 0 outside.
  uint32_t Word32(uintptr_t at) const { return Read<uint32_t>(at); }
  uint64_t Word64(uintptr_t at) const { return Read<uint64_t>(at); }
  bool Contains(uintptr_t at) const { return range_.Contains(at); }

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

// Where the caller's registers are, as offsets from the stack pointer.
struct FrameLayout {
  static constexpr int64_t kInRegister = -1;
  int64_t return_at = 0;  // 0: on top of the stack, or in the link register
  int64_t fp_at = kInRegister;
  bool is_known = false;
  bool is_leaf = true;  // false: code of this method that runs on behalf of the method it calls
};

// At an instruction of a compiled method that was interrupted there.
FrameLayout LayoutAt(const CodeReader& code, uintptr_t pc);
// At the return address of a call that a compiled method makes before its frame is complete: the
// check on entry that HotSpot's collectors put there.
FrameLayout LayoutInEntryCall(const CodeReader& code, uintptr_t return_address);

// Is there a call instruction right before this address?
bool FollowsCall(const CodeReader& code, uintptr_t at);
// The target of that call, where it is a constant; 0 where it is not.
uintptr_t CallTarget(const CodeReader& code, uintptr_t at);

}  // namespace iprof::sampling
