#include "agent/hotspot/harvest/block_counts.h"

#include <algorithm>

namespace iprof::hotspot {
namespace {

constexpr int kPasses = 4;  // backward edges between blocks without records are rare

uint64_t Sum(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

struct Block {
  uint64_t known = 0;  // from records
  uint64_t known_in = 0;
};

// From a block that only continues in another one.
struct Continuation {
  uint32_t to, from;
};

}  // namespace

BlockSplit SplitBlocks(std::span<const uint8_t> code,
                       std::span<const CodeInstruction> instructions) {
  BlockSplit split;
  std::vector<uint32_t>& at = split.instruction_at;
  at.assign(code.size(), BlockSplit::kNoInstruction);
  for (uint32_t i = 0; i < instructions.size(); ++i) at[instructions[i].bci] = i;
  std::vector<bool> starts(instructions.size() + 1);
  starts[0] = true;
  for (uint32_t i = 0; i < instructions.size(); ++i) {
    const CodeInstruction& insn = instructions[i];
    ForEachSuccessor(code, insn, [&](uint32_t bci) { starts[at[bci]] = true; });
    if (const auto target = JumpTarget(code, insn)) starts[at[*target]] = true;
    if (classfile::IsJump(insn.op) || classfile::IsUnconditional(insn.op)) starts[i + 1] = true;
  }
  split.of.resize(instructions.size());
  for (uint32_t i = 0; i < instructions.size(); ++i) {
    if (starts[i]) ++split.count;
    split.of[i] = split.count - 1;
  }
  return split;
}

std::vector<uint64_t> CountBlocks(std::span<const uint8_t> code,
                                  std::span<const CodeInstruction> instructions,
                                  std::span<const InstructionCount> counts, uint64_t entries,
                                  Records records) {
  const BlockSplit split = SplitBlocks(code, instructions);
  const std::vector<uint32_t>& block_of = split.of;
  std::vector<Block> blocks(split.count);
  std::vector<Continuation> unknown_in;
  uint64_t largest = entries;
  size_t next = 0;
  for (uint32_t i = 0; i < instructions.size(); ++i) {
    const CodeInstruction& insn = instructions[i];
    Block& block = blocks[block_of[i]];
    const InstructionCount* record = nullptr;
    while (next < counts.size() && counts[next].bci < insn.bci) ++next;
    if (next < counts.size() && counts[next].bci == insn.bci) record = &counts[next];
    if (record != nullptr) {
      block.known = std::max(block.known, record->count);
      largest = std::max(largest, record->count);
    }
    size_t s = 0;
    ForEachSuccessor(code, insn, [&](uint32_t bci) {
      Block& to = blocks[split.BlockAt(bci)];
      if (record != nullptr && s < record->edges.size())
        to.known_in = Sum(to.known_in, record->edges[s]);
      ++s;
    });
    if (s > 0) continue;
    if (const auto target = JumpTarget(code, insn)) {
      unknown_in.push_back({split.BlockAt(*target), block_of[i]});
    } else if (i + 1 < instructions.size() && block_of[i + 1] != block_of[i] &&
               !classfile::IsUnconditional(insn.op)) {
      unknown_in.push_back({block_of[i + 1], block_of[i]});
    }
  }
  std::stable_sort(unknown_in.begin(), unknown_in.end(),
                   [](const Continuation& a, const Continuation& b) { return a.to < b.to; });
  std::vector<uint64_t> block_counts(blocks.size());
  bool changes = true;
  for (int pass = 0; pass < kPasses && changes; ++pass) {
    changes = false;
    auto continuation = unknown_in.begin();
    for (uint32_t b = 0; b < blocks.size(); ++b) {
      const Block& block = blocks[b];
      uint64_t in = Sum(block.known_in, b == 0 ? entries : 0);
      for (; continuation != unknown_in.end() && continuation->to == b; ++continuation)
        in = Sum(in, block_counts[continuation->from]);
      uint64_t count = block.known;
      if (count == 0 || records == Records::kMaybeYounger)
        count = std::max(count, std::min(in, largest));
      if (b == 0 && records != Records::kAlone) count = std::max(count, entries);
      changes = changes || count != block_counts[b];
      block_counts[b] = count;
    }
  }
  std::vector<uint64_t> result(instructions.size());
  for (size_t i = 0; i < instructions.size(); ++i) result[i] = block_counts[block_of[i]];
  return result;
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
