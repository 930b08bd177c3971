// ClassRewriter: rewrites methods of one class and puts the class together again.
//
//     Workspace memory;                         // one per thread, reused
//     ClassFile file;
//     if (file.Parse(bytes, memory.class_memory) != Reason::kOk) leave it;
//     ClassRewriter rewriter(file, memory);
//     for (uint32_t m = 0; m < file.methods().size(); ++m) {
//       MethodCode code;
//       Reason r = rewriter.Open(m, &code);     // decodes; forgets the previous method's memory
//       if (r != Reason::kOk) continue;
//       MethodEditor editor = rewriter.Edit(code);
//       CpIndex c = rewriter.pool().Field("java/lang/$Iprof", "c", "[J");
//       editor.OnEntry(editor.Build().GetStatic(c, 1).Sipush(7).Raw(Op::dup2).Raw(Op::laload)
//                          .Raw(Op::lconst_1).Raw(Op::ladd).Raw(Op::lastore).Finish());
//       r = rewriter.Apply(editor);             // all or nothing
//     }
//     ByteSpan result = rewriter.Finish();      // valid until memory is reset
//
// Guarantees: a method is rewritten as its editor says or stays byte for byte as it was, with the
// reason returned by Apply; constants that were asked for between Open and a declined Apply are
// taken back (so ask for them per method, or before the first Open; asking again is cheap). A class
// of which no method was rewritten comes out as the input bytes themselves. max_stack is exact for
// code without jsr (with it an upper bound, entries apart), max_locals counts the fresh locals used.
// The stack is looked at only where the place of an insertion does not tell its depth: whether code
// that the verifier would refuse anyway is declined (kBadStack, kBadConstantReference) depends on
// what is inserted.
//
// Attributes of a rewritten method's code: StackMapTable, LineNumberTable, LocalVariableTable,
// LocalVariableTypeTable, Runtime(In)VisibleTypeAnnotations and CharacterRangeTable are adjusted;
// one of the debugging kind that does not fit its code (an obfuscator's) is dropped; any other may
// hold offsets that nobody here knows and is dropped. Attributes of methods, fields and the class,
// known or not, are kept as they are. One thread at a time per rewriter and workspace.
#pragma once

#include <vector>

#include "agent/classfile/method_editor.h"
#include "agent/classfile/stack_depth.h"

namespace iprof::classfile {

// HotSpot compiles methods of up to as many bytes (its HugeMethodLimit).
inline constexpr uint32_t kHugeMethodLimit = 8000;

struct RewriteOptions {
  // A method that is not longer than this may not become longer (kCrossesHugeMethodLimit); 0 allows
  // everything.
  uint32_t huge_method_limit = kHugeMethodLimit;
  // Writes a method again even when nothing is inserted: for proving that nothing is lost.
  bool rewrite_untouched = false;
};

class ClassRewriter {
 public:
  ClassRewriter(const ClassFile& file, Workspace& memory, RewriteOptions options = {});

  PoolAdditions& pool() { return pool_; }
  // Decodes method number `method`; code, editors and snippets of the method opened before are
  // gone.
  Reason Open(uint32_t method, MethodCode* code);
  MethodEditor Edit(MethodCode& code) { return MethodEditor(code, pool_, memory_->method_memory); }
  Reason Apply(MethodEditor& editor);
  // From now on Apply appends each rewritten method's PositionMap here; null: no maps are made.
  void WritePositionsTo(std::vector<uint8_t>* maps) { position_maps_ = maps; }
  // Applies nothing more; the class's bytes.
  ByteSpan Finish();

  uint32_t rewritten_methods() const { return rewritten_; }

 private:
  Reason Rewrite(MethodEditor& editor);

  const ClassFile* file_;
  Workspace* memory_;
  RewriteOptions options_;
  PoolAdditions pool_;
  SlotCache slots_;
  PoolAdditions::Mark method_mark_;
  ByteSpan* new_code_;  // per method: the whole new Code attribute, or nothing
  std::vector<uint8_t>* position_maps_ = nullptr;
  uint32_t open_method_ = 0;
  uint32_t rewritten_ = 0;
};

}  // namespace iprof::classfile
