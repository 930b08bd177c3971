// ContentHash: identifies what a class does, so that equal classes share their counters.
//
// The JVM numbers the classes that it makes while it runs ("Shop$$Lambda$14" on JDK 17, "$Proxy7"),
// and the number is in their bytes. So for a class that goes by another name in the profile the
// hash leaves out the class's own name. For all other classes it is the hash of the bytes.
//
// Guarantees: linear in the size of the file, no allocation but for one copy of a renamed class;
// two files with the same hash differ in their own names at most. Pure; any thread.
#pragma once

#include <string_view>

#include "agent/classfile/class_file.h"
#include "writer/base/murmur3.h"

namespace iprof::instrument {

// `profile_name` is the internal name by which the class is counted.
Hash128 ContentHash(const classfile::ClassFile& file, std::string_view profile_name);

}  // namespace iprof::instrument
