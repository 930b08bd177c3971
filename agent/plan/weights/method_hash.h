// MethodHash: a number for a method's names, the same from a profile and from a class file.
//
// Guarantees: keeps its memory between methods. Two methods may have the same hash; the chance is one in 2^64 for a pair.
// Threads: one per object. Failure: none but std::bad_alloc.
#pragma once

#include <cstdint>
#include <string>

#include "agent/plan/branch_weights.h"
#include "writer/base/murmur3.h"
#include "writer/names/type_names.h"
#include "writer/profile/model.h"

namespace iprof::instrument {

class MethodHash {
 public:
  uint64_t Of(const Profile& profile, MethodIndex method) {
    text_.clear();
    for (const TypeIndex type : profile.Signature(method)) {
      text_.append(profile.TypeName(type)).push_back('\n');
    }
    text_.append(profile.MethodName(method));
    return Murmur3(text_).low;
  }

  uint64_t Of(const MethodNames& names) {
    text_.assign("L").append(names.klass).push_back(';');
    const auto klass = TypeNameOf(Descriptor(text_));
    const auto types = SignatureOf(names.descriptor);
    text_ = ToUtf8(klass.value_or(text_));
    text_.push_back('\n');
    if (types) {
      for (const std::string& type : *types) text_.append(ToUtf8(type)).push_back('\n');
    }
    text_.append(ToUtf8(names.name));
    return Murmur3(text_).low;
  }

 private:
  std::string text_;
};

}  // namespace iprof::instrument
