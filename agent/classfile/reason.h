// Reason: why a class or a method was left unchanged.
//
// Guarantees: every operation of this room that can decline returns one of these. A reason is not
// an error of the running program. Callers count reasons and report each one once.
// Threads: any; constants. Failure: none.
#pragma once

#include <cstdint>

namespace iprof::classfile {

// X(enumerator, text)
#define IPROF_CLASSFILE_REASONS(X)                                                            \
  X(kOk, "done")                                                                              \
  /* whole classes */                                                                         \
  X(kNotAClassFile, "not a class file (no 0xCAFEBABE, or cut short)")                         \
  X(kUnsupportedVersion, "class-file version outside 45 to 71")                               \
  X(kBadConstantPool, "damaged constant pool")                                                \
  X(kBadStructure, "fields, methods or attributes do not fit the file")                       \
  X(kBadNames, "a name that no JVM takes")                                                    \
  X(kClassTooLarge, "class file beyond the supported size")                                   \
  /* methods: what we found */                                                                \
  X(kNoCode, "abstract or native: no code")                                                   \
  X(kBadCodeAttribute, "Code attribute does not follow its format")                           \
  X(kBadInstruction, "unknown or cut-off instruction")                                        \
  X(kBadBranch, "branch to where no instruction starts")                                      \
  X(kBadExceptionTable, "exception-table entry outside the code or between instructions")     \
  X(kFallsOffEnd, "control can fall off the end of the code")                                 \
  X(kBadConstantReference, "instruction refers to a constant of the wrong kind")              \
  X(kBadDescriptor, "malformed method or field descriptor")                                   \
  X(kBadStack, "operand stack depth inconsistent or beyond max_stack")                        \
  X(kBadFrames, "StackMapTable does not follow its format or does not fit the code")          \
  X(kTooComplex, "tables out of proportion to the code")                                      \
  /* methods: what we could not do */                                                         \
  X(kCodeTooLong, "rewritten code would exceed 65,535 bytes")                                 \
  X(kCrossesHugeMethodLimit, "rewritten code would cross HotSpot's limit for compilation")    \
  X(kBranchTooFar, "a conditional branch would leave 16 bits and no known frame is in reach") \
  X(kConstantPoolFull, "constant pool would exceed 65,535 entries")                           \
  X(kStackTooDeep, "max_stack would exceed its limit")                                        \
  X(kTooManyLocals, "max_locals would exceed its limit")                                      \
  X(kMonitorHeld, "a monitor is held outside every handler that would release it")            \
  X(kTableTooLong, "an exception or line table would exceed 65,535 entries")                  \
  X(kFramesTooLarge, "StackMapTable would grow out of proportion")                            \
  X(kUninitializedReceiver, "receiver of a constructor call is not an object yet")            \
  X(kNoReceiver, "instruction is not a call with a receiver")                                 \
  X(kNoSuchEdge, "insertion on an edge or instruction that does not exist")                   \
  X(kEdgeTaken, "an edge was given two insertions, or a shared one for different targets")    \
  X(kBadSnippet, "inserted code leaves the stack changed or is too long")                     \
  X(kConstructorShape, "cannot tell which code of a constructor runs before super()")         \
  X(kInternal, "own check of the result failed (a bug in the rewriter; the method is left alone)")

enum class Reason : uint8_t {
#define X(name, text) name,
  IPROF_CLASSFILE_REASONS(X)
#undef X
};

inline constexpr int kReasonCount = 0
#define X(name, text) +1
    IPROF_CLASSFILE_REASONS(X)
#undef X
    ;

const char* ReasonText(Reason reason);  // the text above
const char* ReasonName(Reason reason);  // "kCodeTooLong"

}  // namespace iprof::classfile
