#include "agent/hotspot/frame_facts.h"

namespace iprof::hotspot {

std::optional<ThreadOffsets> ReadThreadOffsets(const VmStructs& structs) {
  const auto anchor = structs.OffsetOf("JavaThread", "_anchor");
  const auto sp = structs.OffsetOf("JavaFrameAnchor", "_last_Java_sp");
  const auto pc = structs.OffsetOf("JavaFrameAnchor", "_last_Java_pc");
  if (!anchor || !sp || !pc) return std::nullopt;
  ThreadOffsets offsets{*anchor + *sp, *anchor + *pc, {}, {}};
  const auto state = structs.OffsetOf("JavaThread", "_thread_state");
  const auto in_java = structs.IntConstant("_thread_in_Java");
  const auto in_vm = structs.IntConstant("_thread_in_vm");
  if (state && in_java && in_vm) offsets.state = ThreadOffsets::State{*state, *in_java, *in_vm};
  const auto base = structs.OffsetOf("JavaThread", "_stack_base");
  const auto size = structs.OffsetOf("JavaThread", "_stack_size");
  if (base && size) offsets.stack = ThreadOffsets::Stack{*base, *size};
  return offsets;
}

std::optional<CodeOffsets> ReadCodeOffsets(const VmStructs& structs) {
  const auto code = structs.OffsetOf("Method", "_constMethod");
  const auto size = structs.OffsetOf("ConstMethod", "_code_size");
  const auto bytes = structs.SizeOf("ConstMethod");
  if (!code || !size || !bytes) return std::nullopt;
  return CodeOffsets{*code, *size, *bytes};
}

bool IsRunningCall(uint8_t op) {
  constexpr uint8_t kInvokeVirtual = 182;
  constexpr uint8_t kInvokeDynamic = 186;
  constexpr uint8_t kBreakpoint = 202;
  // As in original_code.cc, which verifies these numbers.
  constexpr uint8_t kFastInvokeFinal = 227;
  constexpr uint8_t kInvokeHandle = 233;
  return (op >= kInvokeVirtual && op <= kInvokeDynamic) || op == kBreakpoint ||
         op == kFastInvokeFinal || op == kInvokeHandle;
}

std::optional<int32_t> ReadSenderSpWords(const VmStructs& structs) {
  return structs.IntConstant("frame::interpreter_frame_sender_sp_offset");
}

std::optional<int32_t> ReadMajorVersion(const VmStructs& structs) {
  const auto at = structs.StaticField("Abstract_VM_Version", "_vm_major_version");
  return at ? structs.memory().Load<int32_t>(*at) : std::nullopt;
}

}  // namespace iprof::hotspot
