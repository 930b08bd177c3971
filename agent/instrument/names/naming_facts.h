// Reads from class files the input of stable names (writer/names/stable_names.h).
//
// Guarantees: pure; call it with the class's own bytes, before anything was inserted. What is read
// refers to the class file's bytes.
// Threads: any. Failure: damaged class files give nullopt or false.
#pragma once

#include <optional>

#include "agent/classfile/arena.h"
#include "agent/classfile/class_file.h"
#include "writer/names/stable_names.h"

namespace iprof::instrument {

// Whether the metafactory made this class for a lambda or a method reference: it is final and has
// such a name.
bool IsLambdaClass(const classfile::ClassFile& file);

// Returns nullopt if the class has no method that the lambda runs, or if its calls cannot be read.
std::optional<LambdaFacts> ReadLambda(const classfile::ClassFile& file, classfile::Arena& arena);

// Reads the package and interfaces. Returns nullopt if the class is not a proxy, that is, a final
// subclass of java.lang.reflect.Proxy named $Proxy and a number.
std::optional<ProxyFacts> ReadProxy(const classfile::ClassFile& file);

}  // namespace iprof::instrument
