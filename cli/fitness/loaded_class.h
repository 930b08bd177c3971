// LoadedClass: what a class file says about methods, their positions and the class's supertypes.
//
// Guarantees: reads the class file once; a method's code is decoded when it is first asked for. Names
// are those of a profile: Class.getName()'s, in UTF-8.
// Threads: one. Failure: Load returns why the class file cannot be read. Of a method whose code
// cannot be read, no position is known. Throws nothing but std::bad_alloc.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "agent/classfile/arena.h"
#include "agent/classfile/class_file.h"
#include "agent/classfile/code.h"
#include "writer/base/status.h"
#include "writer/model/model.h"

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

class LoadedMethod {
 public:
  LoadedMethod(const classfile::ClassFile& file, const classfile::MemberInfo& member,
               classfile::Arena& arena)
      : file_(&file), member_(&member), arena_(&arena) {}

  bool has_code() const { return member_->code_offset != 0; }
  // As a profile keeps it (KeptCodeHash); 0 if there is no code, or none that can be read.
  uint64_t CodeHash();
  Site SiteAt(Bci bci);

 private:
  const classfile::MethodCode* Code();

  const classfile::ClassFile* file_;
  const classfile::MemberInfo* member_;
  classfile::Arena* arena_;
  bool is_decoded_ = false;
  std::optional<classfile::MethodCode> code_;
};

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

}  // namespace iprof::fitness
