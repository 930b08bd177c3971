#include "agent/vm/harvest/exact_calls.h"

#include <string>
#include <vector>

#include "writer/names/type_names.h"

namespace iprof::vm {
namespace {

using hotspot::HarvestedClass;
using hotspot::HarvestedMethod;

std::optional<MethodIndex> Find(const Profile& profile, TypeIndex owner,
                                const HarvestedMethod& method) {
  const auto types = SignatureOf(method.descriptor);
  if (!types) return std::nullopt;
  std::vector<TypeIndex> signature{owner};
  for (const std::string& name : *types) {
    const auto type = profile.FindType(ToUtf8(name));
    if (!type) return std::nullopt;
    signature.push_back(*type);
  }
  return profile.FindMethod(ToUtf8(method.name), signature);
}

uint64_t CallsOf(const Profile& profile, MethodIndex method) {
  const auto context = profile.FindContext(kNoContext, method, 0);
  if (!context) return 0;
  const auto entry = profile.FindEntry(Table::kCalls, *context);
  return entry ? static_cast<uint64_t>(profile.EntryCount(Table::kCalls, *entry)) : 0;
}

}  // namespace

uint64_t SetExactCalls(const Profile& counted,
                       const std::function<bool(std::string_view)>& is_counted,
                       hotspot::HarvestedProgram& program) {
  uint64_t ran = 0;
  for (const HarvestedClass& klass : program.classes) {
    if (klass.stable_name.empty() || klass.is_array || !is_counted(klass.stable_name)) continue;
    const auto name = TypeNameOf(Descriptor("L" + std::string(klass.stable_name) + ";"));
    const auto owner = name ? counted.FindType(ToUtf8(*name)) : std::nullopt;
    for (uint32_t m = klass.first_method; m < klass.first_method + klass.methods; ++m) {
      HarvestedMethod& method = program.methods[m];
      method.is_exact = true;
      method.invocations = 0;
      if (!owner) continue;
      if (const auto found = Find(counted, *owner, method))
        method.invocations = CallsOf(counted, *found);
      if (method.invocations > 0) ++ran;
    }
  }
  return ran;
}

}  // namespace iprof::vm
