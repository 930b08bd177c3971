// Loaded classes, found by their names.
//
// Guarantees: none but what each function says. Nothing is kept: the references belong to the caller's list.
// Threads: any attached thread in the live phase, while the classes are kept loaded (LoadedClasses).
// Failure: a class of which the JVM does not tell the name is left out, or has the empty name.
#pragma once

#include <jvmti.h>

#include <set>
#include <span>
#include <string>
#include <vector>

namespace iprof::vm {

struct FoundClasses {
  std::vector<jclass> linked;      // that the JVM can change, in the order of the names
  std::set<std::string> unlinked;  // names of those that it can change, but that are not linked yet
};

// Those of `loaded` that have one of these names. Several may have the same name, in different class loaders.
FoundClasses FindClasses(jvmtiEnv* jvmti, std::span<const jclass> loaded,
                         const std::vector<std::string>& names);

// As in class files: java/lang/Object.
std::string NameOf(jvmtiEnv* jvmti, jclass klass);
std::set<std::string> NamesOf(jvmtiEnv* jvmti, std::span<const jclass> classes);

}  // namespace iprof::vm
