// ProfileRecords: what a profile counts and the class files of its program say, in the form in which the agent has it
// (class records and counters), so that calls by caller have one computation (writer/records/calls_by_caller.h).
//
// How: a method's calls and branches give the executions of its blocks (CountBlocks), and so of its call sites. Each of these has
// a counter of its own here, and each method one for its calls. The classes at call sites are those of the profile.
//
// Example: the profile has 12 calls of a.B.f, and its `if` jumped over a call of g 2 times. Then f has two counters: 12, and 10 for
// the call of g.
//
// Guarantees: there are records of the profile's classes and of their superclasses. A class without a class file has the
// methods that the profile names; if it is a lambda, also the call of its body. What its objects run of other methods is not known,
// because its superclass is not. Methods whose code is another than the profile's have no call sites. Deterministic.
// Threads: one. Failure: a class file that cannot be read counts as none; std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "agent/classfile/code.h"
#include "agent/instrument/intrinsic_calls.h"
#include "agent/instrument/names/lambda_code.h"
#include "cli/classpath/class_path.h"
#include "cli/views/report/block_executions.h"
#include "writer/profile/model.h"
#include "writer/records/class_record.h"
#include "writer/records/method_record.h"
#include "writer/records/profile_assembly.h"
#include "writer/records/type_counts.h"

namespace iprof::cli {

class ProfileRecords final : public ClassSource {
 public:
  // A profile whose calls, branches and receivers have no callers. It must stay.
  ProfileRecords(const Profile& profile, const classpath::ClassPath& classes);

  size_t size() const override { return sorted_.size(); }
  std::string_view NameOf(size_t number) const override { return sorted_[number]->name; }
  const ClassRecord& Get(size_t number, ClassRecord& /*scratch*/) const override {
    return *sorted_[number];
  }
  bool GetRecord(const ClassRecord& klass, const CountedMethod& method,
                 MethodRecord* record) const override;

  std::span<const uint64_t> counters() const { return counters_; }
  const TypeCounts& types() const { return types_; }
  // Of a counted method; kNoMethod: the profile does not have it.
  MethodIndex MethodOf(const CountedMethod& method) const { return records_[method.record].method; }
  size_t methods_with_other_code() const { return methods_with_other_code_; }
  size_t classes_without_file() const { return classes_without_file_; }

 private:
  struct Record {
    MethodIndex method = kNoMethod;
    MethodRecord record;
  };
  // What the profile has of a method.
  struct Known {
    int64_t calls = 0;
    BranchCounts branches;
    std::map<Bci, EntryIndex> receivers;
  };
  // A call site whose objects the profile lists.
  struct Site {
    const ClassRecord* klass;
    uint32_t callee;  // in the class
    MethodIndex method;
    Bci bci;
    EntryIndex entry;
  };

  void ReadProfile();
  void AddClasses(const classpath::ClassPath& classes);
  // Returns its superclass's name, as the profile has names.
  std::string AddClass(std::string_view name, const classpath::Bytes& bytes);
  void AddWithoutFile(TypeIndex type);
  void NoteLambdas(const classfile::ClassFile& file);
  CountedMethod& AddMethod(ClassRecord& c, std::string_view name, std::string_view descriptor,
                           MethodIndex method);
  void AddCode(ClassRecord& c, const classfile::ClassFile& file,
               const classfile::MemberInfo& member, instrument::ClassCallees& callees);
  void AddCall(ClassRecord& c, Bci bci, uint32_t callee, int64_t executions);
  // The objects at a site. All classes are there.
  void AddObjects(uint32_t number, const Site& site);
  std::optional<MethodIndex> Find(TypeIndex type, std::string_view name,
                                  std::string_view descriptor) const;

  const Profile& profile_;
  std::unordered_map<MethodIndex, Known> known_;
  std::map<TypeIndex, std::vector<MethodIndex>> methods_;  // by class
  std::set<std::string, std::less<>> hosts_;               // classes with lambdas in the profile
  std::map<std::string, instrument::LambdaCode> lambdas_;  // by class; texts are in texts_
  ClassRecord texts_;
  std::deque<ClassRecord> made_;
  std::vector<const ClassRecord*> sorted_;
  std::vector<Record> records_;
  std::vector<uint64_t> counters_;
  TypeCounts types_;
  std::vector<Site> sites_;
  std::set<TypeIndex> without_super_;  // it is not known
  classfile::Arena class_memory_{1 << 16};
  classfile::Arena method_memory_{1 << 16};
  size_t methods_with_other_code_ = 0;
  size_t classes_without_file_ = 0;
};

}  // namespace iprof::cli
