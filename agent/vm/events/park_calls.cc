#include "agent/vm/events/park_calls.h"

#include <algorithm>
#include <string_view>

#include "agent/classfile/arena.h"
#include "agent/classfile/code.h"
#include "agent/classfile/pool_additions.h"
#include "writer/names/own_classes.h"

namespace iprof::vm {
namespace {

using classfile::ClassFile;
using classfile::CpIndex;
using classfile::Insn;
using classfile::MethodCode;
using classfile::Op;
using classfile::Reason;

// A method that parks the calling thread, and what has the same operands in IprofLocks.park.
struct ParkCall {
  Op op;
  std::string_view owner;
  std::string_view name;
  std::string_view descriptor;
  std::string_view timed;
};
constexpr ParkCall kParkCalls[] = {
    {Op::invokevirtual, "jdk/internal/misc/Unsafe", "park", "(ZJ)V",
     "(Ljdk/internal/misc/Unsafe;ZJ)V"},
    {Op::invokestatic, "jdk/internal/misc/VirtualThreads", "park", "()V", "()V"},
    {Op::invokestatic, "jdk/internal/misc/VirtualThreads", "park", "(J)V", "(J)V"},
    {Op::invokeinterface, "jdk/internal/access/JavaLangAccess", "parkVirtualThread", "()V",
     "(Ljdk/internal/access/JavaLangAccess;)V"},
    {Op::invokeinterface, "jdk/internal/access/JavaLangAccess", "parkVirtualThread", "(J)V",
     "(Ljdk/internal/access/JavaLangAccess;J)V"},
};

const ParkCall* ParkCallAt(const MethodCode& code, Insn insn) {
  const Op op = code.at(insn).op;
  const auto* const first = std::find_if(std::begin(kParkCalls), std::end(kParkCalls),
                                         [&](const ParkCall& call) { return call.op == op; });
  if (first == std::end(kParkCalls)) return nullptr;
  const auto member = code.Member(insn);
  if (!member) return nullptr;
  const std::string_view owner = code.file().pool().ClassName(member->owner);
  const auto* const found = std::find_if(first, std::end(kParkCalls), [&](const ParkCall& call) {
    return call.op == op && call.owner == owner && call.name == member->name &&
           call.descriptor == member->descriptor;
  });
  return found == std::end(kParkCalls) ? nullptr : found;
}

}  // namespace

std::vector<uint8_t> WithTimedParks(std::span<const uint8_t> class_file) {
  classfile::Workspace memory;
  ClassFile file;
  if (file.Parse(class_file, memory.class_memory) != Reason::kOk) return {};
  classfile::PoolAdditions pool(file.pool(), memory.class_memory);
  std::vector<uint8_t> bytes(class_file.begin(), class_file.end());
  bool has_calls = false;
  for (const classfile::MemberInfo& method : file.methods()) {
    if (method.code_offset == 0) continue;
    MethodCode code;
    if (code.Decode(file, method, memory.method_memory) != Reason::kOk) continue;
    for (Insn insn = 0; insn < code.count(); ++insn) {
      const ParkCall* const call = ParkCallAt(code, insn);
      if (call == nullptr) continue;
      const CpIndex timed = pool.Method(kLocksClassName, "park", call->timed);
      if (pool.full()) return {};
      uint8_t* const at = bytes.data() + (code.BytesOf(insn) - class_file.data());
      at[0] = static_cast<uint8_t>(Op::invokestatic);
      classfile::StoreU2(at + 1, Value(timed));
      // invokeinterface is longer.
      std::fill(at + 3, at + code.LengthOf(insn), static_cast<uint8_t>(Op::nop));
      has_calls = true;
    }
  }
  if (!has_calls) return {};
  classfile::StoreU2(bytes.data() + 8, pool.pool_count());
  std::vector<uint8_t> added(pool.byte_size());
  pool.Write(added.data());
  bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(file.pool().end_offset()), added.begin(),
               added.end());
  return bytes;
}

}  // namespace iprof::vm
