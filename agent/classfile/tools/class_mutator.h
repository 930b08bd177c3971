// ClassMutator: changes a class file so that it mostly remains one, for fuzzing.
//
// Why it exists: bytes changed, inserted or removed blindly break a length, cut an instruction or
// send a branch between two, and such a class is refused before anything of interest happens. Here
// lengths, counts and boundaries of instructions are followed, so that what the rewriter does with
// odd but readable classes is reached: instructions are replaced and appended, branches and table
// entries moved to other instructions, rows, frames, attributes and members copied and removed.
//
// Guarantees: the same random numbers and bytes give the same result, which grows to `most` bytes
// at most. Whether it is a valid class is left to chance.
#pragma once

#include "agent/classfile/tools/byte_vector.h"
#include "agent/classfile/tools/class_outline.h"
#include "agent/classfile/tools/random_numbers.h"
#include "agent/classfile/tools/random_parts.h"

namespace iprof::classfile {

class ClassMutator {
 public:
  explicit ClassMutator(RandomNumbers& random) : random_(&random), parts_(random, outline_) {}
  ClassMutator(const ClassMutator&) = delete;
  ClassMutator& operator=(const ClassMutator&) = delete;

  // One to four changes, of which some may undo others. False when the bytes are no class, or
  // nothing was tried that was possible.
  bool Mutate(ByteVector& bytes, size_t most);

 private:
  bool MutateOnce();
  bool ChangeHeader();
  bool ChangeLimits();
  bool SubstituteInstruction();
  bool OverwriteInstructions();
  bool Retarget();
  bool AppendCode();
  bool CopyElement();
  bool RemoveElement();
  bool MovePositions();
  bool ChangeFrame();
  bool SplitFrame();
  bool ChangeStretch();
  bool ChangeMember();
  bool ChangeConstant();
  bool AppendConstant();
  bool RenameAttribute();

  const CodeOutline* AnyCode();
  template <typename Suits>
  const ElementTable* AnyTable(Suits suits);
  uint32_t Begin(const CodeOutline& code) const;  // of its first instruction
  bool AddToCount(const ElementTable& table, int difference);
  // Replaces `removed` bytes in a stretch, whose length and those around it follow; false, and
  // nothing is changed, when the class would become too long.
  bool Splice(uint32_t at, uint32_t removed, ByteSpan inserted, int stretch);

  RandomNumbers* random_;
  ClassOutline outline_;
  RandomParts parts_;
  ByteVector* bytes_ = nullptr;
  size_t most_ = 0;
};

}  // namespace iprof::classfile
