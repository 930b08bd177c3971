#include "agent/classfile/lambda_shape.h"

#include <array>

#include "agent/classfile/descriptor.h"

namespace iprof::classfile {
namespace {

constexpr uint8_t kInvokeStatic = 6;
constexpr uint8_t kNewInvokeSpecial = 8;

struct Wrapper {
  std::string_view descriptor;
  char primitive;
};
constexpr std::array<Wrapper, 8> kWrappers{{{"Ljava/lang/Boolean;", 'Z'},
                                            {"Ljava/lang/Byte;", 'B'},
                                            {"Ljava/lang/Character;", 'C'},
                                            {"Ljava/lang/Short;", 'S'},
                                            {"Ljava/lang/Integer;", 'I'},
                                            {"Ljava/lang/Long;", 'J'},
                                            {"Ljava/lang/Float;", 'F'},
                                            {"Ljava/lang/Double;", 'D'}}};

// The primitive type of a wrapper class; 0 for other types.
char Unwrapped(const TypeView& type) {
  for (const Wrapper& each : kWrappers) {
    if (each.descriptor == type.text) return each.primitive;
  }
  return 0;
}

bool IsReference(const TypeView& type) { return type.kind == 'L' || type.kind == '['; }

// Appends the call that converts a `from`, known to be a `known`, to a `to`: at most one.
void AppendConversion(const TypeView& from, const TypeView& to, const TypeView& known,
                      Unboxing unboxing, LambdaText* out) {
  if (from.kind == 'V' || to.kind == 'V' || IsReference(from) == IsReference(to)) return;
  ++out->calls;
  if (!IsReference(from)) {
    const char wrapper = Unwrapped(to);
    out->text += "box ";
    out->text += wrapper != 0 ? wrapper : from.kind;
    return;
  }
  const char wrapper = Unwrapped(IsReference(known) ? known : from);
  // Boolean and Character are not Numbers; each has a single such method.
  const char single = wrapper != 0 ? wrapper : to.kind;
  out->text += "unbox ";
  if (single == 'Z' || single == 'C') {
    out->text += single;
    return;
  }
  out->text += wrapper == 0 || unboxing == Unboxing::kByNumber ? 'N' : wrapper;
  out->text += to.kind;
}

struct MethodShape {
  std::vector<TypeView> parameters;
  TypeView result;
  bool ok = false;

  explicit MethodShape(std::string_view descriptor) {
    DescriptorWalk walk(descriptor);
    TypeView type;
    while (walk.NextArgument(&type)) parameters.push_back(type);
    ok = walk.Result(&result);
  }
};

// The arguments are converted, the target is called, its result is converted.
std::optional<LambdaText> CallsOf(const LambdaShape& shape, Unboxing unboxing) {
  const MethodShape captured(shape.factory);
  const MethodShape erased(shape.erased);
  const MethodShape known(shape.known);
  const MethodShape callee(shape.descriptor);
  if (!captured.ok || !erased.ok || !known.ok || !callee.ok) return std::nullopt;
  const std::string owner = "L" + std::string(shape.owner) + ";";  // for arrays: never equal
  const TypeView instance{'L', owner};
  std::vector<TypeView> taken;
  if (shape.kind != kInvokeStatic && shape.kind != kNewInvokeSpecial) taken.push_back(instance);
  taken.insert(taken.end(), callee.parameters.begin(), callee.parameters.end());
  LambdaText made{.text = {}, .calls = 1};
  for (size_t i = 0; i < erased.parameters.size() && i < known.parameters.size(); ++i) {
    const size_t at = captured.parameters.size() + i;
    if (at < taken.size())
      AppendConversion(erased.parameters[i], taken[at], known.parameters[i], unboxing, &made);
  }
  made.text += ' ';
  made.text += owner;
  made.text += shape.name;
  made.text += shape.descriptor;
  const TypeView& result = shape.kind == kNewInvokeSpecial ? instance : callee.result;
  AppendConversion(result, erased.result, erased.result, unboxing, &made);
  return made;
}

}  // namespace

Unboxing UnboxingOfJdk(int feature_version) {
  return feature_version < 24 ? Unboxing::kByWrapper : Unboxing::kByNumber;
}

std::optional<LambdaText> TextOf(const LambdaShape& shape, const LambdaDetails& details,
                                 Unboxing unboxing) {
  std::optional<LambdaText> made = CallsOf(shape, unboxing);
  if (!made) return made;
  const size_t end = shape.factory.rfind(')');
  if (details.captured) {
    made->text += " captures ";
    made->text += shape.factory.substr(0, end);
  }
  if (!details.interfaces) return made;
  made->text += " is ";
  made->text += shape.factory.substr(end + 1);
  if ((shape.flags & kLambdaIsSerializable) != 0) made->text += " serializable";
  for (const std::string_view marker : shape.markers) {
    made->text += ' ';
    made->text += marker;
  }
  return made;
}

}  // namespace iprof::classfile
