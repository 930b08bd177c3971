// LambdaSites: where a class file creates lambdas, and to which of them an image build would give
// the same name except for a number.
//
// A lambda's name is a hash of what the lambda does. So two invokedynamic instructions of a class
// may have the same name, for example if String::length is written twice. A number distinguishes
// them: the rank of the instruction among those with the same name, with methods in the order of
// the class file, then by bci. Only the class file matters; it makes no difference what runs first,
// or at all.
// Example: the methods of a class file are b and a, in this order; b has String::length at 8, and a has it at 3 and at 21. The three
// have the numbers 0, 1 and 2.
//
// What a lambda does is read from the arguments of LambdaMetafactory: the method that it calls, the
// boxing and unboxing around that call, and from rule k23 on what it captures and implements.
// Instructions for which all of this is equal are ranked together (agent/classfile/lambda_shape.h).
//
// Guarantees: pure; reads damaged bytes safely. Instructions with another bootstrap method are not
// sites.
// Threads: any. Failure: what cannot be read is not a site.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "agent/classfile/class_file.h"
#include "agent/classfile/lambda_shape.h"
#include "writer/names/stable_names.h"

namespace iprof::instrument {

using classfile::Unboxing;
using classfile::UnboxingOfJdk;

// An invokedynamic instruction of a method, identified so that inserted code does not matter.
struct DynamicCall {
  uint16_t ordinal = 0;  // among the invokedynamic instructions of the method, from 0
  uint16_t count = 0;    // number of invokedynamic instructions in the method
  bool operator==(const DynamicCall&) const = default;
};

// The invokedynamic instruction at `bci`, or nullopt.
std::optional<DynamicCall> FindDynamicCall(classfile::ByteSpan code, uint32_t bci);

struct LambdaSite {
  const classfile::MemberInfo* method;  // in the file
  DynamicCall call;
  uint32_t number;
  std::string_view interface_method;  // its name
  classfile::LambdaShape shape;
};

// Returns the sites in the order of the class file, whose bytes must stay.
std::vector<LambdaSite> ReadLambdaSites(const classfile::ClassFile& file, NamingRule rule,
                                        Unboxing unboxing);

// Whether the class file can contain a lambda at all; only looks at its constants.
bool MayMakeLambdas(const classfile::ConstantPool& pool);

}  // namespace iprof::instrument
