// Names that a JVM accepts (JVM specification, 4.2).
//
// Why: the JVM shows class-file bytes to agents before it has checked the names in them. Names of a
// class that it then refuses must not get into a profile.
//
// Guarantees: pure functions; any string is allowed. Threads: any. Failure: none.
#pragma once

#include <string_view>

#include "agent/classfile/class_file.h"

namespace iprof::classfile {

bool IsMethodName(std::string_view name);
bool IsMethodDescriptor(std::string_view descriptor);
// "java/lang/String"; false for arrays.
bool IsInternalClassName(std::string_view name);

// Checks the class's own name, and the names and descriptors of its methods.
bool HasLegalNames(const ClassFile& file);

}  // namespace iprof::classfile
