#include "writer/names/generated_names.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "writer/names/type_names.h"

namespace iprof {
namespace {

constexpr std::string_view kLambda = "$$Lambda";
constexpr std::string_view kProxy = "$Proxy";
constexpr std::string_view kSecondStart = "/0x";
constexpr size_t kSha1Digits = 40;
constexpr size_t kMurmur3Digits = 32;

bool AreAll(std::string_view text, std::string_view allowed) {
  return text.find_first_not_of(allowed) == std::string_view::npos;
}
bool AreHex(std::string_view text) { return !text.empty() && AreAll(text, "0123456789abcdef"); }

// "$<SHA-1>", which "_1" may follow.
bool IsFirstForm(std::string_view suffix) {
  if (!suffix.starts_with('$')) return false;
  suffix.remove_prefix(1);
  if (!AreHex(suffix.substr(0, kSha1Digits)) || suffix.size() < kSha1Digits) return false;
  suffix.remove_prefix(kSha1Digits);
  return suffix.empty() || (suffix.front() == '_' && AreDigits(suffix.substr(1)));
}

// "/0x<MurmurHash3><number>"
bool IsSecondForm(std::string_view suffix) {
  if (!suffix.starts_with(kSecondStart)) return false;
  suffix.remove_prefix(kSecondStart.size());
  return suffix.size() > kMurmur3Digits && AreHex(suffix.substr(0, kMurmur3Digits)) &&
         AreDigits(suffix.substr(kMurmur3Digits));
}

// "$Proxy/s<hash>", which "_1" may follow.
bool IsStableProxy(std::string_view simple) {
  constexpr std::string_view kStart = "$Proxy/s";
  if (!simple.starts_with(kStart)) return false;
  simple.remove_prefix(kStart.size());
  const size_t number = std::min(simple.find('_'), simple.size());
  return AreHex(simple.substr(0, number)) &&
         (number == simple.size() || AreDigits(simple.substr(number + 1)));
}

}  // namespace

GeneratedName ReadGeneratedName(ProfileName profile_name) {
  const std::string_view name = profile_name.text();
  if (name.starts_with('[')) return {};
  const size_t lambda = name.rfind(kLambda);
  if (lambda != std::string_view::npos) {
    const std::string_view suffix = name.substr(lambda + kLambda.size());
    const std::string_view host = name.substr(0, lambda);
    if (IsFirstForm(suffix)) return {GeneratedKind::kLambda, host, suffix.substr(1 + kSha1Digits)};
    if (IsSecondForm(suffix)) {
      const std::string_view number = suffix.substr(kSecondStart.size() + kMurmur3Digits);
      return {GeneratedKind::kLambda23, host, number == "0" ? std::string_view() : number};
    }
    // HotSpot: $$Lambda$14/0x0000000800c03000, $$Lambda/0x00007f3c4c001000.
    if (suffix.find('/') != std::string_view::npos) return {GeneratedKind::kUnstable, host, {}};
  }
  const size_t slash = name.find('/');
  const std::string_view before = name.substr(0, slash);
  const size_t dot = before.rfind('.');
  const std::string_view simple = dot == std::string_view::npos ? name : name.substr(dot + 1);
  if (IsStableProxy(simple)) return {GeneratedKind::kProxy, {}, {}};
  if (simple.starts_with(kProxy) && AreDigits(simple.substr(kProxy.size()))) {
    return {GeneratedKind::kUnstable, {}, {}};
  }
  if (slash != std::string_view::npos) return {GeneratedKind::kOther, {}, {}};
  std::string descriptor = "L" + std::string(name) + ";";
  std::replace(descriptor.begin(), descriptor.end(), '.', '/');
  if (IsGeneratedAccessor(Descriptor(descriptor))) return {GeneratedKind::kOther, {}, {}};
  return {};
}

bool IsMadeAtRunTime(ProfileName name) {
  constexpr std::string_view kMarks[] = {
      "$$EnhancerBy", "$$FastClass",   "$$KeyFactoryBy", "$$BulkBeanBy",    "$$SpringCGLIB$$",
      "CGLIB$$",      "$Hibernate",    "$ByteBuddy$",    "$auxiliary$",     "$MockitoMock$",
      "_$$_jvst",     "_$$_javassist", "$_$$_Weld",      "$Access4Jackson", "$JaxbAccessor"};
  constexpr std::string_view kOfMethodHandles[] = {"java.lang.invoke.BoundMethodHandle$Species_",
                                                   "java.lang.invoke.SimpleMethodHandle"};
  const std::string_view text = name.text();
  return std::any_of(std::begin(kMarks), std::end(kMarks),
                     [&](std::string_view mark) { return text.find(mark) != text.npos; }) ||
         std::any_of(std::begin(kOfMethodHandles), std::end(kOfMethodHandles),
                     [&](std::string_view start) { return text.starts_with(start); });
}

bool NamesFit(GeneratedKind kind, NamingRule rule) {
  switch (kind) {
    case GeneratedKind::kLambda:
      return rule == NamingRule::k17;
    case GeneratedKind::kLambda23:
      return rule != NamingRule::k17;
    case GeneratedKind::kProxy:
      return true;
    default:
      return false;
  }
}

}  // namespace iprof
