// ClassStore: the classes that a check has asked for, each read once, and which of them are subtypes
// of others.
//
// Guarantees: only classes that are asked for, and their supertypes, are read; they are kept until the
// end. The class path must outlive the store.
// Threads: one. Failure: a class without a readable file has a state that says so. Throws nothing but
// std::bad_alloc.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "cli/classpath/class_path.h"
#include "cli/fitness/loaded_class.h"

namespace iprof::fitness {

enum class ClassState : uint8_t {
  kFound,
  kMissing,
  kUnreadable,  // has a file, but a damaged one
  kNotAsked,    // missing, but from where the class path has nothing: not known
};

struct StoredClass {
  ClassState state = ClassState::kMissing;
  std::string problem;                  // of kUnreadable
  std::unique_ptr<LoadedClass> loaded;  // of kFound
};

enum class Subtype : uint8_t { kNo, kYes, kUnknown };

class ClassStore {
 public:
  // `has_application`: whether the class path has more than a JDK. Missing classes of a part that it
  // does not have are kNotAsked; whose part they are is then judged by their names.
  ClassStore(const classpath::ClassPath& classes, bool has_application)
      : classes_(classes), has_application_(has_application) {}

  // By a profile's name. Valid as long as the store.
  StoredClass& Find(std::string_view name);

  // Whether objects of a class are instances of another class or interface.
  Subtype IsSubtype(const std::string& name, const std::string& of);

 private:
  Subtype WalkSupertypes(const std::string& name, const std::string& of);

  const classpath::ClassPath& classes_;
  const bool has_application_;
  std::unordered_map<std::string, StoredClass> stored_;  // nodes stay where they are
  std::map<std::pair<std::string, std::string>, Subtype> subtypes_;
};

}  // namespace iprof::fitness
