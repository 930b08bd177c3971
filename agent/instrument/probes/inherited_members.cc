#include "agent/instrument/probes/inherited_members.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "agent/classfile/member_additions.h"
#include "writer/base/murmur3.h"

namespace iprof::instrument {
namespace {

using classfile::ClassFile;
using classfile::CpIndex;
using classfile::MemberInfo;
using classfile::PoolAdditions;
using classfile::Tag;

constexpr std::string_view kArray = "[J";
constexpr uint16_t kAccess =
    classfile::kAccPublic | classfile::kAccStatic | classfile::kAccSynthetic;

CpIndex Reference(Tag tag, CpIndex owner, std::string_view name, std::string_view descriptor,
                  PoolAdditions& pool) {
  const CpIndex name_and_type = pool.NameAndType(name, descriptor);
  if (name_and_type == CpIndex::none) return CpIndex::none;
  return pool.Pair(tag, classfile::Value(owner), classfile::Value(name_and_type));
}

// "iprof$X$". Two processes may have the same X, but no class file can have guessed it.
const std::string& Prefix() {
  static const std::string prefix = [] {
    const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
    const auto wall = std::chrono::system_clock::now().time_since_epoch().count();
    const uint64_t seed[] = {static_cast<uint64_t>(now), static_cast<uint64_t>(wall),
                             static_cast<uint64_t>(getpid())};
    const Hash128 hash = Murmur3({reinterpret_cast<const uint8_t*>(seed), sizeof seed});
    return fmt::format("iprof${:08x}$", hash.low & 0xffffffff);
  }();
  return prefix;
}

bool DeclaresInherited(const ClassFile& file) {
  return std::any_of(file.methods().begin(), file.methods().end(), [&](const MemberInfo& member) {
    return IsInheritedName(file.NameOf(member));
  });
}

}  // namespace

std::string InheritedFieldName(uint32_t chunk) { return Prefix() + "c" + std::to_string(chunk); }

std::string InheritedMethod::Name() const { return Prefix() + std::string(runtime_name); }

bool IsInheritedName(std::string_view member_name) { return member_name.starts_with(Prefix()); }

classfile::Reason AddInheritedMembers(const ClassFile& object, std::string_view runtime_class,
                                      bool striped, classfile::Arena& arena,
                                      classfile::ByteSpan* result) {
  if (DeclaresInherited(object)) {
    *result = object.bytes();
    return classfile::Reason::kOk;
  }
  classfile::MemberAdditions additions(object, arena);
  for (uint32_t chunk = 0; chunk < kInheritedFields; ++chunk)
    additions.AddField(kAccess | classfile::kAccFinal, InheritedFieldName(chunk), kArray);
  using Inlined = classfile::MemberAdditions::Inlined;
  for (const InheritedMethod& method : kInheritedMethods) {
    const bool counts = method == kInheritedCount || method == kInheritedCountKey;
    additions.AddForwarder(kAccess, method.Name(), method.descriptor, runtime_class,
                           method.runtime_name,
                           striped && counts ? Inlined::kOnlyC2 : Inlined::kAlways);
  }
  return additions.Finish(result);
}

CpIndex InheritedField(const ClassFile& file, uint32_t chunk, PoolAdditions& pool) {
  return Reference(Tag::kFieldref, file.this_class(), InheritedFieldName(chunk), kArray, pool);
}

CpIndex InheritedMethodRef(const ClassFile& file, const InheritedMethod& method,
                           PoolAdditions& pool) {
  const bool is_interface = (file.access() & classfile::kAccInterface) != 0;
  return Reference(Tag::kMethodref, is_interface ? file.super_class() : file.this_class(),
                   method.Name(), method.descriptor, pool);
}

}  // namespace iprof::instrument
