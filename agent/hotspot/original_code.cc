#include "agent/hotspot/original_code.h"

#include <algorithm>
#include <cstring>

#include "agent/classfile/bytes.h"

namespace iprof::hotspot {
namespace {

using classfile::Format;
using classfile::LoadS4;
using classfile::LoadU2;
using classfile::Op;
using classfile::StoreU2;

constexpr uint8_t kBreakpoint = 202;
constexpr uint8_t kFirstFast = 203;
constexpr uint8_t kFastAldc = 230;
constexpr uint8_t kFastAldcW = 231;
constexpr uint8_t kMostBytesAndMore = 255;
constexpr int32_t kMostEntries = 1 << 20;
constexpr int kMostBreakpoints = 100'000;

// What the interpreter's own instructions stand for, from 203 on. The fused ones, such as
// fast_iload2, replace only the first of two instructions.
constexpr Op kStandsFor[] = {
    Op::getfield,      Op::getfield, Op::getfield, Op::getfield, Op::getfield,  // fast_agetfield …
    Op::getfield,      Op::getfield, Op::getfield,  // … fast_sgetfield
    Op::putfield,      Op::putfield, Op::putfield, Op::putfield, Op::putfield,  // fast_aputfield …
    Op::putfield,      Op::putfield, Op::putfield, Op::putfield,  // … fast_sputfield
    Op::aload_0,                                                  // fast_aload_0
    Op::aload_0,                                                  // fast_iaccess_0
    Op::aload_0,                                                  // fast_aaccess_0
    Op::aload_0,                                                  // fast_faccess_0
    Op::iload,                                                    // fast_iload
    Op::iload,                                                    // fast_iload2
    Op::iload,                                                    // fast_icaload
    Op::invokevirtual,                                            // fast_invokevfinal
    Op::lookupswitch,                                             // fast_linearswitch
    Op::lookupswitch,                                             // fast_binaryswitch
    Op::ldc,                                                      // fast_aldc
    Op::ldc_w,                                                    // fast_aldc_w
    Op::return_,                                                  // return_register_finalizer
    Op::invokevirtual,                                            // invokehandle
    Op::getfield,                                                 // nofast_getfield
    Op::putfield,                                                 // nofast_putfield
    Op::aload_0,                                                  // nofast_aload_0
    Op::iload,                                                    // nofast_iload
};

// HotSpot stores indices of its caches in the machine's order.
uint16_t NativeU2(const uint8_t* p) {
  uint16_t value;
  std::memcpy(&value, p, sizeof value);
  return value;
}

// The length of the instruction at `bci`, or 0.
uint32_t LengthAt(std::span<const uint8_t> code, uint32_t bci) {
  const uint8_t op = code[bci];
  if (op >= classfile::kOpCount) return 0;
  const uint32_t fixed = classfile::kOpInfo[op].length;
  if (fixed != 0) return fixed;
  const size_t left = code.size() - bci;
  if (Op{op} == Op::wide) {
    if (left < 2 || code[bci + 1] >= classfile::kOpCount) return 0;
    const Format widened = classfile::kOpInfo[code[bci + 1]].format;
    if (widened == Format::kIinc) return 6;
    return widened == Format::kLocal ? 4 : 0;
  }
  const uint32_t operands = ((bci + 4) & ~uint32_t{3}) - bci;
  const bool is_table = Op{op} == Op::tableswitch;
  const uint32_t head = operands + (is_table ? 12 : 8);
  if (left < head) return 0;
  const uint8_t* p = code.data() + bci + operands;
  if (!is_table) {
    const int64_t pairs = LoadS4(p + 4);
    return pairs < 0 || pairs > 8192 ? 0 : head + static_cast<uint32_t>(pairs) * 8;
  }
  const int64_t keys = int64_t{LoadS4(p + 8)} - LoadS4(p + 4) + 1;
  return keys < 1 || keys > 16384 ? 0 : head + static_cast<uint32_t>(keys) * 4;
}

// Lists the instructions; false if the code does not consist of instructions. length_at(bci) returns the
// length of the instruction there, or 0 if there is none. It may change that instruction.
template <typename GetLength>
bool Split(std::span<const uint8_t> code, std::vector<CodeInstruction>& instructions,
           GetLength length_at) {
  instructions.clear();
  instructions.reserve(code.size() / 2);
  for (uint32_t bci = 0; bci < code.size();) {
    const uint32_t length = length_at(bci);
    if (length == 0 || length > code.size() - bci) return false;
    instructions.push_back({bci, length, Op{code[bci]}});
    bci += length;
  }
  return true;
}

// Whether the constant has a kind that the instruction can name.
bool Fits(Format format, uint8_t tag) {
  constexpr uint8_t kUnresolvedClass = 100;
  constexpr uint8_t kLastInternal = 106;
  const bool is_class = tag == 7 || tag == kUnresolvedClass || tag == 103;
  switch (format) {
    case Format::kField:
      return tag == 9;
    case Format::kInvoke:
      return tag == 10 || tag == 11;
    case Format::kInvokeInterface:
      return tag == 11;
    case Format::kInvokeDynamic:
      return tag == 18;
    case Format::kMultiNewArray:
      return is_class;
    default:
      return (tag >= 3 && tag <= 8) || (tag >= 15 && tag <= 17) ||
             (tag >= kUnresolvedClass && tag <= kLastInternal);
  }
}

bool NamesClass(Op op) {
  return op == Op::new_ || op == Op::anewarray || op == Op::checkcast || op == Op:: instanceof ;
}

class Restorer {
 public:
  Restorer(const Pool& pool, const PoolCache* cache, std::span<uint8_t> code)
      : pool_(pool), cache_(cache), code_(code) {}

