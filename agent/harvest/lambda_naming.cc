#include "agent/harvest/lambda_naming.h"

#include <algorithm>

#include "agent/classfile/bytes.h"
#include "agent/harvest/probed_code.h"
#include "agent/hotspot/original_code.h"

namespace iprof::hotspot {
namespace {

constexpr uint16_t kAccPublic = 0x0001;
constexpr uint16_t kAccFinal = 0x0010;
constexpr uint16_t kAccBridge = 0x0040;

bool ReadCalls(Metadata& metadata, const ListedClass& klass, const ListedMethod& method,
               std::vector<LambdaFacts::Call>* calls) {
  const auto pool = metadata.ReadPool(method.pool);
  if (!pool) return false;
  std::optional<PoolCache> cache;
  if (pool->cache != 0) cache.emplace(metadata, *pool);
  OriginalCode code;
  if (!ReadOriginalCode(metadata, method, *pool, cache ? &*cache : nullptr,
                        ReadBreakpoints(metadata, klass.at, method), &code))
    return false;
  for (const CodeInstruction& insn : code.instructions) {
    if (!classfile::IsInvoke(insn.op)) continue;
    const auto member = metadata.Member(*pool, classfile::LoadU2(code.bytes.data() + insn.bci + 1));
    if (!member) return false;
    if (IsOwn(*member)) continue;  // inserted
    calls->push_back({member->owner.empty() ? "java/lang/invoke/MethodHandle" : member->owner,
                      member->name, member->descriptor});
  }
  return true;
}

}  // namespace

HiddenName SplitHiddenName(std::string_view symbol) {
  const size_t plus = symbol.rfind('+');
  if (plus == std::string_view::npos || symbol.starts_with('[')) return {symbol, {}};
  const std::string_view suffix = symbol.substr(plus + 1);
  const bool is_address = suffix.size() > 2 && suffix.starts_with("0x") &&
                          suffix.find_first_not_of("0123456789abcdef", 2) == std::string_view::npos;
  return is_address ? HiddenName{symbol.substr(0, plus), suffix} : HiddenName{symbol, {}};
}

std::optional<LambdaFacts> LambdaFactsOf(Metadata& metadata, const ListedClass& klass,
                                         std::span<const std::string_view> interfaces) {
  LambdaFacts facts;
  facts.class_name = SplitHiddenName(klass.name).name;
  if ((klass.access & kAccFinal) == 0 || !IsLambdaName(InternalName(facts.class_name)))
    return std::nullopt;
  const auto methods = metadata.MethodsOf(klass);
  if (!methods) return std::nullopt;
  // HotSpot sorts methods, so which one is the first is unknown if there are several.
  const ListedMethod* runs = nullptr;
  for (const ListedMethod& method : *methods) {
    if (method.name == "<init>") facts.constructors.push_back(method.descriptor);
    if (method.name.starts_with('<') || (method.access & (kAccPublic | kAccBridge)) != kAccPublic)
      continue;
    if (runs != nullptr) return std::nullopt;
    runs = &method;
  }
  if (runs == nullptr || facts.constructors.size() > 1) return std::nullopt;
  if (!ReadCalls(metadata, klass, *runs, &facts.calls)) return std::nullopt;
  facts.interfaces.assign(interfaces.begin(), interfaces.end());
  return facts;
}

}  // namespace iprof::hotspot
