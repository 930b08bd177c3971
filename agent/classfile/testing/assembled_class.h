// AssembledClass: class files with several methods, assembled by hand for tests.
//
// Guarantees: the version is 49 by default, so code needs no stack maps. Equal constants are
// created once. Threads: one per object. Failure: nothing is checked; a wrong class is an error of
// the test.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "agent/classfile/opcodes.h"

namespace iprof::instrument {

class AssembledClass {
 public:
  struct Handler {
    uint16_t from, to, handler;
  };
  struct Method {
    uint16_t access = 0x0009;  // public static
    std::string name = "f";
    std::string descriptor = "()V";
    std::vector<uint8_t> code = {};  // empty: abstract or native
    std::vector<Handler> handlers = {};
    bool intrinsic_candidate = false;
  };

  explicit AssembledClass(std::string_view name, std::string_view super = "java/lang/Object",
                          uint16_t access = 0x0021, uint16_t version = 49);

  uint16_t Utf8(std::string_view text);
  uint16_t Class(std::string_view name);
  uint16_t MethodRef(std::string_view owner, std::string_view name, std::string_view descriptor);
  uint16_t FieldRef(std::string_view owner, std::string_view name, std::string_view descriptor);
  uint16_t Integer(uint32_t value);
  uint16_t MethodType(std::string_view descriptor);
  // `kind` as in the class-file format: 5 invokeVirtual, 6 invokeStatic, 8 newInvokeSpecial …
  uint16_t Handle(uint32_t kind, uint16_t member);
  // Returns the number of the bootstrap method.
  uint16_t Bootstrap(uint16_t handle, std::initializer_list<uint16_t> arguments);
  uint16_t CallSite(uint16_t bootstrap, std::string_view name, std::string_view descriptor);
  AssembledClass& Add(Method method);
  AssembledClass& AddField(uint16_t access, std::string_view name, std::string_view descriptor);
  std::vector<uint8_t> Bytes();

 private:
  uint16_t Constant(std::string bytes);
  uint16_t NameAndType(std::string_view name, std::string_view descriptor);
  uint16_t Member(uint32_t tag, std::string_view owner, std::string_view name,
                  std::string_view descriptor);

  std::map<std::string, uint16_t> constants_;
  std::vector<std::string> pool_;
  uint16_t this_;
  uint16_t super_;
  uint16_t access_;
  uint16_t version_;
  std::string fields_;
  uint16_t field_count_ = 0;
  std::vector<Method> methods_;
  std::string bootstraps_;
  uint16_t bootstrap_count_ = 0;
};

// Bytes of code from opcodes and operand bytes.
std::vector<uint8_t> Code(std::initializer_list<int> bytes);
constexpr int B(classfile::Op op) { return static_cast<int>(op); }

// static int f(int) of any class:
//  0 iload_0; 1 ifle 10; 4 iinc 0,-1; 7 goto 0; 10 iload_0; 11 ireturn
std::vector<uint8_t> CountdownCode();

}  // namespace iprof::instrument
