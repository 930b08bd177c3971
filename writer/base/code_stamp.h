// CodeStamp: 16 bits that differ between versions of a method's bytecode, and say whether a frame in it is at a call.
//
// Why: probes come and go while a program runs, and other agents change code too. A jmethodID always means the
// version that is current now, but a position is only right in the version in which it was seen. Versions with and
// without probes differ in length.
//
// Example: a sample at 12 in code of 40 bytes. The method has 31 bytes in the class file and 40 with probes. So 12 is a
// position in the code with probes, although the method may run without them by now.
//
// Guarantees: a value. Lengths that differ by 2^15 are not told apart.
// Threads: any, also in signal handlers. Failure: unknown, if the code was not looked at.
#pragma once

#include <cstdint>

namespace iprof {

class CodeStamp {
 public:
  constexpr CodeStamp() = default;  // unknown
  // The code's length in bytes.
  static constexpr CodeStamp Of(uint32_t length, bool is_call) {
    const uint32_t bits = length % kLengths | (is_call ? kLengths : 0);
    // Whoever stores a position with its stamp can use kReserved for something else.
    return FromBits(static_cast<uint16_t>(bits == kReserved ? 0 : bits));
  }
  static constexpr CodeStamp FromBits(uint16_t bits) {
    CodeStamp stamp;
    stamp.bits_ = bits;
    return stamp;
  }
  static constexpr uint16_t kReserved = 0xffff;

  constexpr uint16_t bits() const { return bits_; }
  constexpr bool is_known() const { return bits_ != 0; }
  // Whether the instruction is known to be no call.
  constexpr bool is_no_call() const { return is_known() && (bits_ & kLengths) == 0; }
  // Whether the code may have this length.
  constexpr bool Fits(uint32_t length) const {
    return !is_known() || bits_ % kLengths == length % kLengths;
  }
  constexpr bool operator==(const CodeStamp&) const = default;

 private:
  static constexpr uint32_t kLengths = 1 << 15;
  uint16_t bits_ = 0;
};

}  // namespace iprof
