// Names that a JVM takes (JVM specification, 4.2).
//
// Why: class-file bytes are shown to agents before the JVM has looked at the names in them. A class
// that it is about to refuse must not leave its names behind in a profile.
//
// Guarantees: pure; anything may be asked.
#pragma once

#include <string_view>

#include "agent/classfile/class_file.h"

namespace iprof::classfile {

bool IsMethodName(std::string_view name);
// "java/lang/String"; not an array's.
bool IsInternalClassName(std::string_view name);

// The class's own name, and its methods' names and descriptors.
bool HasLegalNames(const ClassFile& file);

}  // namespace iprof::classfile
