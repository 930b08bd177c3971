// ClassRewriter: rewrites methods of one class and writes the new class file.
//
//     Workspace memory;                         // one per thread, reused
//     ClassFile file;
//     if (file.Parse(bytes, memory.class_memory) != Reason::kOk) leave it;
//     ClassRewriter rewriter(file, memory);
//     for (uint32_t m = 0; m < file.methods().size(); ++m) {
//       MethodCode code;
//       Reason r = rewriter.Open(m, &code);     // decodes; frees the previous method's memory
//       if (r != Reason::kOk) continue;
//       MethodEditor editor = rewriter.Edit(code);
//       CpIndex c = rewriter.pool().Field("java/lang/$Iprof", "c", "[J");
//       editor.OnEntry(editor.Build().GetStatic(c, 1).Sipush(7).Raw(Op::dup2).Raw(Op::laload)
//                          .Raw(Op::lconst_1).Raw(Op::ladd).Raw(Op::lastore).Finish());
//       r = rewriter.Apply(editor);             // all or nothing
//     }
//     ByteSpan result = rewriter.Finish();      // valid until memory is reset
//
// Guarantees: a method is rewritten as its editor says, or stays byte for byte as it was. If no
// method was rewritten, the result is the input bytes themselves. max_stack is exact for code
// without jsr; with jsr it is an upper bound, except for insertions at entries. max_locals includes
// the fresh locals that are used. Stack depths are computed only if an insertion needs them. So
// whether code that the verifier would refuse anyway is declined (kBadStack, kBadConstantReference)
// depends on what is inserted.
// Threads: one at a time per rewriter and workspace.
// Failure: Open and Apply return the reason. Constants that were requested between Open and a
// declined Apply are removed again, so request them per method or before the first Open; requesting
// again is cheap.
//
// Attributes of a rewritten method's code: StackMapTable, LineNumberTable, LocalVariableTable,
// LocalVariableTypeTable, Runtime(In)VisibleTypeAnnotations and CharacterRangeTable are adjusted. A
// debugging table that does not fit its code (obfuscators write them) is dropped. Any other
// attribute of the code may hold unknown offsets and is dropped. Attributes of methods, fields and
// the class are all kept as they are, known or not.
#pragma once

#include <vector>

#include "agent/classfile/method_editor.h"
#include "agent/classfile/stack_depth.h"

namespace iprof::classfile {

// HotSpot compiles methods up to this size in bytes (its HugeMethodLimit).
inline constexpr uint32_t kHugeMethodLimit = 8000;

struct RewriteOptions {
  // A method up to this length may not grow beyond it (kCrossesHugeMethodLimit). 0 means no limit.
  uint32_t huge_method_limit = kHugeMethodLimit;
  // Writes methods again even if nothing is inserted, to prove that nothing is lost.
  bool rewrite_untouched = false;
};

class ClassRewriter {
 public:
  ClassRewriter(const ClassFile& file, Workspace& memory, RewriteOptions options = {});

  PoolAdditions& pool() { return pool_; }
  // Decodes method number `method`. The code, editors and snippets of the previous method become
  // invalid.
  Reason Open(uint32_t method, MethodCode* code);
  MethodEditor Edit(MethodCode& code) { return MethodEditor(code, pool_, memory_->method_memory); }
  Reason Apply(MethodEditor& editor);
  // From now on, Apply appends each rewritten method's PositionMap here. Null: no maps.
  void WritePositionsTo(std::vector<uint8_t>* maps) { position_maps_ = maps; }
  // Returns the class's bytes. Apply must not be called afterwards.
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
  ByteSpan* new_code_;  // per method: the whole new Code attribute, or empty
  std::vector<uint8_t>* position_maps_ = nullptr;
  uint32_t open_method_ = 0;
  uint32_t rewritten_ = 0;
};

}  // namespace iprof::classfile
