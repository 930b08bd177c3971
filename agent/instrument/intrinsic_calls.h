// IntrinsicCalls: calls that a compiler may replace with its own code (intrinsics). The callee's
// counter misses such calls, so they are counted at their call sites.
//
// Guarantees: works on any class file that was parsed. Threads: any; one ClassCallees per class
// that is rewritten. Failure: none.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "agent/classfile/class_file.h"
#include "agent/plan/method_graph.h"
#include "writer/records/class_record.h"

namespace iprof::instrument {

// Whether the method's own annotation says that compilers may replace calls of it.
bool IsIntrinsicCandidate(const classfile::ClassFile& file, const classfile::MemberInfo& method);

// Whether an annotation of the method asks the compilers to inline it at any size. (They obey
// only in classes of the JDK.)
bool IsForceInlined(const classfile::ClassFile& file, const classfile::MemberInfo& method);

// Numbers the callees of one class, in the order of their first call, and adds them to the class's
// record: those that compilers may replace, or all. Of a method that compilers may replace, it is all: when they do, these
// calls are missing, too.
class ClassCallees final : public CalleeNumbers {
 public:
  ClassCallees(ClassRecord& klass, bool all);

  // The method whose calls are numbered from now on.
  void Begin(const CountedMethod& method) { is_in_candidate_ = method.intrinsic_candidate; }
  uint32_t NumberOf(const classfile::MethodCode& code, classfile::Insn insn) override;

 private:
  ClassRecord& klass_;
  const bool all_;
  bool is_in_candidate_ = false;
  std::unordered_map<std::string, uint32_t> numbers_;  // of the record's callees
};

}  // namespace iprof::instrument
