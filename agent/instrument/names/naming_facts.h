// Reads from class files what stable names are made of (writer/names/stable_names.h).
//
// Guarantees: pure; the class's own bytes decide, before anything was inserted into them; damaged ones
// give nothing. Any thread. What is read refers to the class file's bytes.
#pragma once

#include <optional>

#include "agent/classfile/arena.h"
#include "agent/classfile/class_file.h"
#include "writer/names/stable_names.h"

namespace iprof::instrument {

// Whether the metafactory made this class for a lambda or a method reference: a final class with such
// a name.
bool IsLambdaClass(const classfile::ClassFile& file);

// Nothing where no method is found that the lambda runs, or its calls cannot be read.
std::optional<LambdaFacts> ReadLambda(const classfile::ClassFile& file, classfile::Arena& arena);

// Reads package and interfaces; nothing where this is not a proxy: a final subclass of
// java.lang.reflect.Proxy called $Proxy and a number.
std::optional<ProxyFacts> ReadProxy(const classfile::ClassFile& file);

}  // namespace iprof::instrument
