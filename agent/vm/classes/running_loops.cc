#include "agent/vm/classes/running_loops.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "agent/classfile/opcodes.h"
#include "agent/vm/jvmti/jvmti_memory.h"
#include "agent/vm/jvmti/loaded_classes.h"
#include "agent/vm/jvmti/local_frame.h"
#include "writer/names/typed_names.h"

namespace iprof::vm {
namespace {

using classfile::Format;
using classfile::Op;

constexpr jint kDepth = 4096;

// Reads code; what lies behind its end is 0.
class CodeBytes {
 public:
  explicit CodeBytes(std::span<const uint8_t> code) : code_(code) {}
  size_t size() const { return code_.size(); }
  uint8_t U1(size_t at) const { return at < code_.size() ? code_[at] : 0; }
  int16_t S2(size_t at) const { return static_cast<int16_t>(U1(at) << 8 | U1(at + 1)); }
  int32_t S4(size_t at) const {
    return static_cast<int32_t>(uint32_t{U1(at)} << 24 | uint32_t{U1(at + 1)} << 16 |
                                uint32_t{U1(at + 2)} << 8 | uint32_t{U1(at + 3)});
  }

 private:
  const std::span<const uint8_t> code_;
};

// The length of an instruction, or 0 if it is not valid. `jumps_back`: it has a target that is not behind it.
size_t Look(const CodeBytes& code, size_t at, bool* jumps_back) {
  const uint8_t opcode = code.U1(at);
  if (opcode >= classfile::kOpCount) return 0;
  const auto& info = classfile::kOpInfo[opcode];
  const auto note = [&](int32_t offset) { *jumps_back = *jumps_back || offset <= 0; };
  const size_t operands = (at + 4) & ~size_t{3};  // of a switch
  switch (info.format) {
    case Format::kBranch2:
      note(code.S2(at + 1));
      break;
    case Format::kBranch4:
      note(code.S4(at + 1));
      break;
    case Format::kWide:
      return static_cast<Op>(code.U1(at + 1)) == Op::iinc ? 6 : 4;
    case Format::kTableSwitch: {
      const int64_t count = int64_t{code.S4(operands + 8)} - code.S4(operands + 4) + 1;
      if (count < 0 || count > static_cast<int64_t>(code.size())) return 0;
      note(code.S4(operands));
      for (int64_t i = 0; i < count; ++i) note(code.S4(operands + 12 + 4 * static_cast<size_t>(i)));
      return operands + 12 + 4 * static_cast<size_t>(count) - at;
    }
    case Format::kLookupSwitch: {
      const int32_t count = code.S4(operands + 4);
      if (count < 0 || count > static_cast<int64_t>(code.size())) return 0;
      note(code.S4(operands));
      for (int32_t i = 0; i < count; ++i) note(code.S4(operands + 12 + 8 * static_cast<size_t>(i)));
      return operands + 8 + 8 * static_cast<size_t>(count) - at;
    }
    default:
      break;
  }
  return info.length;
}

bool MethodHasLoop(jvmtiEnv* jvmti, jmethodID method) {
  jint size = 0;
  JvmtiMemory<unsigned char> code(jvmti);
  const jvmtiError error = jvmti->GetBytecodes(method, &size, code.address());
  if (error == JVMTI_ERROR_NATIVE_METHOD) return false;
  if (error != JVMTI_ERROR_NONE) return true;
  return HasLoop({code.get(), static_cast<size_t>(size)});
}

}  // namespace

bool HasLoop(std::span<const uint8_t> code) {
  const CodeBytes bytes(code);
  for (size_t at = 0; at < code.size();) {
    bool jumps_back = false;
    const size_t length = Look(bytes, at, &jumps_back);
    if (length == 0 || jumps_back) return true;
    at += length;
  }
  return false;
}

std::optional<ClassNames> ClassesInLoops(jvmtiEnv* jvmti, JNIEnv* jni) {
  // Keeps the classes of the methods on the stacks loaded.
  const LoadedClasses pinned(jvmti, jni);
  JvmtiMemory<jvmtiStackInfo> stacks(jvmti);
  jint threads = 0;
  if (jvmti->GetAllStackTraces(kDepth, stacks.address(), &threads) != JVMTI_ERROR_NONE)
    return std::nullopt;
  std::set<jmethodID> methods;
  for (jint t = 0; t < threads; ++t) {
    for (jint f = 0; f < stacks[t].frame_count; ++f)
      methods.insert(stacks[t].frame_buffer[f].method);
  }
  ClassNames classes;
  for (jmethodID method : methods) {
    if (!MethodHasLoop(jvmti, method)) continue;
    const LocalFrame frame(jni);
    jclass owner = nullptr;
    JvmtiString signature(jvmti);
    if (jvmti->GetMethodDeclaringClass(method, &owner) != JVMTI_ERROR_NONE ||
        jvmti->GetClassSignature(owner, signature.address(), nullptr) != JVMTI_ERROR_NONE)
      continue;
    const Descriptor type(ViewOf(signature));
    if (!type.IsClass()) continue;
    std::string name(type.ClassName().text());
    std::replace(name.begin(), name.end(), '/', '.');
    classes.insert(std::move(name));
  }
  return classes;
}

}  // namespace iprof::vm