  bool Restore(const Breakpoints& breakpoints, std::vector<CodeInstruction>& instructions) {
    for (const auto& [bci, op] : breakpoints) {
      if (bci < code_.size() && code_[bci] == kBreakpoint) code_[bci] = op;
    }
    return Split(code_, instructions, [&](uint32_t bci) { return RestoreAt(bci); });
  }

 private:
  // Returns the instruction's length, or 0.
  uint32_t RestoreAt(uint32_t bci) {
    const uint8_t raw = code_[bci];
    if (raw < classfile::kOpCount) {
      const classfile::OpInfo& info = classfile::kOpInfo[raw];  // of most instructions, this is all
      if (info.length != 0 && !classfile::NamesConstant(info.format)) return info.length;
    } else if (raw >= kFirstFast) {
      if (cache_ == nullptr || raw - kFirstFast >= static_cast<int>(std::size(kStandsFor)))
        return 0;
      code_[bci] = static_cast<uint8_t>(kStandsFor[raw - kFirstFast]);
    }
    const uint32_t length = LengthAt(code_, bci);
    if (length == 0 || length > code_.size() - bci) return 0;
    const Op op{code_[bci]};
    const Format format = classfile::kOpInfo[code_[bci]].format;
    if (!classfile::NamesConstant(format)) return length;
    return RestoreConstant(bci, raw, op, format) ? length : 0;
  }

  bool RestoreConstant(uint32_t bci, uint8_t raw, Op op, Format format) {
    uint8_t* p = code_.data() + bci + 1;
    if (raw == kFastAldc || raw == kFastAldcW) {
      const bool is_wide = raw == kFastAldcW;
      const auto index = cache_->OfReference(is_wide ? NativeU2(p) : uint32_t{*p});
      if (is_wide) {
        StoreU2(p, index.value_or(0));
      } else {
        *p = index && *index <= kMostBytesAndMore ? static_cast<uint8_t>(*index) : uint8_t{0};
      }
      return !index || Fits(format, pool_.TagOf(*index));
    }
    if (cache_ != nullptr && !RestoreIndex(p, format)) return false;
    const uint32_t index = format == Format::kCp1 ? *p : LoadU2(p);
    const uint8_t tag = pool_.TagOf(index);
    if (NamesClass(op)) return tag == 7 || tag == 100 || tag == 103;
    return Fits(format, tag);
  }

  bool RestoreIndex(uint8_t* p, Format format) {
    std::optional<uint16_t> index;
    if (format == Format::kField) {
      index = cache_->OfField(NativeU2(p));
    } else if (format == Format::kInvoke || format == Format::kInvokeInterface) {
      index = cache_->OfMethod(NativeU2(p));
    } else if (format == Format::kInvokeDynamic) {
      uint32_t encoded;
      std::memcpy(&encoded, p, sizeof encoded);
      index = cache_->OfDynamic(EntryOfDynamic(encoded));
      p[2] = p[3] = 0;
    } else {
      return true;  // not rewritten
    }
    if (!index) return false;
    StoreU2(p, *index);
    return true;
  }

