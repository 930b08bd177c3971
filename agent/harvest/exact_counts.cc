#include "agent/harvest/exact_counts.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "agent/harvest/block_counts.h"
#include "writer/names/type_names.h"

namespace iprof::vm {
namespace {

using classfile::Op;
using hotspot::CodeInstruction;
using hotspot::HarvestedClass;
using hotspot::HarvestedCode;
using hotspot::HarvestedMethod;
using hotspot::HarvestedTypes;
using hotspot::InstructionCount;
using hotspot::kNoClass;
using hotspot::OriginalCode;

// In longer code, probes may have turned a branch into its opposite and a long jump.
constexpr size_t kMostBytesWithShortJumps = INT16_MAX;

bool IsVirtual(Op op) { return op == Op::invokevirtual || op == Op::invokeinterface; }
bool IsBranch(Op op) { return classfile::IsConditionalBranch(op) || classfile::IsSwitch(op); }
uint64_t Unsigned(int64_t count) { return static_cast<uint64_t>(std::max<int64_t>(count, 0)); }

std::optional<TypeIndex> FindClass(const Profile& profile, const HarvestedClass& klass) {
  if (klass.stable_name.empty()) return std::nullopt;
  const std::string stable(klass.stable_name);
  const auto name = TypeNameOf(Descriptor(klass.is_array ? stable : "L" + stable + ";"));
  return name ? profile.FindType(ToUtf8(*name)) : std::nullopt;
}

// `owner` is the method's class.
std::optional<MethodIndex> FindMethod(const Profile& profile, TypeIndex owner,
                                      const HarvestedMethod& method) {
  const auto types = SignatureOf(method.descriptor);
  if (!types) return std::nullopt;
  std::vector<TypeIndex> signature{owner};
  for (const std::string& name : *types) {
    const auto type = profile.FindType(ToUtf8(name));
    if (!type) return std::nullopt;
    signature.push_back(*type);
  }
  return profile.FindMethod(ToUtf8(method.name), signature);
}

uint64_t CallsOf(const Profile& profile, MethodIndex method) {
  const auto context = profile.FindContext(kNoContext, method, 0);
  if (!context) return 0;
  const auto entry = profile.FindEntry(Table::kCalls, *context);
  return entry ? static_cast<uint64_t>(profile.EntryCount(Table::kCalls, *entry)) : 0;
}

// Which class of the program each type of the profile is. The program has HotSpot's own counts yet.
std::vector<uint32_t> ClassesOf(const Profile& profile, const hotspot::HarvestedProgram& program) {
  std::vector<uint32_t> classes(profile.type_count(), kNoClass);
  std::vector<uint64_t> counts(profile.type_count());
  for (uint32_t c = 0; c < program.classes.size(); ++c) {
    if (program.classes[c].is_previous_version) continue;
    const auto type = FindClass(profile, program.classes[c]);
    if (!type) continue;
    const auto t = static_cast<size_t>(*type);
    const uint64_t counted = hotspot::CountsOf(program, program.classes[c]);
    if (classes[t] != kNoClass && counted <= counts[t]) continue;
    classes[t] = c;
    counts[t] = counted;
  }
  return classes;
}

class SiteFiller {
 public:
  SiteFiller(const Profile& counted, std::span<const uint32_t> classes,
             const ToClassFile& to_class_file, hotspot::HarvestedProgram& program)
      : counted_(counted), to_class_file_(to_class_file), program_(program), classes_(classes) {}

  void Run(const std::function<bool()>& stops) {
    const std::span<const HarvestedCode> codes(program_.codes);
    for (size_t first = 0; first < codes.size();) {
      if (stops && stops()) return;
      size_t end = first;
      while (end < codes.size() && ClassOf(codes[end]) == ClassOf(codes[first])) ++end;
      FillClass(ClassOf(codes[first]), codes.subspan(first, end - first));
      first = end;
    }
  }

 private:
  uint32_t ClassOf(const HarvestedCode& code) const { return program_.methods[code.method].klass; }

