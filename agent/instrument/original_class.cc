#include "agent/instrument/original_class.h"

#include <string>

#include "agent/classfile/code.h"

namespace iprof::instrument {
namespace {

uint64_t KeyOf(std::string_view name, std::string_view descriptor) {
  std::string key(name);
  return Murmur3(key.append(descriptor)).low;  // descriptors start with '(', names have none
}

}  // namespace

OriginalClass::OriginalClass(std::span<const uint8_t> class_file) {
  classfile::Arena outline;
  classfile::ClassFile file;
  if (file.Parse(class_file, outline) != classfile::Reason::kOk) return;
  understood_ = true;
  classfile::Arena scratch;
  for (const classfile::MemberInfo& member : file.methods()) {
    classfile::MethodCode code;
    const bool decoded =
        member.code_offset != 0 && code.Decode(file, member, scratch) == classfile::Reason::kOk;
    // Without code to compare it with, a method that has code now is not the same.
    code_hashes_[KeyOf(file.NameOf(member), file.DescriptorOf(member))] =
        decoded ? Murmur3(code.code()).low : 0;
    scratch.Reset();
  }
}

MethodOrigin OriginalClass::Judge(const CountedMethod& method) const {
  if (!understood_) return MethodOrigin::kChanged;
  const auto found = code_hashes_.find(KeyOf(method.name, method.descriptor));
  if (found == code_hashes_.end()) return MethodOrigin::kAdded;
  // Without probes there are no positions that could be wrong.
  const bool same = !method.rewritten || found->second == method.code_hash;
  return same ? MethodOrigin::kSame : MethodOrigin::kChanged;
}

}  // namespace iprof::instrument
