#include "agent/classfile/descriptor.h"

namespace iprof::classfile {

bool TakeType(std::string_view* rest, TypeView* out) {
  const std::string_view s = *rest;
  size_t at = 0;
  while (at < s.size() && s[at] == '[') ++at;
  if (at >= s.size() || at > 255) return false;
  const char kind = s[at];
  switch (kind) {
    case 'B':
    case 'C':
    case 'D':
    case 'F':
    case 'I':
    case 'J':
    case 'S':
    case 'Z':
      ++at;
      break;
    case 'V':
      if (at != 0) return false;
      ++at;
      break;
    case 'L': {
      const size_t end = s.find(';', at);
      if (end == std::string_view::npos || end == at + 1) return false;
      at = end + 1;
      break;
    }
    default:
      return false;
  }
  out->kind = s[0] == '[' ? '[' : kind;
  out->text = s.substr(0, at);
  rest->remove_prefix(at);
  return true;
}

DescriptorWalk::DescriptorWalk(std::string_view text) : rest_(text) {
  ok_ = !rest_.empty() && rest_[0] == '(';
  if (ok_) rest_.remove_prefix(1);
}

bool DescriptorWalk::NextArgument(TypeView* out) {
  if (!ok_ || (!rest_.empty() && rest_[0] == ')')) return false;
  ok_ = TakeType(&rest_, out) && out->kind != 'V';
  return ok_;
}

bool DescriptorWalk::Result(TypeView* out) {
  if (!ok_ || rest_.empty() || rest_[0] != ')') return false;
  rest_.remove_prefix(1);
  return TakeType(&rest_, out) && rest_.empty();
}

MethodSlots CountSlots(std::string_view descriptor) {
  MethodSlots slots;
  DescriptorWalk walk(descriptor);
  TypeView type;
  while (walk.NextArgument(&type)) slots.arguments += type.slots();
  if (!walk.Result(&type)) return slots;
  slots.result = type.slots();
  slots.ok = slots.arguments <= 255;
  return slots;
}

int FieldSlots(std::string_view descriptor) {
  TypeView type;
  if (!TakeType(&descriptor, &type) || !descriptor.empty() || type.kind == 'V') return -1;
  return type.slots();
}

}  // namespace iprof::classfile
