#include "agent/instrument/names/lambda_code.h"

#include <vector>

#include "agent/classfile/descriptor.h"

namespace iprof::instrument {
namespace {

using classfile::TypeView;

// Kinds of a method handle.
constexpr uint8_t kInvokeVirtual = 5;
constexpr uint8_t kInvokeStatic = 6;
constexpr uint8_t kNewInvokeSpecial = 8;
constexpr uint8_t kInvokeInterface = 9;

// Lengths of instructions.
constexpr uint32_t kNewAndDup = 4;
constexpr uint32_t kLoadField = 4;  // aload_0, getfield
constexpr uint32_t kCast = 3;

bool IsReference(const TypeView& type) { return type.kind == 'L' || type.kind == '['; }

// Of the instruction that loads a local variable.
uint32_t LoadLength(uint32_t local) {
  constexpr uint32_t kShortForms = 4;
  constexpr uint32_t kOneByte = 256;
  if (local < kShortForms) return 1;
  return local < kOneByte ? 2 : 4;
}

std::optional<std::vector<TypeView>> ParametersOf(std::string_view descriptor) {
  std::vector<TypeView> types;
  classfile::DescriptorWalk walk(descriptor);
  TypeView type;
  while (walk.NextArgument(&type)) types.push_back(type);
  if (!walk.Result(&type)) return std::nullopt;
  return types;
}

uint32_t CastLength(std::string_view from, std::string_view to) {
  return from == to || to == "Ljava/lang/Object;" ? 0 : kCast;
}

// Where the target is called: behind captured values and converted parameters.
std::optional<uint32_t> CallBci(const classfile::LambdaShape& shape) {
  const auto captured = ParametersOf(shape.factory);
  const auto erased = ParametersOf(shape.erased);
  const auto known = ParametersOf(shape.known);
  const auto callee = ParametersOf(shape.descriptor);
  if (!captured || !erased || !known || !callee || known->size() != erased->size())
    return std::nullopt;
  const std::string owner = "L" + std::string(shape.owner) + ";";
  std::vector<TypeView> taken;
  if (shape.kind != kInvokeStatic && shape.kind != kNewInvokeSpecial) taken.push_back({'L', owner});
  taken.insert(taken.end(), callee->begin(), callee->end());
  if (taken.size() != captured->size() + erased->size()) return std::nullopt;
  uint32_t bci = shape.kind == kNewInvokeSpecial ? kNewAndDup : 0;
  bci += kLoadField * static_cast<uint32_t>(captured->size());
  uint32_t local = 1;
  for (size_t i = 0; i < erased->size(); ++i) {
    const TypeView& from = (*erased)[i];
    const TypeView& to = taken[captured->size() + i];
    bci += LoadLength(local);
    local += static_cast<uint32_t>(from.slots());
    if (IsReference(from) && IsReference(to) && IsReference((*known)[i])) {
      bci += CastLength(from.text, (*known)[i].text) + CastLength((*known)[i].text, to.text);
    } else if (from.kind != to.kind) {
      return std::nullopt;  // a primitive value is converted
    }
  }
  return bci;
}

}  // namespace

std::optional<LambdaCode> LambdaCodeOf(std::string_view host, const LambdaSite& site,
                                       NamingRule rule) {
  const classfile::LambdaShape& shape = site.shape;
  const auto text = classfile::TextOf(shape, {}, Unboxing::kByWrapper);
  const auto bci = CallBci(shape);
  if (!text || text->calls != 1 || !bci) return std::nullopt;
  const size_t end = shape.factory.rfind(')');
  const std::string_view interface = shape.factory.substr(end + 1);
  if (!Descriptor(interface).IsClass()) return std::nullopt;
  if (rule == NamingRule::k25 && (shape.flags & classfile::kLambdaIsSerializable) != 0)
    return std::nullopt;
  const std::string class_name = std::string(host) + "$$Lambda";
  const std::string constructor = std::string(shape.factory.substr(0, end + 1)) + "V";
  LambdaFacts facts{.class_name = class_name,
                    .calls = {{shape.owner, shape.name, shape.descriptor}},
                    .constructors = {constructor},
                    .interfaces = {Descriptor(interface).ClassName().text()}};
  facts.interfaces.insert(facts.interfaces.end(), shape.markers.begin(), shape.markers.end());
  const auto base = LambdaBaseName(facts, rule);
  if (!base) return std::nullopt;
  const bool is_virtual = shape.kind == kInvokeVirtual || shape.kind == kInvokeInterface;
  return LambdaCode{.class_name = NumberedLambdaName(*base, rule, site.number),
                    .method = site.interface_method,
                    .descriptor = shape.erased,
                    .bci = *bci,
                    .callee = {shape.owner, shape.name, shape.descriptor, is_virtual}};
}

}  // namespace iprof::instrument
