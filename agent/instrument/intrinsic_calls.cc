#include "agent/instrument/intrinsic_calls.h"

#include <string_view>

#include "agent/classfile/code.h"
#include "writer/names/intrinsic_names.h"

namespace iprof::instrument {

using classfile::ClassFile;
using classfile::MemberInfo;
using classfile::MethodCode;

namespace {

bool HasAnnotation(const ClassFile& file, const MemberInfo& method, std::string_view type_name) {
  classfile::AttributeWalk attributes = file.AttributesOf(method);
  classfile::AttributeView attribute;
  while (attributes.Next(&attribute)) {
    if (file.pool().Utf8(attribute.name) != "RuntimeVisibleAnnotations") continue;
    // Annotations can nest, but these have no elements, and HotSpot looks for them only at the top
    // level. So it is enough that the type's index occurs somewhere in the attribute.
    for (size_t i = 2; i + 1 < attribute.bytes.size(); ++i) {
      const classfile::CpIndex type{classfile::LoadU2(attribute.bytes.data() + i)};
      if (file.pool().Utf8(type) == type_name) return true;
    }
  }
  return false;
}

}  // namespace

bool IsIntrinsicCandidate(const ClassFile& file, const MemberInfo& method) {
  return HasAnnotation(file, method, "Ljdk/internal/vm/annotation/IntrinsicCandidate;");
}

bool IsForceInlined(const ClassFile& file, const MemberInfo& method) {
  return HasAnnotation(file, method, "Ljdk/internal/vm/annotation/ForceInline;");
}

namespace {

std::string KeyOf(const Callee& callee) {
  std::string key = MethodKey(InternalName(callee.owner), callee.name, callee.descriptor).text();
  key += callee.virtual_call ? 'v' : 's';
  return key;
}

}  // namespace

ClassCallees::ClassCallees(ClassRecord& klass, bool all) : klass_(klass), all_(all) {
  for (uint32_t i = 0; i < klass_.callees.size(); ++i)
    numbers_.emplace(KeyOf(klass_.callees[i]), i);
}

uint32_t ClassCallees::NumberOf(const MethodCode& code, classfile::Insn insn) {
  const auto member = code.Member(insn);
  if (!member) return kNotWanted;
  const std::string_view owner = code.file().pool().ClassName(member->owner);
  const classfile::Op op = code.at(insn).op;
  const bool is_interface = op == classfile::Op::invokeinterface;
  if (!all_ && !is_in_candidate_ && (is_interface || !MayBeIntrinsic(owner, member->name)))
    return kNotWanted;
  const Callee callee{owner, member->name, member->descriptor,
                      is_interface || op == classfile::Op::invokevirtual};
  const auto [known, is_new] =
      numbers_.try_emplace(KeyOf(callee), static_cast<uint32_t>(klass_.callees.size()));
  if (is_new) {
    klass_.callees.push_back({klass_.Keep(owner), klass_.Keep(callee.name),
                              klass_.Keep(callee.descriptor), callee.virtual_call});
  }
  return known->second;
}

}  // namespace iprof::instrument
