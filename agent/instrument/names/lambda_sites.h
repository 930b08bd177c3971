// LambdaSites: where a class file makes lambdas, and which of them an image build would give the
// same name but for a number.
//
// A lambda's name is a hash of what the lambda does, so two invokedynamic instructions of a class
// may want the same one: String::length written twice, say. They are told apart by a number: the
// rank of the instruction among those that want the name, methods in the order of the class file,
// then by bci. The class file alone decides: what runs first, or at all, makes no difference.
//
// What a lambda does is read from the arguments of LambdaMetafactory: the method that it calls, the
// boxing and unboxing around that call, and from rule k23 on what it captures and implements. Two
// instructions are ranked together where all that is equal. Not known here is which class really
// declares a static method: A.f and B.f count as different, though B may inherit A's.
//
// Guarantees: reads damaged bytes safely; what it cannot read is no site. Instructions with another
// bootstrap method are no sites. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "agent/classfile/class_file.h"
#include "writer/names/stable_names.h"

namespace iprof::instrument {

// How the running JVM's lambdas take a number out of an Integer, Long …: this decides whether
// lambdas do the same that take different ones.
enum class Unboxing : uint8_t {
  kByWrapper,  // Integer.intValue(), up to JDK 23
  kByNumber,   // Number.intValue() for all of them
};
Unboxing UnboxingOfJdk(int feature_version);

// An invokedynamic instruction of a method, in a form that survives the insertion of other code.
struct DynamicCall {
  uint16_t ordinal = 0;  // among the invokedynamic instructions of the method, from 0
  uint16_t count = 0;    // how many there are
  bool operator==(const DynamicCall&) const = default;
};

// The invokedynamic instruction at `bci`; nothing where there is none.
std::optional<DynamicCall> FindDynamicCall(classfile::ByteSpan code, uint32_t bci);

struct LambdaSite {
  const classfile::MemberInfo* method;  // of the file
  DynamicCall call;
  uint32_t number;
};

// In the order of the class file.
std::vector<LambdaSite> ReadLambdaSites(const classfile::ClassFile& file, NamingRule rule,
                                        Unboxing unboxing);

// Whether the class file may hold a lambda at all; a quick look at its constants.
bool MayMakeLambdas(const classfile::ConstantPool& pool);

}  // namespace iprof::instrument