  void FillClass(uint32_t klass, std::span<const HarvestedCode> codes) {
    const auto owner = FindClass(counted_, program_.classes[klass]);
    if (!owner || classes_[static_cast<size_t>(*owner)] != klass) return;
    const std::string descriptor = "L" + std::string(program_.classes[klass].name) + ";";
    std::vector<RunningSite> sites;
    std::vector<size_t> ends;  // by code
    for (const HarvestedCode& code : codes) {
      const HarvestedMethod& method = program_.methods[code.method];
      for (const CodeInstruction& insn : code.code.instructions) {
        if (IsVirtual(insn.op) || IsBranch(insn.op))
          sites.push_back({descriptor, method.name, method.descriptor, static_cast<Bci>(insn.bci),
                           CodeStamp::Of(static_cast<uint32_t>(code.code.bytes.size()), false)});
      }
      ends.push_back(sites.size());
    }
    to_class_file_(sites);
    const std::span<const RunningSite> all(sites);
    for (size_t c = 0, first = 0; c < codes.size(); first = ends[c++]) {
      HarvestedMethod& method = program_.methods[codes[c].method];
      if (!method.is_exact) continue;
      if (const auto found = FindMethod(counted_, *owner, method))
        FillMethod(*found, codes[c].code, all.subspan(first, ends[c] - first), method);
    }
  }

  void FillMethod(MethodIndex index, const OriginalCode& code, std::span<const RunningSite> sites,
                  HarvestedMethod& method) {
    std::vector<InstructionCount> counts;
    std::vector<HarvestedTypes> types;
    auto site = sites.begin();
    for (const CodeInstruction& insn : code.instructions) {
      if (!IsVirtual(insn.op) && !IsBranch(insn.op)) continue;
      const std::optional<Bci> bci = (site++)->original;
      if (!bci) return;
      const auto context = counted_.FindContext(kNoContext, index, *bci);
      if (!context) continue;
      InstructionCount count{.bci = insn.bci, .count = 0, .edges = {}};
      if (IsVirtual(insn.op)) {
        AddReceivers(*context, count, types);
      } else {
        AddOutcomes(*context, code, insn, count);
      }
      if (count.count > 0) counts.push_back(std::move(count));
    }
    if (counts.empty() && method.invocations == 0) return;  // not in the profile
    KeepOthers(method.types, types);
    method.types = std::move(types);
    FillCalls(code, counts, method);
  }

  void AddReceivers(ContextIndex context, InstructionCount& count,
                    std::vector<HarvestedTypes>& types) const {
    const auto entry = counted_.FindEntry(Table::kVirtualInvokes, context);
    if (!entry) return;
    HarvestedTypes made{.bci = count.bci, .is_call = true, .rows = {}};
    for (const TypeCount& one : counted_.EntryTypeCounts(Table::kVirtualInvokes, *entry)) {
      const uint32_t klass = classes_[static_cast<size_t>(one.type)];
      if (klass == kNoClass) {
        made.lost += Unsigned(one.count);  // without a stable name here, or unloaded
      } else if (one.count > 0) {
        made.rows.emplace_back(klass, Unsigned(one.count));
      }
    }
    count.count = Unsigned(counted_.EntryTotal(Table::kVirtualInvokes, *entry));
    if (count.count > 0) types.push_back(std::move(made));
  }

  void AddOutcomes(ContextIndex context, const OriginalCode& code, const CodeInstruction& insn,
                   InstructionCount& count) const {
    const auto entry = counted_.FindEntry(Table::kConditionals, context);
    if (!entry) return;
    count.count = Unsigned(counted_.EntryTotal(Table::kConditionals, *entry));
    // Outcomes with the same target are one in the profile, and which is which is unknown here.
    const std::span<const Successor> outcomes = counted_.EntrySuccessors(*entry);
    if (outcomes.size() != hotspot::SuccessorBcis(code.bytes, insn).size()) return;
    if (code.bytes.size() > kMostBytesWithShortJumps) return;
    for (const Successor& outcome : outcomes) count.edges.push_back(Unsigned(outcome.count));
  }

  // HotSpot's rows at sites that the profile does not have.
  static void KeepOthers(std::vector<HarvestedTypes>& from, std::vector<HarvestedTypes>& types) {
    const auto by_bci = [](const HarvestedTypes& a, const HarvestedTypes& b) {
      return a.bci < b.bci;
    };
    const size_t exact = types.size();
    for (HarvestedTypes& one : from) {
      if (!std::binary_search(types.begin(), types.begin() + static_cast<ptrdiff_t>(exact), one,
                              by_bci))
        types.push_back(std::move(one));
    }
    std::sort(types.begin(), types.end(), by_bci);
  }

