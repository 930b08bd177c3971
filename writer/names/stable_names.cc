#include "writer/names/stable_names.h"

#include <fmt/core.h>

#include <algorithm>

#include "writer/base/murmur3.h"
#include "writer/base/sha1.h"
#include "writer/names/type_names.h"

namespace iprof {
namespace {

constexpr std::string_view kLambda = "$$Lambda";
constexpr std::string_view kProxy = "$Proxy";

// A type as Java source writes it: "int", "java.lang.String", "int[][]".
void AppendSourceType(std::string_view descriptor, std::string* out) {
  const size_t dimensions = std::min(descriptor.find_first_not_of('['), descriptor.size());
  const auto element = TypeNameOf(Descriptor(descriptor.substr(dimensions)));
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

// The parameter types, joined.
void AppendParameters(const MethodTypes& types, std::string* out) {
  for (size_t i = 0; i < types.parameters.size(); ++i) {
    if (i > 0) *out += ", ";
    AppendSourceType(types.parameters[i], out);
  }
}

// "a.B.run(int, java.lang.String[])void"
bool AppendMethod(const LambdaFacts::Call& call, std::string* out) {
  const auto types = SplitDescriptor(call.descriptor);
  if (!types) return false;
  AppendOwner(call.owner, out);
  *out += '.';
  *out += call.name;
  *out += '(';
  AppendParameters(*types, out);
  *out += ')';
  AppendSourceType(types->result, out);
  return true;
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

bool IsLambdaName(InternalName internal) {
  const std::string_view internal_name = internal.text();
  const size_t at = internal_name.rfind(kLambda);
  if (at == std::string_view::npos) return false;
  const std::string_view rest = internal_name.substr(at + kLambda.size());
  return rest.empty() || (rest.front() == '$' && AreDigits(rest.substr(1)));
}

std::optional<std::string> LambdaText(const LambdaFacts& facts, NamingRule rule) {
  if (facts.calls.empty()) return std::nullopt;
  std::string text;
  for (const LambdaFacts::Call& call : facts.calls) {
    if (!AppendMethod(call, &text)) return std::nullopt;
  }
  if (rule != NamingRule::k17) {
    for (const std::string_view descriptor : facts.constructors) {
      const auto types = SplitDescriptor(descriptor);
      if (!types) return std::nullopt;
      AppendParameters(*types, &text);
    }
  }
  if (rule == NamingRule::k25) {
    for (const std::string_view name : facts.interfaces) AppendOwner(name, &text);
  }
  return ToUtf8(text);
}

std::optional<std::string> LambdaBaseName(const LambdaFacts& facts, NamingRule rule) {
  const auto text = LambdaText(facts, rule);
  if (!text) return std::nullopt;
  const std::string_view name = facts.class_name;
  std::string made(name.substr(0, name.rfind(kLambda)));
  made += kLambda;
  return rule == NamingRule::k17 ? made + "$" + Hex(Sha1(*text))
                                 : made + ".0x" + Hex(Murmur3(*text));
}

std::string NumberedLambdaName(std::string_view base, NamingRule rule, uint32_t number) {
  if (rule != NamingRule::k17) return fmt::format("{}{}", base, number);
  return number == 0 ? std::string(base) : fmt::format("{}_{}", base, number);
}

bool IsProxyName(InternalName internal) {
  const std::string_view internal_name = internal.text();
  const size_t slash = internal_name.rfind('/');
  const std::string_view simple =
      slash == std::string_view::npos ? internal_name : internal_name.substr(slash + 1);
  return simple.starts_with(kProxy) && AreDigits(simple.substr(kProxy.size()));
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

bool AreDigits(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace iprof
