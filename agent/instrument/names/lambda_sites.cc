#include "agent/instrument/names/lambda_sites.h"

#include <cstring>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "agent/classfile/bytes.h"
#include "agent/classfile/opcodes.h"

namespace iprof::instrument {
namespace {

using classfile::AttributeView;
using classfile::AttributeWalk;
using classfile::ByteReader;
using classfile::ByteSpan;
using classfile::ClassFile;
using classfile::ConstantPool;
using classfile::CpIndex;
using classfile::Format;
using classfile::LoadS4;
using classfile::LoadU2;
using classfile::MemberInfo;
using classfile::MemberRef;
using classfile::Op;
using classfile::Tag;

constexpr std::string_view kMetafactory = "java/lang/invoke/LambdaMetafactory";

// Returns 0 if the code is damaged.
size_t InstructionLength(ByteSpan code, size_t at) {
  const uint8_t byte = code[at];
  if (byte >= classfile::kOpCount) return 0;
  const classfile::OpInfo& info = classfile::InfoOf(static_cast<Op>(byte));
  if (info.length != 0) return info.length;
  if (info.format == Format::kWide) {
    if (at + 1 >= code.size()) return 0;
    return static_cast<Op>(code[at + 1]) == Op::iinc ? 6 : 4;
  }
  const size_t operands = (at + 4) & ~size_t{3};
  const bool table = info.format == Format::kTableSwitch;
  const size_t header = table ? 12 : 8;
  if (operands + header > code.size()) return 0;
  const int64_t first = LoadS4(code.data() + operands + 4);
  const int64_t entries =
      table ? int64_t{LoadS4(code.data() + operands + 8)} - first + 1 : first * 2;
  if (entries < 0 || entries > static_cast<int64_t>(code.size())) return 0;
  return operands + header + static_cast<size_t>(entries) * 4 - at;
}

// Calls `visit` with the bci and the constant of each invokedynamic instruction, in order. Stops at
// damaged code.
template <typename Visit>
void ForEachDynamicCall(ByteSpan code, Visit visit) {
  for (size_t at = 0; at < code.size();) {
    const size_t length = InstructionLength(code, at);
    if (length == 0 || length > code.size() - at) return;
    if (static_cast<Op>(code[at]) == Op::invokedynamic)
      visit(at, CpIndex{LoadU2(code.data() + at + 1)});
    at += length;
  }
}

ByteSpan CodeOf(const ClassFile& file, const MemberInfo& method) {
  if (method.code_offset == 0) return {};
  const uint8_t* attribute = file.bytes().data() + method.code_offset;
  ByteReader reader(ByteSpan(attribute + 6, classfile::LoadU4(attribute + 2)));
  // max_stack and max_locals; classes with invokedynamic never have the old, shorter header
  reader.Skip(4);
  const uint32_t length = reader.U4();
  const uint8_t* code = reader.at();
  return reader.Skip(length) ? ByteSpan(code, length) : ByteSpan();
}

// The class file's constants and bootstrap methods, as lambdas use them.
class LambdaConstants {
 public:
  LambdaConstants(const ClassFile& file, NamingRule rule, Unboxing unboxing)
      : file_(file), pool_(file.pool()), rule_(rule), unboxing_(unboxing) {
    const uint8_t* at = file.bytes().data() + file.attributes_offset();
    AttributeWalk attributes(at + 2, LoadU2(at));
    AttributeView attribute;
    while (attributes.Next(&attribute)) {
      if (pool_.Utf8(attribute.name) == "BootstrapMethods") bootstraps_ = attribute.bytes;
    }
    ByteReader reader(bootstraps_);
    for (uint32_t left = reader.U2(); left > 0 && reader.ok(); --left) {
      starts_.push_back(reader.position());
      reader.U2();
      reader.Skip(size_t{reader.U2()} * 2);
    }
  }

  // What the lambda of the call site does; without a text if the call site makes no lambda.
  struct Lambda {
    std::string text;
    std::string_view method;  // the interface's
    classfile::LambdaShape shape;
  };
  Lambda LambdaOf(CpIndex call_site) const {
    const auto factory = pool_.Member(call_site);
    if (!factory || factory->tag != Tag::kInvokeDynamic) return {};
    const uint16_t number = pool_.FirstU2(call_site);
    if (number >= starts_.size()) return {};
    ByteReader reader(bootstraps_.subspan(starts_[number]));
    const auto bootstrap = Method(CpIndex{reader.U2()});
    if (!bootstrap || pool_.ClassName(bootstrap->member.owner) != kMetafactory) return {};
    std::vector<CpIndex> arguments(reader.U2());
    for (CpIndex& each : arguments) each = CpIndex{reader.U2()};
    if (!reader.ok() || arguments.size() < 3) return {};
    const auto target = Method(arguments[1]);
    if (!target) return {};
    classfile::LambdaShape shape{.factory = factory->descriptor,
                                 .erased = MethodType(arguments[0]),
                                 .known = MethodType(arguments[2]),
                                 .kind = target->kind,
                                 .owner = pool_.ClassName(target->member.owner),
                                 .name = target->member.name,
                                 .descriptor = target->member.descriptor,
                                 .markers = {}};
    AddMarkers(arguments, &shape);
    auto text = classfile::TextOf(
        shape, {.captured = rule_ != NamingRule::k17, .interfaces = rule_ == NamingRule::k25},
        unboxing_);
    if (!text) return {};
    return {std::move(text->text), factory->name, std::move(shape)};
  }

