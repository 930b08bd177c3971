// HashedNames: the names of methods, for hashes that say which methods a part of our section belongs to.
//
// Why a limit: a small file may have methods whose signatures name a type with a long name 257 times. Hashing them would
// take hours.
//
// Guarantees: together, the names that were appended have at most kMostBytes; those of a million real methods have a third
// of that.
// Threads: one per object. Failure: none but std::bad_alloc.
#pragma once

#include <cstddef>
#include <string>

#include "writer/profile/model.h"

namespace iprof {

class HashedNames {
 public:
  static constexpr size_t kMostBytes = size_t{512} << 20;

  // Appends the name of a method and of the types in its signature. Returns false if that is too much.
  bool Append(const Profile& profile, MethodIndex method, std::string* text) {
    size_t bytes = profile.MethodName(method).size();
    for (const TypeIndex type : profile.Signature(method))
      bytes += 1 + profile.TypeName(type).size();
    if (bytes > left_) return false;
    left_ -= bytes;
    *text += profile.MethodName(method);
    for (const TypeIndex type : profile.Signature(method)) {
      *text += ' ';
      *text += profile.TypeName(type);
    }
    return true;
  }

 private:
  size_t left_ = kMostBytes;
};

}  // namespace iprof