  static void FillCalls(const OriginalCode& code, const std::vector<InstructionCount>& counts,
                        HarvestedMethod& method) {
    const hotspot::BlockSplit split = hotspot::SplitBlocks(code.bytes, code.instructions);
    std::vector<uint64_t> own(split.count);  // of each block, from its own counts
    if (!own.empty()) own[0] = method.invocations;
    for (const InstructionCount& count : counts) {
      uint64_t& block = own[split.BlockAt(count.bci)];
      block = std::max(block, count.count);
    }
    const std::vector<uint64_t> flow =
        hotspot::CountBlocks(code.bytes, code.instructions, counts, method.invocations);
    const bool is_complete = HasOutcomesOfAll(code, counts, flow);
    for (hotspot::HarvestedCall& call : method.calls) {
      const uint32_t at = split.instruction_at[call.bci];
      const uint64_t executed = std::max(own[split.of[at]], is_complete ? flow[at] : 0);
      if (executed > 0) call.exact_count = executed;
    }
  }

  // Whether the outcomes of all branches are known that were executed.
  static bool HasOutcomesOfAll(const OriginalCode& code,
                               const std::vector<InstructionCount>& counts,
                               const std::vector<uint64_t>& flow) {
    auto count = counts.begin();
    for (size_t i = 0; i < code.instructions.size(); ++i) {
      const CodeInstruction& insn = code.instructions[i];
      if (!IsBranch(insn.op) || flow[i] == 0) continue;
      while (count != counts.end() && count->bci < insn.bci) ++count;
      if (count == counts.end() || count->bci != insn.bci || count->edges.empty()) return false;
    }
    return true;
  }

  const Profile& counted_;
  const ToClassFile& to_class_file_;
  hotspot::HarvestedProgram& program_;
  const std::span<const uint32_t> classes_;  // by type; kNoClass: none
};

}  // namespace

ExactCounts::ExactCounts(const Profile& counted, std::function<bool(std::string_view)> is_counted)
    : counted_(counted), is_counted_(std::move(is_counted)), has_counts_(counted.method_count()) {
  for (const Table table : {Table::kCalls, Table::kConditionals, Table::kVirtualInvokes}) {
    for (const EntryIndex entry : EntriesOf(counted, table)) {
      const MethodIndex method = counted.InnermostFrame(counted.EntryContext(table, entry)).method;
      if (method != kNoMethod && counted.EntryTotal(table, entry) > 0)
        has_counts_[static_cast<size_t>(method)] = true;
    }
  }
}

bool ExactCounts::NeedsCodeOf(const HarvestedClass& klass, const HarvestedMethod& method) const {
  if (!is_counted_(klass.stable_name)) return false;
  const auto owner = FindClass(counted_, klass);
  const auto found = owner ? FindMethod(counted_, *owner, method) : std::nullopt;
  return found && has_counts_[static_cast<size_t>(*found)];
}

uint64_t ExactCounts::FillCalls(hotspot::HarvestedProgram& program) {
  classes_ = ClassesOf(counted_, program);
  uint64_t ran = 0;
  for (uint32_t c = 0; c < program.classes.size(); ++c) {
    const HarvestedClass& klass = program.classes[c];
    if (klass.stable_name.empty() || klass.is_array || !is_counted_(klass.stable_name)) continue;
    const auto owner = FindClass(counted_, klass);
    const bool has_counts = owner && classes_[static_cast<size_t>(*owner)] == c;
    for (uint32_t m = klass.first_method; m < klass.first_method + klass.methods; ++m) {
      HarvestedMethod& method = program.methods[m];
      method.is_exact = true;
      method.invocations = 0;
      if (!has_counts) continue;
      if (const auto found = FindMethod(counted_, *owner, method))
        method.invocations = CallsOf(counted_, *found);
      if (method.invocations > 0) ++ran;
    }
  }
  return ran;
}

void ExactCounts::FillSites(const ToClassFile& to_class_file, const std::function<bool()>& stops,
                            hotspot::HarvestedProgram& program) const {
  SiteFiller(counted_, classes_, to_class_file, program).Run(stops);
}

}  // namespace iprof::vm
