// SymbolicCode: the instructions of a method as bytes that do not depend on the numbering of its
// constant pool.
//
// Why: two class files have the same code if their instructions do the same to the same names. A
// compiler, another agent or the JVM (when it makes a class file for a retransformation) may number
// the constants differently. So the index of each constant is replaced by 0, and the constants follow
// the instructions by name and value.
//
// Left out are what positions do not depend on, or what some sources do not have: exception
// handlers, stack maps, debug attributes, the bootstrap method of an invokedynamic. A name of the
// class itself is replaced, because the JVM numbers the classes of lambdas.
//
// Guarantees: the bytes are equal only if the instructions are equal up to the numbering of constants.
// Threads: one per object. Failure: false or nullopt if a constant is not readable.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "agent/classfile/bytes.h"
#include "agent/classfile/code.h"
#include "agent/classfile/constant_pool.h"

namespace iprof::classfile {

// A constant that an instruction names. Which members are used depends on the tag.
struct NamedConstant {
  Tag tag = Tag::kUnusable;
  std::string_view owner;       // of a field or method
  std::string_view name;        // of a field, method, call site or class; the text of a string; the
                                // descriptor of a method type
  std::string_view descriptor;  // of a field, method or call site
  uint64_t value = 0;           // a number's bits; the kind of a method handle
};

class SymbolicCode {
 public:
  // `own_name` is the internal name of the class. Both must live until the last Add.
  void Start(ByteSpan code, std::string_view own_name);
  // Adds the constant of the instruction at this position. In the order of the positions.
  void Add(uint32_t bci, Op op, const NamedConstant& constant);
  // The same for a constant that was encoded with the same name of the class.
  void AddEncoded(uint32_t bci, Op op, ByteSpan constant);
  // Appends the bytes that Add adds for the constant.
  static void Encode(const NamedConstant& constant, std::string_view own_name,
                     std::vector<uint8_t>* to);
  ByteSpan bytes() const { return bytes_; }

 private:
  void ClearIndex(uint32_t bci, Op op);

  std::vector<uint8_t> bytes_;
  std::string_view own_name_;
};

std::optional<NamedConstant> ReadConstant(const ClassFile& file, CpIndex index);

// False if a constant cannot be read.
bool MakeSymbolic(const MethodCode& code, SymbolicCode* made);

}  // namespace iprof::classfile
