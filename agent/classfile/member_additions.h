// MemberAdditions: adds fields and static methods to a class file.
//
// Guarantees: everything else in the class stays byte for byte the same. New members follow the
// class's own members, and new constants follow its own constants. The result lives as long as the
// arena.
// Threads: one at a time.
// Failure: Finish returns the reason if a class file cannot hold the additions.
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

  // kAlways: HotSpot always inlines it if the class belongs to the JDK. kOnlyC2: C1 calls it, because
  // C1 inlines no method with as many locals as it gets (C1InlineStackLimit).
  enum class Inlined : uint8_t { kAlways, kOnlyC2 };

  // Adds a static method that calls a static method of the same type in another class and returns
  // its result. At most four slots of arguments.
  void AddForwarder(uint16_t access, std::string_view name, std::string_view descriptor,
                    std::string_view target_class, std::string_view target_method,
                    Inlined inlined = Inlined::kAlways);

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
