// OperandText: what an instruction works on, for people: "java.util.List.size()int", "\"text\"", "3, 1".
//
// Guarantees: names as in profiles; methods as Profile::DescribeMethod has them. Empty if there is nothing to say. Targets of
// jumps are left out; of a switch, it has the keys in the order of its slots, and "default". Long texts are cut off.
// Threads: any; a pure function. Failure: a constant that cannot be read gives "?"; std::bad_alloc.
#pragma once

#include <string>

#include "agent/classfile/code.h"

namespace iprof::report {

// Constants of strings are cut off after so many bytes, switches after so many keys.
inline constexpr size_t kMostTextBytes = 120;
inline constexpr size_t kMostKeys = 256;

std::string OperandText(const classfile::MethodCode& code, classfile::Insn i);

}  // namespace iprof::report