 private:
  struct Handle {
    uint8_t kind;
    MemberRef member;
  };

  std::optional<Handle> Method(CpIndex index) const {
    if (pool_.tag(index) != Tag::kMethodHandle) return std::nullopt;
    const uint8_t* entry = file_.bytes().data() + pool_.Offset(index);
    const auto member = pool_.Member(CpIndex{LoadU2(entry + 2)});
    if (!member) return std::nullopt;
    return Handle{entry[1], *member};
  }

  std::string_view MethodType(CpIndex index) const {
    if (pool_.tag(index) != Tag::kMethodType) return {};
    return pool_.Utf8(CpIndex{pool_.FirstU2(index)});
  }

  // altMetafactory's flags and the additional interfaces that they announce.
  void AddMarkers(const std::vector<CpIndex>& arguments, classfile::LambdaShape* shape) const {
    if (arguments.size() < 4) return;
    shape->flags = Integer(arguments[3]);
    if ((shape->flags & classfile::kLambdaHasMarkers) == 0 || arguments.size() < 5) return;
    const int32_t markers = Integer(arguments[4]);
    for (size_t i = 5; i < arguments.size() && static_cast<int64_t>(i) < 5 + int64_t{markers}; ++i)
      shape->markers.push_back(pool_.ClassName(arguments[i]));
  }

  int32_t Integer(CpIndex index) const {
    if (pool_.tag(index) != Tag::kInteger) return 0;
    return LoadS4(file_.bytes().data() + pool_.Offset(index) + 1);
  }

  const ClassFile& file_;
  const ConstantPool& pool_;
  const NamingRule rule_;
  const Unboxing unboxing_;
  ByteSpan bootstraps_;
  std::vector<size_t> starts_;  // start of each bootstrap method in bootstraps_
};

}  // namespace

std::optional<DynamicCall> FindDynamicCall(ByteSpan code, uint32_t bci) {
  DynamicCall call;
  bool found = false;
  ForEachDynamicCall(code, [&](size_t at, CpIndex) {
    if (at < bci) ++call.ordinal;
    found = found || at == bci;
    ++call.count;
  });
  if (!found) return std::nullopt;
  return call;
}

bool MayMakeLambdas(const ConstantPool& pool) {
  for (uint32_t i = 1; i < pool.count(); ++i) {
    const CpIndex index{static_cast<uint16_t>(i)};
    if (pool.tag(index) == Tag::kClass && pool.ClassName(index) == kMetafactory) return true;
  }
  return false;
}

std::vector<LambdaSite> ReadLambdaSites(const ClassFile& file, NamingRule rule, Unboxing unboxing) {
  std::vector<LambdaSite> sites;
  if (!MayMakeLambdas(file.pool())) return sites;
  const LambdaConstants constants(file, rule, unboxing);
  std::unordered_map<uint16_t, LambdaConstants::Lambda> lambdas;  // by call-site constant
  std::unordered_map<std::string_view, uint32_t> seen;
  for (const MemberInfo& method : file.methods()) {
    const ByteSpan code = CodeOf(file, method);
    if (code.empty() ||
        std::memchr(code.data(), static_cast<int>(Op::invokedynamic), code.size()) == nullptr) {
      continue;
    }
    const size_t first = sites.size();
    uint16_t count = 0;
    ForEachDynamicCall(code, [&](size_t, CpIndex index) {
      const uint16_t ordinal = count++;
      const auto [at, is_new] = lambdas.try_emplace(classfile::Value(index));
      LambdaConstants::Lambda& lambda = at->second;
      if (is_new) lambda = constants.LambdaOf(index);
      if (lambda.text.empty()) return;
      sites.push_back({&method, {ordinal, 0}, seen[lambda.text]++, lambda.method, lambda.shape});
    });
    for (size_t i = first; i < sites.size(); ++i) sites[i].call.count = count;
  }
  return sites;
}

}  // namespace iprof::instrument
