#include "agent/instrument/table/original_class_reader.h"

#include "agent/classfile/code.h"
#include "agent/instrument/table/code_hash.h"

namespace iprof::instrument {

OriginalClass ReadOriginalClass(std::span<const uint8_t> class_file) {
  OriginalClass original;
  classfile::Arena outline;
  classfile::ClassFile file;
  if (file.Parse(class_file, outline) != classfile::Reason::kOk) return original;
  classfile::Arena scratch;
  classfile::SymbolicCode symbolic;
  for (const classfile::MemberInfo& member : file.methods()) {
    classfile::MethodCode code;
    const bool decoded =
        member.code_offset != 0 && code.Decode(file, member, scratch) == classfile::Reason::kOk;
    // If the file has no code to compare with, a method that has code now is not the same.
    original.AddMethod(file.NameOf(member), file.DescriptorOf(member),
                       decoded ? CodeHash(code, symbolic) : 0);
    scratch.Reset();
  }
  original.SetUnderstood();
  return original;
}

}  // namespace iprof::instrument
