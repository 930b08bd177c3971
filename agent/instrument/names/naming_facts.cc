#include "agent/instrument/names/naming_facts.h"

#include <algorithm>
#include <string>
#include <utility>

#include "agent/classfile/code.h"

namespace iprof::instrument {
namespace {

using classfile::ClassFile;
using classfile::MemberInfo;
using classfile::MethodCode;
using classfile::Reason;

// The method that a lambda runs, or null.
const MemberInfo* FirstPublicMethod(const ClassFile& file) {
  for (const MemberInfo& method : file.methods()) {
    constexpr uint16_t kWhich = classfile::kAccPublic | classfile::kAccBridge;
    if ((method.access & kWhich) != classfile::kAccPublic) continue;
    if (file.NameOf(method).starts_with('<')) continue;
    return &method;
  }
  return nullptr;
}

// Reads the calls of one method, in code order. Returns false if they cannot be read.
bool ReadCalls(const ClassFile& file, const MemberInfo& method, classfile::Arena& arena,
               std::vector<LambdaFacts::Call>* calls) {
  MethodCode code;
  if (code.Decode(file, method, arena) != Reason::kOk) return false;
  for (classfile::Insn i = 0; i < code.count(); ++i) {
    if (!classfile::IsInvoke(code.at(i).op)) continue;
    const auto member = code.Member(i);
    if (!member) return false;
    // A call site has no owner; a compiler sees the class of its method handle.
    const std::string_view owner = member->owner == classfile::CpIndex::none
                                       ? "java/lang/invoke/MethodHandle"
                                       : file.pool().ClassName(member->owner);
    calls->push_back({owner, member->name, member->descriptor});
  }
  return true;
}

}  // namespace

bool IsLambdaClass(const ClassFile& file) {
  return (file.access() & classfile::kAccFinal) != 0 && IsLambdaName(InternalName(file.name()));
}

std::optional<LambdaFacts> ReadLambda(const ClassFile& file, classfile::Arena& arena) {
  const MemberInfo* first = FirstPublicMethod(file);
  if (first == nullptr) return std::nullopt;
  LambdaFacts facts;
  facts.class_name = file.name();
  if (!ReadCalls(file, *first, arena, &facts.calls)) return std::nullopt;
  for (const MemberInfo& method : file.methods()) {
    if (file.NameOf(method) == "<init>") facts.constructors.push_back(file.DescriptorOf(method));
  }
  for (const classfile::CpIndex index : file.interfaces())
    facts.interfaces.push_back(file.pool().ClassName(index));
  return facts;
}

std::optional<ProxyFacts> ReadProxy(const ClassFile& file) {
  if (!IsProxyName(InternalName(file.name())) || file.super_name() != "java/lang/reflect/Proxy" ||
      (file.access() & classfile::kAccFinal) == 0) {
    return std::nullopt;
  }
  ProxyFacts facts;
  const size_t slash = file.name().rfind('/');
  if (slash != std::string_view::npos) facts.package = file.name().substr(0, slash);
  for (const classfile::CpIndex index : file.interfaces()) {
    std::string name(file.pool().ClassName(index));
    std::replace(name.begin(), name.end(), '/', '.');
    facts.interfaces.push_back(std::move(name));
  }
  return facts;
}

}  // namespace iprof::instrument
