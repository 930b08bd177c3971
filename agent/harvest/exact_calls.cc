#include "agent/harvest/exact_calls.h"

#include "agent/harvest/names_in_profile.h"

namespace iprof::vm {
namespace {

using hotspot::HarvestedClass;
using hotspot::HarvestedMethod;

uint64_t CallsOf(const Profile& profile, MethodIndex method) {
  const auto context = profile.FindContext(kNoContext, method, 0);
  if (!context) return 0;
  const auto entry = profile.FindEntry(Table::kCalls, *context);
  return entry ? static_cast<uint64_t>(profile.EntryCount(Table::kCalls, *entry)) : 0;
}

}  // namespace

uint64_t SetExactCalls(const Profile& counted, std::span<const uint32_t> classes,
                       const std::function<bool(std::string_view)>& is_counted,
                       hotspot::HarvestedProgram& program) {
  uint64_t ran = 0;
  for (uint32_t c = 0; c < program.classes.size(); ++c) {
    const HarvestedClass& klass = program.classes[c];
    if (klass.stable_name.empty() || klass.is_array || !is_counted(klass.stable_name)) continue;
    const auto owner = FindClass(counted, klass);
    const bool has_counts = owner && classes[static_cast<size_t>(*owner)] == c;
    for (uint32_t m = klass.first_method; m < klass.first_method + klass.methods; ++m) {
      HarvestedMethod& method = program.methods[m];
      method.is_exact = true;
      method.invocations = 0;
      if (!has_counts) continue;
      if (const auto found = FindMethod(counted, *owner, method))
        method.invocations = CallsOf(counted, *found);
      if (method.invocations > 0) ++ran;
    }
  }
  return ran;
}

}  // namespace iprof::vm
