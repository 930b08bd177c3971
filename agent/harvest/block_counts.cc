#include "agent/harvest/block_counts.h"

#include <algorithm>

namespace iprof::hotspot {
namespace {

constexpr int kPasses = 4;  // backward edges between blocks without records are rare

uint64_t Sum(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

// `starts` is scratch memory.
void Split(std::span<const uint8_t> code, std::span<const CodeInstruction> instructions,
           std::vector<uint8_t>& starts, BlockSplit& split) {
  starts.assign(code.size() + 1, 0);  // whether a block starts at each bci
  starts[0] = 1;
  for (const CodeInstruction& insn : instructions) {
    if (!classfile::EndsBlock(insn.op)) continue;
    ForEachSuccessor(code, insn, [&](uint32_t bci) { starts[bci] = 1; });
    if (const auto target = JumpTarget(code, insn)) starts[*target] = 1;
    starts[insn.bci + insn.length] = 1;
  }
  split.instruction_at.assign(code.size(), BlockSplit::kNoInstruction);
  split.of.resize(instructions.size());
  split.last.clear();
  split.count = 0;
  for (uint32_t i = 0; i < instructions.size(); ++i) {
    const uint32_t bci = instructions[i].bci;
    split.instruction_at[bci] = i;
    if (starts[bci] != 0) {
      if (i > 0) split.last.push_back(i - 1);
      ++split.count;
    }
    split.of[i] = split.count - 1;
  }
  if (!instructions.empty()) split.last.push_back(static_cast<uint32_t>(instructions.size() - 1));
}

}  // namespace

BlockSplit SplitBlocks(std::span<const uint8_t> code,
                       std::span<const CodeInstruction> instructions) {
  std::vector<uint8_t> starts;
  BlockSplit split;
  Split(code, instructions, starts, split);
  return split;
}

uint64_t BlockCounter::Learn(std::span<const uint8_t> code,
                             std::span<const CodeInstruction> instructions,
                             std::span<const InstructionCount> counts, uint64_t entries) {
  Split(code, instructions, starts_, split_);
  const std::vector<uint32_t>& block_of = split_.of;
  blocks_.assign(split_.count, {});
  unknown_in_.clear();
  uint64_t largest = entries;
  for (const InstructionCount& record : counts) {
    Block& block = blocks_[split_.BlockAt(record.bci)];
    block.known = std::max(block.known, record.count);
    largest = std::max(largest, record.count);
  }
  size_t next = 0;
  for (const uint32_t i : split_.last) {
    const CodeInstruction& insn = instructions[i];
    const InstructionCount* record = nullptr;
    while (next < counts.size() && counts[next].bci < insn.bci) ++next;
    if (next < counts.size() && counts[next].bci == insn.bci) record = &counts[next];
    size_t s = 0;
    ForEachSuccessor(code, insn, [&](uint32_t bci) {
      Block& to = blocks_[split_.BlockAt(bci)];
      if (record != nullptr && s < record->edges.size())
        to.known_in = Sum(to.known_in, record->edges[s]);
      ++s;
    });
    if (s > 0) continue;
    if (const auto target = JumpTarget(code, insn)) {
      unknown_in_.push_back({split_.BlockAt(*target), block_of[i]});
    } else if (i + 1 < instructions.size() && !classfile::IsUnconditional(insn.op)) {
      unknown_in_.push_back({block_of[i + 1], block_of[i]});
    }
  }
  std::sort(unknown_in_.begin(), unknown_in_.end(),
            [](const Continuation& a, const Continuation& b) { return a.to < b.to; });
  return largest;
}

const std::vector<uint64_t>& BlockCounter::Count(std::span<const uint8_t> code,
                                                 std::span<const CodeInstruction> instructions,
                                                 std::span<const InstructionCount> counts,
                                                 uint64_t entries, Records records) {
  const uint64_t largest = Learn(code, instructions, counts, entries);
  block_counts_.assign(blocks_.size(), 0);
  bool changes = true;
  for (int pass = 0; pass < kPasses && changes; ++pass) {
    changes = false;
    auto continuation = unknown_in_.begin();
    for (uint32_t b = 0; b < blocks_.size(); ++b) {
      const Block& block = blocks_[b];
      uint64_t in = Sum(block.known_in, b == 0 ? entries : 0);
      for (; continuation != unknown_in_.end() && continuation->to == b; ++continuation)
        in = Sum(in, block_counts_[continuation->from]);
      uint64_t count = block.known;
      if (count == 0 || records == Records::kMaybeYounger)
        count = std::max(count, std::min(in, largest));
      if (b == 0 && records != Records::kAlone) count = std::max(count, entries);
      changes = changes || count != block_counts_[b];
      block_counts_[b] = count;
    }
  }
  result_.resize(instructions.size());
  for (size_t i = 0; i < instructions.size(); ++i) result_[i] = block_counts_[split_.of[i]];
  return result_;
}

std::vector<uint64_t> CountBlocks(std::span<const uint8_t> code,
                                  std::span<const CodeInstruction> instructions,
                                  std::span<const InstructionCount> counts, uint64_t entries,
                                  Records records) {
  BlockCounter counter;
  return counter.Count(code, instructions, counts, entries, records);
}

std::optional<uint64_t> CountEntries(std::span<const uint8_t> code,
                                     std::span<const CodeInstruction> instructions,
                                     std::span<const InstructionCount> counts) {
  const BlockSplit split = SplitBlocks(code, instructions);
  bool is_loop = false;
  for (const CodeInstruction& insn : instructions) {
    ForEachSuccessor(code, insn, [&](uint32_t bci) { is_loop = is_loop || bci == 0; });
    is_loop = is_loop || JumpTarget(code, insn) == 0U;
  }
  if (is_loop) return std::nullopt;
  uint64_t entries = 0;
  for (const InstructionCount& count : counts) {
    if (split.BlockAt(count.bci) != 0) break;
    entries = std::max(entries, count.count);
  }
  if (entries == 0) return std::nullopt;
  return entries;
}

}  // namespace iprof::hotspot
