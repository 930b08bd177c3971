// Loaded classes, found by their names.
//
// Guarantees: none but what each function says. Nothing is kept: the references belong to the caller's list.
// Threads: any attached thread in the live phase, while the classes are kept loaded (LoadedClasses).
// Failure: a class whose name the JVM does not give is left out, or has the empty name.
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

// A second look finds the classes that have been loaded since the first one. Why: the class-file hook decides what code
// a class gets, but the JVM lists the class only once it is loaded. One that was between the two at the first look
// has code of before a decision that came with that look. A class that takes longer to load than the time between the
// looks is not found. Only the program's own class loaders can bring that about: the JVM asks them for the superclass.
//
// MarkFound marks what the first look found, by the state kSeen of their tags (ClassTag), unless a tag has another state.
// FindOthers is as FindClasses, without these, and removes all marks; without it they stay until the next second look,
// or until the ClassRestorer removes them. A class that cannot be marked is found again, and so are classes that were
// defined since the first look and have the right code.
void MarkFound(jvmtiEnv* jvmti, std::span<const jclass> found);
FoundClasses FindOthers(jvmtiEnv* jvmti, std::span<const jclass> loaded,
                        const std::vector<std::string>& names);

// As in class files: java/lang/Object.
std::string NameOf(jvmtiEnv* jvmti, jclass klass);
std::set<std::string> NamesOf(jvmtiEnv* jvmti, std::span<const jclass> classes);

}  // namespace iprof::vm
