#include "agent/instrument/stable_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "agent/classfile/code.h"
#include "agent/classfile/descriptor.h"
#include "writer/base/murmur3.h"
#include "writer/base/sha1.h"
#include "writer/names/type_names.h"

namespace iprof::instrument {
namespace {

using classfile::ClassFile;
using classfile::DescriptorWalk;
using classfile::MemberInfo;
using classfile::MethodCode;
using classfile::Reason;
using classfile::TypeView;

constexpr std::string_view kLambda = "$$Lambda";
constexpr std::string_view kProxy = "$Proxy";

bool AreDigits(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// A type as Java source writes it: "int", "java.lang.String", "int[][]".
void AppendSourceType(std::string_view descriptor, std::string* out) {
  const size_t dimensions = std::min(descriptor.find_first_not_of('['), descriptor.size());
  const auto element = TypeNameOf(descriptor.substr(dimensions));
  if (element) *out += *element;
  for (size_t i = 0; i < dimensions; ++i) *out += "[]";
}

// The owner of a member: a class's internal name or an array's descriptor.
void AppendOwner(std::string_view owner, std::string* out) {
  if (owner.starts_with('[')) {
    AppendSourceType(owner, out);
  } else {
    AppendSourceType(fmt::format("L{};", owner), out);
  }
}

// The parameter types, joined; leaves the result's type in `result`.
bool AppendParameters(std::string_view descriptor, std::string* out, TypeView* result) {
  DescriptorWalk walk(descriptor);
  TypeView type;
  for (bool first = true; walk.NextArgument(&type); first = false) {
    if (!first) *out += ", ";
    AppendSourceType(type.text, out);
  }
  return walk.Result(result);
}

// "a.B.run(int, java.lang.String[])void"
bool AppendMethod(std::string_view owner, std::string_view name, std::string_view descriptor,
                  std::string* out) {
  AppendOwner(owner, out);
  *out += '.';
  *out += name;
  *out += '(';
  TypeView result;
  if (!AppendParameters(descriptor, out, &result)) return false;
  *out += ')';
  AppendSourceType(result.text, out);
  return true;
}

// The calls of one method, in the order of its instructions; false where there are none.
bool AppendCalls(const ClassFile& file, const MemberInfo& method, classfile::Arena& arena,
                 std::string* out) {
  MethodCode code;
  if (code.Decode(file, method, arena) != Reason::kOk) return false;
  bool any = false;
  for (classfile::Insn i = 0; i < code.count(); ++i) {
    if (!classfile::IsInvoke(code.at(i).op)) continue;
    const auto member = code.Member(i);
    if (!member) return false;
    // A call site has no owner; a compiler interface shows its method handle's class.
    const std::string_view owner = member->owner == classfile::CpIndex::none
                                       ? "java/lang/invoke/MethodHandle"
                                       : file.pool().ClassName(member->owner);
    if (!AppendMethod(owner, member->name, member->descriptor, out)) return false;
    any = true;
  }
  return any;
}

std::string Hex(const Hash128& hash) { return fmt::format("{:016x}{:016x}", hash.low, hash.high); }

std::string Hex(const Sha1Digest& digest) {
  std::string hex;
  for (const uint8_t byte : digest) hex += fmt::format("{:02x}", byte);
  return hex;
}

// String.hashCode() of a text in UTF-8: over its UTF-16 units.
uint32_t JavaHashCode(std::string_view utf8) {
  uint32_t hash = 0;
  const auto byte = [&](size_t i) {
    return i < utf8.size() ? static_cast<uint32_t>(static_cast<unsigned char>(utf8[i])) : 0U;
  };
  const auto take = [&](uint32_t unit) { hash = hash * 31 + unit; };
  for (size_t i = 0; i < utf8.size();) {
    const uint32_t first = byte(i);
    if (first < 0x80) {
      take(first);
      i += 1;
    } else if (first < 0xe0) {
      take(((first & 0x1f) << 6) | (byte(i + 1) & 0x3f));
      i += 2;
    } else if (first < 0xf0) {
      take(((first & 0x0f) << 12) | ((byte(i + 1) & 0x3f) << 6) | (byte(i + 2) & 0x3f));
      i += 3;
    } else {
      const uint32_t above = (((first & 0x07) << 18) | ((byte(i + 1) & 0x3f) << 12) |
                              ((byte(i + 2) & 0x3f) << 6) | (byte(i + 3) & 0x3f)) -
                             0x10000;
      take(0xd800 + (above >> 10));
      take(0xdc00 + (above & 0x3ff));
      i += 4;
    }
  }
  return hash;
}

}  // namespace

NamingRule RuleForJdk(int feature_version) {
  if (feature_version < 23) return NamingRule::k17;
  return feature_version < 25 ? NamingRule::k23 : NamingRule::k25;
}

bool IsLambdaClass(const ClassFile& file) {
  if ((file.access() & classfile::kAccFinal) == 0) return false;
  const std::string_view name = file.name();
  const size_t at = name.rfind(kLambda);
  if (at == std::string_view::npos) return false;
  const std::string_view rest = name.substr(at + kLambda.size());
  return rest.empty() || (rest.front() == '$' && AreDigits(rest.substr(1)));
}

std::optional<std::string> LambdaText(const ClassFile& file, classfile::Arena& arena,
                                      NamingRule rule) {
  std::string text;
  const MemberInfo* first = nullptr;
  for (const MemberInfo& method : file.methods()) {
    constexpr uint16_t kWhich = classfile::kAccPublic | classfile::kAccBridge;
    if ((method.access & kWhich) != classfile::kAccPublic) continue;
    if (file.NameOf(method).starts_with('<')) continue;
    first = &method;
    break;
  }
  if (first == nullptr || !AppendCalls(file, *first, arena, &text)) return std::nullopt;
  if (rule != NamingRule::k17) {
    for (const MemberInfo& method : file.methods()) {
      if (file.NameOf(method) != "<init>") continue;
      TypeView result;
      if (!AppendParameters(file.DescriptorOf(method), &text, &result)) return std::nullopt;
    }
  }
  if (rule == NamingRule::k25) {
    for (const classfile::CpIndex index : file.interfaces()) {
      AppendOwner(file.pool().ClassName(index), &text);
    }
  }
  return ToUtf8(text);
}

std::optional<std::string> LambdaBaseName(const ClassFile& file, classfile::Arena& arena,
                                          NamingRule rule) {
  const auto text = LambdaText(file, arena, rule);
  if (!text) return std::nullopt;
  const std::string_view name = file.name();
  std::string made(name.substr(0, name.rfind(kLambda)));
  made += kLambda;
  return rule == NamingRule::k17 ? made + "$" + Hex(Sha1(*text))
                                 : made + ".0x" + Hex(Murmur3(*text));
}

std::string NumberedLambdaName(std::string_view base, NamingRule rule, uint32_t number) {
  if (rule != NamingRule::k17) return fmt::format("{}{}", base, number);
  return number == 0 ? std::string(base) : fmt::format("{}_{}", base, number);
}

bool IsProxyName(std::string_view internal_name) {
  const size_t slash = internal_name.rfind('/');
  const std::string_view simple =
      slash == std::string_view::npos ? internal_name : internal_name.substr(slash + 1);
  return simple.starts_with(kProxy) && AreDigits(simple.substr(kProxy.size()));
}

std::optional<ProxyFacts> ReadProxy(const ClassFile& file) {
  if (!IsProxyName(file.name()) || file.super_name() != "java/lang/reflect/Proxy" ||
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

bool IsDynamicProxyPackage(std::string_view internal_package) {
  constexpr std::string_view kOuter = "com/sun/proxy/";
  constexpr std::string_view kModule = "jdk/proxy";
  if (internal_package.starts_with(kOuter)) internal_package.remove_prefix(kOuter.size());
  return internal_package.starts_with(kModule) &&
         AreDigits(internal_package.substr(kModule.size()));
}

std::string ProxyText(const ProxyFacts& facts) {
  std::string text;
  for (const std::string& name : facts.interfaces) text += name;
  text += facts.loader.value_or("native-image-null-class-loader");
  if (!IsDynamicProxyPackage(facts.package)) text += facts.module.value_or("native-image-unnamed");
  return ToUtf8(text);
}

std::string ProxyBaseName(const ProxyFacts& facts) {
  return fmt::format("{}/{}.s{:x}", facts.package, kProxy, JavaHashCode(ProxyText(facts)));
}

std::string NumberedProxyName(std::string_view base, uint32_t number) {
  return number == 0 ? std::string(base) : fmt::format("{}_{}", base, number);
}

}  // namespace iprof::instrument
