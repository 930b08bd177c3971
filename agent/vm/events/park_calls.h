// ParkCalls: LockSupport's class file with other calls: where a thread would be parked, IprofLocks is called, which parks it
// and tells the agent of long waits (runtime/java/lang/IprofLocks.java).
//
// Example: in `park(Object)`, `invokevirtual Unsafe.park(ZJ)V` becomes `invokestatic IprofLocks.park(Unsafe, Z, J)V`. Both take
// the same three operands and leave none.
//
// Guarantees: pure. Each instruction keeps its place and what it does to the stack, so positions, stack maps, and probes that
// are in the code stay right. New constants follow the class's own ones.
// Threads: any. Failure: an empty result if the bytes are no class file that is understood, or have no such call.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace iprof::vm {

inline constexpr char kLockSupport[] = "java/util/concurrent/locks/LockSupport";

std::vector<uint8_t> WithTimedParks(std::span<const uint8_t> class_file);

}  // namespace iprof::vm
