#include "agent/classfile/testing/assembled_class.h"

#include <utility>

namespace iprof::instrument {
namespace {

void U1(std::string& out, uint32_t v) { out.push_back(static_cast<char>(v & 0xff)); }
void U2(std::string& out, uint32_t v) { U1(out, v >> 8), U1(out, v); }
void U4(std::string& out, uint32_t v) { U2(out, v >> 16), U2(out, v); }

}  // namespace

AssembledClass::AssembledClass(std::string_view name, std::string_view super, uint16_t access,
                               uint16_t version)
    : this_(Class(name)),
      super_(super.empty() ? uint16_t{0} : Class(super)),
      access_(access),
      version_(version) {}

uint16_t AssembledClass::Constant(std::string bytes) {
  const auto next = static_cast<uint16_t>(pool_.size() + 1);
  const auto [found, added] = constants_.emplace(bytes, next);
  if (added) pool_.push_back(std::move(bytes));
  return found->second;
}

uint16_t AssembledClass::Utf8(std::string_view text) {
  std::string bytes;
  U1(bytes, 1), U2(bytes, static_cast<uint32_t>(text.size()));
  return Constant(bytes.append(text));
}

uint16_t AssembledClass::Class(std::string_view name) {
  const uint16_t text = Utf8(name);
  std::string bytes;
  U1(bytes, 7), U2(bytes, text);
  return Constant(std::move(bytes));
}

uint16_t AssembledClass::MethodRef(std::string_view owner, std::string_view name,
                                   std::string_view descriptor) {
  return Member(10, owner, name, descriptor);
}

uint16_t AssembledClass::FieldRef(std::string_view owner, std::string_view name,
                                  std::string_view descriptor) {
  return Member(9, owner, name, descriptor);
}

uint16_t AssembledClass::Member(uint32_t tag, std::string_view owner, std::string_view name,
                                std::string_view descriptor) {
  const uint16_t type_index = NameAndType(name, descriptor);
  const uint16_t class_index = Class(owner);
  std::string bytes;
  U1(bytes, tag), U2(bytes, class_index), U2(bytes, type_index);
  return Constant(std::move(bytes));
}

uint16_t AssembledClass::NameAndType(std::string_view name, std::string_view descriptor) {
  const uint16_t name_index = Utf8(name);
  const uint16_t descriptor_index = Utf8(descriptor);
  std::string bytes;
  U1(bytes, 12), U2(bytes, name_index), U2(bytes, descriptor_index);
  return Constant(std::move(bytes));
}

uint16_t AssembledClass::Integer(uint32_t value) {
  std::string bytes;
  U1(bytes, 3), U4(bytes, value);
  return Constant(std::move(bytes));
}

uint16_t AssembledClass::MethodType(std::string_view descriptor) {
  const uint16_t text = Utf8(descriptor);
  std::string bytes;
  U1(bytes, 16), U2(bytes, text);
  return Constant(std::move(bytes));
}

uint16_t AssembledClass::Handle(uint32_t kind, uint16_t member) {
  std::string bytes;
  U1(bytes, 15), U1(bytes, kind), U2(bytes, member);
  return Constant(std::move(bytes));
}

uint16_t AssembledClass::Bootstrap(uint16_t handle, std::initializer_list<uint16_t> arguments) {
  U2(bootstraps_, handle), U2(bootstraps_, static_cast<uint32_t>(arguments.size()));
  for (const uint16_t each : arguments) U2(bootstraps_, each);
  return bootstrap_count_++;
}

uint16_t AssembledClass::CallSite(uint16_t bootstrap, std::string_view name,
                                  std::string_view descriptor) {
  const uint16_t type_index = NameAndType(name, descriptor);
  std::string bytes;
  U1(bytes, 18), U2(bytes, bootstrap), U2(bytes, type_index);
  return Constant(std::move(bytes));
}

AssembledClass& AssembledClass::Add(Method method) {
  methods_.push_back(std::move(method));
  return *this;
}

AssembledClass& AssembledClass::AddField(uint16_t access, std::string_view name,
                                         std::string_view descriptor) {
  ++field_count_;
  U2(fields_, access), U2(fields_, Utf8(name)), U2(fields_, Utf8(descriptor)), U2(fields_, 0);
  return *this;
}

std::vector<uint8_t> AssembledClass::Bytes() {
  std::string members;
  U2(members, 0), U2(members, field_count_);  // no interfaces
  members.append(fields_);
  U2(members, static_cast<uint32_t>(methods_.size()));
  for (const Method& m : methods_) {
    U2(members, m.access), U2(members, Utf8(m.name)), U2(members, Utf8(m.descriptor));
    U2(members, (m.code.empty() ? 0 : 1) + (m.intrinsic_candidate ? 1 : 0));
    if (!m.code.empty()) {
      U2(members, Utf8("Code"));
      U4(members, static_cast<uint32_t>(12 + m.code.size() + 8 * m.handlers.size()));
      U2(members, 6), U2(members, 6), U4(members, static_cast<uint32_t>(m.code.size()));
      members.append(m.code.begin(), m.code.end());
      U2(members, static_cast<uint32_t>(m.handlers.size()));
      for (const Handler& h : m.handlers) {
        U2(members, h.from), U2(members, h.to), U2(members, h.handler), U2(members, 0);
      }
      U2(members, 0);
    }
    if (m.intrinsic_candidate) {
      U2(members, Utf8("RuntimeVisibleAnnotations")), U4(members, 6), U2(members, 1);
      U2(members, Utf8("Ljdk/internal/vm/annotation/IntrinsicCandidate;")), U2(members, 0);
    }
  }
  U2(members, bootstrap_count_ == 0 ? 0 : 1);  // class attributes
  if (bootstrap_count_ > 0) {
    U2(members, Utf8("BootstrapMethods"));
    U4(members, static_cast<uint32_t>(2 + bootstraps_.size()));
    U2(members, bootstrap_count_);
    members.append(bootstraps_);
  }

  std::string file;
  U4(file, 0xCAFEBABE), U2(file, 0), U2(file, version_);
  U2(file, static_cast<uint32_t>(pool_.size() + 1));
  for (const std::string& constant : pool_) file += constant;
  U2(file, access_), U2(file, this_), U2(file, super_);
  file += members;
  return {file.begin(), file.end()};
}

std::vector<uint8_t> Code(std::initializer_list<int> bytes) {
  std::vector<uint8_t> code;
  for (const int b : bytes) code.push_back(static_cast<uint8_t>(b & 0xff));
  return code;
}

std::vector<uint8_t> CountdownCode() {
  using classfile::Op;
  return Code({B(Op::iload_0), B(Op::ifle), 0, 9, B(Op::iinc), 0, -1, B(Op::goto_), 0xff, 0xf9,
               B(Op::iload_0), B(Op::ireturn)});
}

}  // namespace iprof::instrument
