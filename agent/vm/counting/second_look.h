// SecondLook: finds the classes of some names that have been loaded since they were looked for first.
//
// Why: the class-file hook decides what code a class gets, but the JVM lists the class only once it is loaded. One that
// was between the two at the first look has code of before a decision that came with that look.
//
// A class that takes longer to load than the time between the looks is not found. Only the program's own class
// loaders can bring that about: the JVM asks them for the superclass.
//
// Guarantees: a class that the first look found is not found again, unless its tag had another state then. Classes that
// were defined since the first look, and have the right code, are found too. The classes are marked by the state kSeen
// of their tags (ClassTag); Find removes all marks. Without Find they stay until the next SecondLook, or until the
// ClassRestorer removes them.
// Threads: the agent's thread, attached, in the live phase.
// Failure: a class that cannot be marked is found again. See also FindClasses.
#pragma once

#include <jvmti.h>

#include <span>
#include <string>
#include <vector>

#include "agent/vm/counting/named_classes.h"

namespace iprof::vm {

class SecondLook {
 public:
  // `found`: what the first look found of these names.
  SecondLook(jvmtiEnv* jvmti, std::vector<std::string> names, std::span<const jclass> found);

  // Of the classes that are loaded now.
  FoundClasses Find(std::span<const jclass> loaded) const;

 private:
  jvmtiEnv* const jvmti_;
  const std::vector<std::string> names_;
};

}  // namespace iprof::vm
