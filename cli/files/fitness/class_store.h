// ClassStore: the classes that a check has asked for, each read once, and which of them are subtypes
// of others.
//
// Guarantees: only classes that are asked for, and their supertypes, are read; they are kept until the
// end. The class path must outlive the store.
// Threads: one. Failure: a class without a readable file has a state that says so. Throws nothing but
// std::bad_alloc.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "agent/classfile/arena.h"
#include "agent/classfile/class_file.h"
#include "agent/classfile/code.h"
#include "cli/classpath/class_path.h"
#include "writer/base/status.h"
#include "writer/profile/model.h"

namespace iprof::fitness {

enum class SiteKind : uint8_t {
  kNoInstruction,  // between instructions, or behind the end
  kIf,
  kSwitch,
  kReceiverCall,  // a call with a receiver
  kOtherCall,     // static or dynamic
  kTypeCheck,     // instanceof, checkcast, aastore
  kOther,
};

struct Site {
  SiteKind kind = SiteKind::kNoInstruction;
  std::string_view mnemonic;      // "if_icmplt"
  std::vector<uint32_t> targets;  // of an if or switch: all successors' positions
  std::string owner;              // of a receiver call: the class that its constant names
};

// A method's code is decoded when it is first asked for.
class LoadedMethod {
 public:
  LoadedMethod(const classfile::ClassFile& file, const classfile::MemberInfo& member,
               classfile::Arena& arena)
      : file_(&file), member_(&member), arena_(&arena) {}

  bool has_code() const { return member_->code_offset != 0; }
  // As a profile keeps it (KeptCodeHash); 0 if there is no code, or none that can be read.
  uint64_t CodeHash();
  Site SiteAt(Bci bci);
  // Null: the method has no code, or code that cannot be read.
  const classfile::MethodCode* Code();

 private:
  const classfile::ClassFile* file_;
  const classfile::MemberInfo* member_;
  classfile::Arena* arena_;
  bool is_decoded_ = false;
  std::optional<classfile::MethodCode> code_;
};

// What a class file, which is read once, says about methods, their positions and the class's supertypes. Names are those of a
// profile: Class.getName()'s, in UTF-8.
class LoadedClass {
 public:
  static Result<std::unique_ptr<LoadedClass>> Load(std::vector<uint8_t> bytes);
  LoadedClass(const LoadedClass&) = delete;
  LoadedClass& operator=(const LoadedClass&) = delete;

  std::string super_name() const;  // empty for java.lang.Object
  std::vector<std::string> interface_names() const;
  // Whether there can be objects of exactly this class.
  bool has_objects() const {
    return (file_.access() & (classfile::kAccInterface | classfile::kAccAbstract)) == 0;
  }
  // By a key that MethodKeyOf makes. Null if there is none.
  LoadedMethod* Find(const std::string& key);

 private:
  explicit LoadedClass(std::vector<uint8_t> bytes) : bytes_(std::move(bytes)) {}

  std::vector<uint8_t> bytes_;
  classfile::Arena arena_{4096};  // most class files are small
  classfile::ClassFile file_;
  std::unordered_map<std::string, LoadedMethod> methods_;
};

// The method's name and the types of its signature.
std::string MethodKeyOf(const Profile& profile, MethodIndex method);

enum class ClassState : uint8_t {
  kFound,
  kMissing,
  kUnreadable,  // has a file, but a damaged one
  kNotAsked,    // missing, but from where the class path has nothing: not known
};

struct StoredClass {
  ClassState state = ClassState::kMissing;
  std::string problem;                  // of kUnreadable
  std::unique_ptr<LoadedClass> loaded;  // of kFound
};

enum class Subtype : uint8_t { kNo, kYes, kUnknown };

class ClassStore {
 public:
  // `has_application`: whether the class path has more than a JDK. Missing classes of a part that it
  // does not have are kNotAsked; whose part they are is then judged by their names.
  ClassStore(const classpath::ClassPath& classes, bool has_application)
      : classes_(classes), has_application_(has_application) {}

  // By a profile's name. Valid as long as the store.
  StoredClass& Find(std::string_view name);

  // Whether objects of a class are instances of another class or interface.
  Subtype IsSubtype(const std::string& name, const std::string& of);

 private:
  Subtype WalkSupertypes(const std::string& name, const std::string& of);

  const classpath::ClassPath& classes_;
  const bool has_application_;
  std::unordered_map<std::string, StoredClass> stored_;  // nodes stay where they are
  std::map<std::pair<std::string, std::string>, Subtype> subtypes_;
};

}  // namespace iprof::fitness
