// ContentHash: identifies what a class does, so that equal classes share their counters.
//
// The JVM numbers the classes that it generates ("Shop$$Lambda$14" on JDK 17, "$Proxy7"), and the
// number is in their bytes. So for a class that has another name in the profile, the hash excludes
// the class's own name. For all other classes it is the hash of the bytes.
// Example: "Shop$$Lambda$9" and "Shop$$Lambda$14" differ in their own names only, and both are "Shop$$Lambda/0x605d…" in the profile. They
// have one hash, although one file is a byte longer.
//
// Guarantees: takes linear time; allocates only one copy of a renamed class. Two files with the
// same hash differ at most in their own names.
// Threads: any; a pure function. Failure: none.
#pragma once

#include <string_view>

#include "agent/classfile/class_file.h"
#include "writer/base/murmur3.h"

namespace iprof::instrument {

// `profile_name` is the internal name under which the class is counted.
Hash128 ContentHash(const classfile::ClassFile& file, std::string_view profile_name);

}  // namespace iprof::instrument
