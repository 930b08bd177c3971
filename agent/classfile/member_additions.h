// MemberAdditions: a class file with more fields and static methods than it had.
//
// Guarantees: everything else of the class stays byte for byte as it was; new members stand behind
// the class's own, new constants behind its constants. Finish refuses with a reason what a class
// file cannot hold. One thread at a time; what Finish gives lives as long as the arena.
#pragma once

#include <string_view>

#include "agent/classfile/class_file.h"
#include "agent/classfile/pool_additions.h"

namespace iprof::classfile {

class MemberAdditions {
 public:
  MemberAdditions(const ClassFile& file, Arena& arena)
      : file_(file), arena_(arena), pool_(file.pool(), arena), fields_(arena), methods_(arena) {}

  void AddField(uint16_t access, std::string_view name, std::string_view descriptor);

  // A static method that calls a static method of the same type in another class and returns what
  // that returns. HotSpot inlines it wherever it is called, if the class is one of the JDK's. At most
  // four slots of arguments.
  void AddForwarder(uint16_t access, std::string_view name, std::string_view descriptor,
                    std::string_view target_class, std::string_view target_method);

  Reason Finish(ByteSpan* result);

 private:
  void Fail(Reason reason) {
    if (reason_ == Reason::kOk) reason_ = reason;
  }

  const ClassFile& file_;
  Arena& arena_;
  PoolAdditions pool_;
  Reason reason_ = Reason::kOk;
  ByteBuffer fields_;
  ByteBuffer methods_;
  uint32_t field_count_ = 0;
  uint32_t method_count_ = 0;
};

}  // namespace iprof::classfile