  const Pool& pool_;
  const PoolCache* cache_;
  std::span<uint8_t> code_;
};

}  // namespace

PoolCache::PoolCache(const Metadata& metadata, const Pool& pool) : memory_(&metadata.memory()) {
  const MetadataLayout& layout = metadata.layout();
  const auto length_at = [&](Address at) {
    const int32_t length = memory_->Load<int32_t>(at).value_or(0);
    return length < 0 || length > kMostEntries ? 0 : static_cast<uint32_t>(length);
  };
  const auto resolved = [&](const auto& how) {
    const Address array =
        how.size == 0 ? 0 : memory_->Load<Address>(pool.cache + how.at).value_or(0);
    if (array == 0) return Indices();
    return Indices{array + how.data + how.index, how.size, length_at(array + layout.array.length)};
  };
  fields_ = resolved(layout.cache.fields);
  methods_ = resolved(layout.cache.methods);
  dynamic_ = resolved(layout.cache.dynamic);
  if (layout.cache.entry_size != 0) {
    const Indices entries{pool.cache + layout.cache.size + layout.cache.entry_index,
                          layout.cache.entry_size, length_at(pool.cache + layout.cache.length)};
    if (layout.cache.fields.size == 0) fields_ = entries;
    if (layout.cache.methods.size == 0) methods_ = entries;
    if (layout.cache.dynamic.size == 0) dynamic_ = entries;
  }
  const Address map = memory_->Load<Address>(pool.cache + layout.cache.references).value_or(0);
  if (map != 0) {
    references_ = {map + layout.array.shorts_data, sizeof(uint16_t),
                   length_at(map + layout.array.length)};
  }
}

// Up to JDK 22 the index is inverted, so that it cannot be taken for another kind.
uint32_t EntryOfDynamic(uint32_t operand) {
  constexpr uint32_t kInverted = 0x80000000U;
  return (operand & kInverted) != 0 ? ~operand : operand;
}

Breakpoints ReadBreakpoints(const Metadata& metadata, Address klass, const ListedMethod& method) {
  const BlockCache& memory = metadata.memory();
  const auto& layout = metadata.layout().breakpoint;
  Breakpoints found;
  Address at = memory.Load<Address>(klass + metadata.layout().instance.breakpoints).value_or(0);
  for (int i = 0; at != 0 && i < kMostBreakpoints; ++i) {
    const auto op = memory.Load<uint32_t>(at + layout.bytecode);
    const auto bci = memory.Load<int32_t>(at + layout.bci);
    const auto name = memory.Load<uint16_t>(at + layout.name);
    const auto descriptor = memory.Load<uint16_t>(at + layout.signature);
    if (!op || !bci || !name || !descriptor) break;
    if (*name == method.name_index && *descriptor == method.descriptor_index && *op <= 255 &&
        *bci >= 0)
      found.emplace(static_cast<uint32_t>(*bci), static_cast<uint8_t>(*op));
    at = memory.Load<Address>(at + layout.next).value_or(0);
  }
  return found;
}

bool ReadOriginalCode(const Metadata& metadata, const ListedMethod& method, const Pool& pool,
                      const PoolCache* cache, const Breakpoints& breakpoints, OriginalCode* code) {
  std::vector<uint8_t>& bytes = code->bytes;
  std::vector<CodeInstruction>& instructions = code->instructions;
  bytes.resize(method.code_size);
  const Address from = method.code + metadata.layout().code.size;
  if (bytes.empty() || !metadata.memory().Read(from, bytes.data(), bytes.size())) return false;
  if (!Restorer(pool, cache, bytes).Restore(breakpoints, instructions)) return false;
  bool all_fit = true;
  const auto check = [&](uint32_t bci) {
    all_fit = all_fit &&
              std::binary_search(
                  instructions.begin(), instructions.end(), CodeInstruction{bci, 0, {}},
                  [](const CodeInstruction& a, const CodeInstruction& b) { return a.bci < b.bci; });
  };
  for (const CodeInstruction& insn : instructions) {
    if (!classfile::EndsBlock(insn.op)) continue;
    ForEachSuccessor(bytes, insn, check);
    if (const auto target = JumpTarget(bytes, insn)) check(*target);
  }
  return all_fit;
}

std::optional<std::vector<CodeInstruction>> SplitCode(std::span<const uint8_t> code) {
  std::vector<CodeInstruction> all;
  const auto length_at = [&](uint32_t bci) { return LengthAt(code, bci); };
  if (!Split(code, all, length_at)) return std::nullopt;
  return all;
}

Targets SuccessorBcis(std::span<const uint8_t> code, const CodeInstruction& insn) {
  Targets targets;
  ForEachSuccessor(code, insn, [&](uint32_t bci) { targets.push_back(bci); });
  return targets;
}

}  // namespace iprof::hotspot
