#include "writer/report/package_fitness.h"

#include <algorithm>
#include <map>
#include <string_view>

namespace iprof {
namespace {

std::string PackageOf(std::string_view type) {
  const size_t dot = type.substr(0, type.find('/')).rfind('.');
  return dot == std::string_view::npos ? "(default)" : std::string(type.substr(0, dot));
}

std::vector<MethodUse> UsesOf(const Profile& profile) {
  std::vector<MethodUse> uses;
  std::vector<std::string_view> parameters;
  uses.reserve(profile.method_count());
  for (const MethodIndex method : MethodsOf(profile)) {
    const auto signature = profile.Signature(method);
    parameters.clear();
    for (const TypeIndex type : signature.subspan(std::min<size_t>(2, signature.size())))
      parameters.push_back(profile.TypeName(type));
    uses.emplace_back(profile.TypeName(signature[0]), profile.MethodName(method), parameters);
  }
  return uses;
}

}  // namespace

std::vector<PackageFitness> FitnessOfPackages(const Profile& profile, ImageTarget target) {
  const std::vector<MethodUse> uses = UsesOf(profile);
  std::map<std::string, PackageFitness> packages;
  std::vector<const MethodUse*> frames;
  for (const Table table : kAllTables) {
    if (table == Table::kMonitors) continue;
    for (const EntryIndex entry : EntriesOf(profile, table)) {
      const ContextIndex context = profile.EntryContext(table, entry);
      const MethodIndex innermost = profile.InnermostFrame(context).method;
      if (innermost == kNoMethod) continue;
      frames.clear();
      profile.ForEachFrame(context, [&](Frame frame) {
        if (frame.method != kNoMethod) frames.push_back(&uses[static_cast<size_t>(frame.method)]);
      });
      std::string name = PackageOf(profile.TypeName(profile.DeclaringType(innermost)));
      PackageFitness& package = packages[name];
      package.package = std::move(name);
      package.share.Add(table, frames, profile.EntryTotal(table, entry), target);
    }
  }
  std::vector<PackageFitness> result;
  for (auto& [name, package] : packages) {
    for (const Table table :
         {Table::kCalls, Table::kConditionals, Table::kVirtualInvokes, Table::kSamples}) {
      const int64_t total = profile.Total(table);
      if (total == 0) continue;
      package.weight =
          std::max(package.weight, static_cast<double>(package.share.Of(table).weight) /
                                       static_cast<double>(total));
    }
    result.push_back(std::move(package));
  }
  std::stable_sort(
      result.begin(), result.end(),
      [](const PackageFitness& a, const PackageFitness& b) { return a.weight > b.weight; });
  return result;
}

}  // namespace iprof
