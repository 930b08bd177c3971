// Java names: methods and types as Java writes them, for messages.
//
// Guarantees: pure. Threads: any. Failure: a malformed descriptor is shown as it is. Throws nothing but
// std::bad_alloc.
#pragma once

#include <string>
#include <string_view>

#include "writer/names/typed_names.h"

namespace iprof {

// "a.b.C.run(int, java.lang.String[])", in UTF-8. The texts are the JVM's.
std::string JavaMethodName(InternalName owner, std::string_view name, std::string_view descriptor);

// Of a profile's name of a type: "[[Ljava.lang.String;" is "java.lang.String[][]", "[B" is "byte[]". In the encoding of the name.
std::string JavaTypeName(std::string_view profile_name);

}  // namespace iprof
