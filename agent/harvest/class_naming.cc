#include "agent/harvest/class_naming.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "agent/classfile/names.h"
#include "agent/harvest/lambda_naming.h"
#include "writer/names/own_classes.h"
#include "writer/names/type_names.h"

namespace iprof::hotspot {
namespace {

// Whether HotSpot can have a class with this symbol. Memory that changes may hold any bytes.
bool IsLegal(std::string_view symbol, bool is_array) {
  if (!is_array) return classfile::IsInternalClassName(symbol);
  const size_t dimensions = std::min(symbol.find_first_not_of('['), symbol.size());
  if (dimensions == 0 || dimensions > 255) return false;
  const std::string_view element = symbol.substr(dimensions);
  if (element.size() == 1) return std::string_view("ZBSCIJFD").find(element[0]) != element.npos;
  return element.size() > 2 && element.front() == 'L' && element.back() == ';' &&
         classfile::IsInternalClassName(element.substr(1, element.size() - 2));
}

std::optional<LambdaFacts> FactsOf(Metadata& metadata, std::span<const ListedClass> listed,
                                   const HarvestedProgram& program, uint32_t lambda) {
  std::vector<std::string_view> interfaces;
  for (const uint32_t i : program.classes[lambda].interfaces) interfaces.push_back(listed[i].name);
  return LambdaFactsOf(metadata, listed[lambda], interfaces);
}

// Lambdas with one base name.
struct SameLambdas {
  LambdaFacts facts;  // of the first
  std::vector<uint32_t> classes;
};

// The copies of each loader. nullopt if a loader's may be different lambdas, or one that has another number than 0.
std::optional<std::vector<LambdaCopies>> CopiesAmong(const SameLambdas& same,
                                                     std::span<const ListedClass> listed,
                                                     LambdaLinks& links) {
  const std::vector<uint32_t>& classes = same.classes;
  std::vector<LambdaCopies> all;
  for (size_t first = 0; first < classes.size();) {
    const Address loader = listed[classes[first]].loader;
    LambdaCopies copies;
    for (; first < classes.size() && listed[classes[first]].loader == loader; ++first)
      copies.classes.push_back(classes[first]);
    if (copies.classes.size() == 1) {
      if (links.MayHaveTwin(copies.classes.front(), same.facts)) return std::nullopt;
      continue;
    }
    const auto link = links.OnlyLinkOf(copies.classes.front(), same.facts);
    if (!link) return std::nullopt;
    copies.link = *link;
    all.push_back(std::move(copies));
  }
  return all;
}

}  // namespace

std::vector<LambdaCopies> NameClasses(Metadata& metadata, std::span<const ListedClass> listed,
                                      NamingRule rule, HarvestedProgram& program) {
  std::unordered_map<std::string, SameLambdas> lambdas;
  for (uint32_t c = 0; c < listed.size(); ++c) {
    HarvestedClass& klass = program.classes[c];
    const HiddenName hidden = SplitHiddenName(listed[c].name);
    klass.name = listed[c].name;
    klass.is_hidden = !hidden.suffix.empty();
    if (klass.is_hidden) {
      klass.name = program.Keep(std::string(hidden.name) + "." + std::string(hidden.suffix));
    }
    if (!IsLegal(listed[c].name, klass.is_array)) {
      ++program.counts.left_out_classes;
      continue;
    }
    if (klass.is_array) {
      // Arrays of classes that are left out are left out with them, by their names.
      if (klass.name.find('+') == std::string_view::npos) klass.stable_name = klass.name;
      continue;
    }
    klass.is_own = IsOwnClass(InternalName(klass.name));
    if (klass.is_own) continue;
    if (IsLambdaName(InternalName(hidden.name)) && klass.is_hidden) {
      auto facts = FactsOf(metadata, listed, program, c);
      if (const auto base = facts ? LambdaBaseName(*facts, rule) : std::nullopt) {
        SameLambdas& same = lambdas[*base];
        if (same.classes.empty()) same.facts = std::move(*facts);
        same.classes.push_back(c);
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
  LambdaLinks links(metadata, listed, rule);
  std::vector<LambdaCopies> copies;
  for (const auto& [base, same] : lambdas) {
    auto found = CopiesAmong(same, listed, links);
    if (!found) {
      program.counts.unnamed_lambdas += same.classes.size();
      continue;
    }
    std::move(found->begin(), found->end(), std::back_inserter(copies));
    const std::string_view name = program.Keep(NumberedLambdaName(base, rule, 0));
    for (const uint32_t c : same.classes) program.classes[c].stable_name = name;
  }
  return copies;
}

}  // namespace iprof::hotspot
