#include "agent/hotspot/harvest/class_naming.h"

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "agent/hotspot/harvest/lambda_naming.h"
#include "writer/names/type_names.h"

namespace iprof::hotspot {

void NameClasses(Metadata& metadata, std::span<const ListedClass> listed, NamingRule rule,
                 HarvestedProgram& program) {
  std::unordered_map<std::string, std::vector<uint32_t>> lambdas;
  for (uint32_t c = 0; c < listed.size(); ++c) {
    HarvestedClass& klass = program.classes[c];
    const HiddenName hidden = SplitHiddenName(listed[c].name);
    klass.name = listed[c].name;
    klass.is_hidden = !hidden.suffix.empty();
    if (klass.is_hidden) {
      klass.name = program.Keep(std::string(hidden.name) + "." + std::string(hidden.suffix));
    }
    if (klass.is_array) {
      // Arrays of classes that are left out are left out with them, by their names.
      if (klass.name.find('+') == std::string_view::npos) klass.stable_name = klass.name;
      continue;
    }
    if (IsLambdaName(InternalName(hidden.name)) && klass.is_hidden) {
      std::vector<std::string_view> interfaces;
      for (const uint32_t i : klass.interfaces) interfaces.push_back(listed[i].name);
      if (const auto base = LambdaNameOf(metadata, listed[c], interfaces, rule)) {
        lambdas[*base].push_back(c);
      } else {
        ++program.counts.unnamed_lambdas;
      }
    } else if (klass.is_hidden || IsLinkageClass(InternalName(klass.name)) ||
               IsProxyName(InternalName(klass.name)) ||
               IsGeneratedAccessor(Descriptor("L" + std::string(klass.name) + ";"))) {
      ++program.counts.left_out_classes;
    } else {
      klass.stable_name = klass.name;
    }
  }
  for (const auto& [base, classes] : lambdas) {
    if (classes.size() == 1) {
      program.classes[classes[0]].stable_name = program.Keep(NumberedLambdaName(base, rule, 0));
    } else {
      program.counts.unnamed_lambdas += classes.size();
    }
  }
}

}  // namespace iprof::hotspot
