// StackMapTable: reads frames, and expands those that are needed.
//
// Guarantees: FrameTable::Read checks the whole table against the code: every frame is at an
// instruction, and every Uninitialized offset is that of a `new`. The frame writer can move every
// table that Read accepts. Expanding takes memory in proportion to the frames that are wanted.
// Threads: const methods may run in parallel after Read.
// Failure: returns the reason; Expand returns kFramesTooLarge if the frames are out of proportion
// to the code.
#pragma once

#include "agent/classfile/code.h"
#include "agent/classfile/pool_additions.h"

namespace iprof::classfile {

enum VerificationTag : uint8_t {
  kItemTop = 0,
  kItemInteger = 1,
  kItemFloat = 2,
  kItemDouble = 3,
  kItemLong = 4,
  kItemNull = 5,
  kItemUninitializedThis = 6,
  kItemObject = 7,         // value: a Class constant
  kItemUninitialized = 8,  // value: the bci of the `new`
  // Only in the method's implicit first frame: an object whose class is given by the descriptor.
  kItemArgument = 9,  // value: the argument's number
};

struct FrameRef {
  Insn insn;
  uint32_t offset;  // of the frame's tag byte in the table
  uint32_t length;  // including the tag byte
  uint16_t stack_slots;
};

struct VerificationType {
  VerificationTag tag;
  uint8_t unused = 0;
  uint16_t value;

  bool operator==(const VerificationType&) const = default;
};

struct FullFrame {
  const VerificationType* locals = nullptr;
  const VerificationType* stack = nullptr;
  uint16_t local_count = 0;
  uint16_t stack_count = 0;
};

class FrameTable {
 public:
  // Finds and checks the method's StackMapTable. Before version 50 the JVM ignores the table, so a
  // malformed one counts as absent.
  Reason Find(const MethodCode& code, Arena& arena);
  // Like Find, and marks the instructions that have a frame.
  Reason Read(MethodCode& code, Arena& arena);

  bool present() const { return bytes_ != nullptr; }
  std::span<const FrameRef> frames() const { return {frames_, count_}; }
  const uint8_t* bytes() const { return bytes_; }
  // The number of the frame at an instruction, which must have one.
  uint32_t FrameAt(Insn i) const;

  // Fills out[k] for every frame k with wanted[k] != 0, and *initial with the method's implicit
  // first frame.
  Reason Expand(const MethodCode& code, const uint8_t* wanted, FullFrame* out, FullFrame* initial,
                Arena& arena) const;

 private:
  Reason Scan(const MethodCode& code, ByteSpan table, Arena& arena);

  const uint8_t* bytes_ = nullptr;
  FrameRef* frames_ = nullptr;
  uint32_t count_ = 0;
};

}  // namespace iprof::classfile
