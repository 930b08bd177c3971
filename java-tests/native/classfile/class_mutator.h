// ClassMutator: changes a class file so that the result usually is still a class file, for fuzzing.
//
// Why: blind changes, insertions and deletions of bytes break a length, cut an instruction or point
// a branch into the middle of one. Such a class is refused before anything interesting happens. The
// mutator keeps lengths, counts and instruction boundaries consistent, so that fuzzing reaches what
// the rewriter does with unusual but readable classes. It replaces and appends instructions, points
// branches and table entries to other instructions, and copies and removes rows, frames, attributes
// and members.
//
// Guarantees: the same random numbers and bytes give the same result, of at most `most` bytes. The
// result need not be a valid class.
// Threads: one per mutator. Failure: Mutate returns false.
#pragma once

#include "agent/classfile/byte_vector.h"
#include "java-tests/native/classfile/class_outline.h"
#include "java-tests/native/classfile/random_numbers.h"
#include "java-tests/native/classfile/random_parts.h"

namespace iprof::classfile {

class ClassMutator {
 public:
  explicit ClassMutator(RandomNumbers& random) : random_(&random), parts_(random, outline_) {}
  ClassMutator(const ClassMutator&) = delete;
  ClassMutator& operator=(const ClassMutator&) = delete;

  // Makes one to four changes, some of which may undo others. Returns false if the bytes are not a
  // class, or if none of the changes tried was possible.
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
  uint32_t Begin(const CodeOutline& code) const;  // offset of its first instruction
  bool AddToCount(const ElementTable& table, int difference);
  // Replaces `removed` bytes in a stretch and updates the lengths of all stretches around them.
  // Returns false and changes nothing if the class would become too long.
  bool Splice(uint32_t at, uint32_t removed, ByteSpan inserted, int stretch);

  RandomNumbers* random_;
  ClassOutline outline_;
  RandomParts parts_;
  ByteVector* bytes_ = nullptr;
  size_t most_ = 0;
};

}  // namespace iprof::classfile
