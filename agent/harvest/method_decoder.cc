#include "agent/harvest/method_decoder.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "agent/classfile/bytes.h"
#include "agent/harvest/counter_wrap.h"
#include "agent/harvest/guessed_blocks.h"
#include "agent/harvest/trivial_code.h"

namespace iprof::hotspot {
namespace {

constexpr uint64_t kMostCount = uint64_t{1} << 62;
constexpr uint16_t kAccStatic = 0x0008;
constexpr uint64_t kManyEntries = 200;    // whose counts need no guess beside them
constexpr double kSmallestGuess = 0.001;  // of a call that was not counted

// The items in memory that is just large enough. Leaves the list empty, with its memory.
template <typename T>
std::vector<T> TakeOut(std::vector<T>& list) {
  std::vector<T> taken(std::make_move_iterator(list.begin()), std::make_move_iterator(list.end()));
  list.clear();
  return taken;
}

}  // namespace

const char* MethodDecoder::Decode(const ReadMethodData& data) {
  if (!data.is_readable) return "it cannot be read";
  const auto records = SplitMethodData(data.words, shape_);
  const Pool* pool = PoolOf(data.listed.pool);
  if (!records || pool == nullptr) return "its records do not end where its data ends";
  const OriginalCode* const code = CodeOf(data, *pool);
  if (code == nullptr) return "its bytecode is not understood";
  HarvestedMethod method = program_.methods[data.method];
  sites_without_rows_ = checks_unknown_ = 0;
  if (!Fill(*code, *records, *pool, method)) return "its records do not fit its bytecode";
  method.has_probes = agent_is_loaded_ && HasProbes(metadata_, *pool, *code);
  if (method.has_probes) {
    method.branches.clear();
    sites_without_rows_ = checks_unknown_ = 0;
    const HarvestedClass& klass = program_.classes[method.klass];
    if (!klass.is_own) {  // the agent's own classes refer to each other
      ++program_.counts.with_probes;
      if (klass.is_hidden) ++program_.counts.hidden_with_probes;
    }
  } else {
    method.code_hash = HashOf(data, *pool, *code);
  }
  program_.methods[data.method] = std::move(method);
  AddHandleCalls(data, *pool);
  program_.counts.sites_without_rows += sites_without_rows_;
  program_.counts.checks_unknown += checks_unknown_;
  return nullptr;
}

void MethodDecoder::GuessCalls(const ReadMethodData& method) {
  const Pool* pool = PoolOf(method.listed.pool);
  if (pool == nullptr) return;
  const OriginalCode* const code = CodeOf(method, *pool);
  if (code == nullptr) return;
  HarvestedMethod guessed = program_.methods[method.method];
  guessed.data_invocations = std::max<uint64_t>(guessed.invocations, 1);
  const std::vector<uint64_t> blocks = GuessBlocks(
      code->bytes, code->instructions, guessed.data_invocations, method.listed.back_edges);
  if (!FindCalls(*code, blocks, *pool)) return;
  guessed.calls = TakeOut(calls_);
  program_.methods[method.method] = std::move(guessed);
  AddHandleCalls(method, *pool);
}

std::optional<bool> MethodDecoder::HasTrivialCode(const ReadMethodData& method) {
  const Pool* pool = PoolOf(method.listed.pool);
  if (pool == nullptr) return std::nullopt;
  const OriginalCode* const code = CodeOf(method, *pool);
  if (code == nullptr) return std::nullopt;
  return IsTrivial(*code, method.listed.descriptor, (method.listed.access & kAccStatic) != 0);
}

uint64_t MethodDecoder::KeepCode(const ReadMethodData& method) {
  const Pool* pool = PoolOf(method.listed.pool);
  if (pool == nullptr) return 0;
  if (CodeOf(method, *pool) == nullptr) return 0;
  const std::vector<uint64_t> listed(code_.instructions.size(), 1);
  if (!FindCalls(code_, listed, *pool) || calls_.empty()) return 0;
  HarvestedMethod& known = program_.methods[method.method];
  auto counted = known.calls.begin();
  for (HarvestedCall& call : calls_) {
    call.block_count = 0;
    while (counted != known.calls.end() && counted->bci < call.bci) ++counted;
    if (counted != known.calls.end() && counted->bci == call.bci) call = *counted;
  }
  known.calls = TakeOut(calls_);
  const uint64_t kept = known.calls.size() * sizeof(HarvestedCall) + sizeof(HarvestedCode) +
                        code_.bytes.size() + code_.instructions.size() * sizeof(CodeInstruction);
  program_.codes.push_back({method.method, code_});
  return kept;
}

const OriginalCode* MethodDecoder::CodeOf(const ReadMethodData& method, const Pool& pool) {
  if (pool.cache != 0 && !pool_cache_) pool_cache_.emplace(metadata_, pool);
  const bool is_read =
      ReadOriginalCode(metadata_, method.listed, pool, pool_cache_ ? &*pool_cache_ : nullptr,
                       ReadBreakpoints(metadata_, method.klass, method.listed), &code_);
  return is_read ? &code_ : nullptr;
}

std::string_view MethodDecoder::OwnNameOf(Address klass) {
  const auto symbol = metadata_.memory().Load<Address>(klass + metadata_.layout().klass.name);
  return metadata_.Symbol(symbol.value_or(0)).value_or(std::string_view());
}

uint64_t MethodDecoder::HashOf(const ReadMethodData& data, const Pool& pool,
                               const OriginalCode& code) {
  if (hashed_pool_ != data.listed.pool || hashed_klass_ != data.klass) {
    hasher_.Start(pool, OwnNameOf(data.klass));
    hashed_pool_ = data.listed.pool;
    hashed_klass_ = data.klass;
  }
  return hasher_.Hash(pool, code);
}

const Pool* MethodDecoder::PoolOf(Address at) {
  if (at != pool_at_) {
    pool_ = metadata_.ReadPool(at);
    pool_at_ = at;
    pool_cache_.reset();
  }
  return pool_ ? &*pool_ : nullptr;
}

bool MethodDecoder::Fill(const OriginalCode& code, const std::vector<DataRecord>& records,
                         const Pool& pool, HarvestedMethod& method) {
  const std::vector<CodeInstruction>& instructions = code.instructions;
  branches_.clear();
  types_.clear();
  counts_.clear();
  size_t at = 0;
  uint64_t largest = 0;
  for (const DataRecord& record : records) {
    while (at < instructions.size() && instructions[at].bci < record.bci) ++at;
    if (at == instructions.size() || instructions[at].bci != record.bci) return false;
    const CodeInstruction& insn = instructions[at];
    if (!FitsInstruction(record.tag, insn.op)) return false;
    InstructionCount count{.bci = record.bci, .count = 0, .edges = ReadEdges(record)};
    if (!AddBranch(code.bytes, insn, count)) return false;
    if (const auto executed = ReadCount(record)) count.count = *executed;
    if (!AddTypes(record, insn, count)) return false;
    if (count.count > kMostCount) return false;
    largest = std::max(largest, count.count);
    counts_.push_back(std::move(count));
  }
  if (Unwrapped(method.data_invocations, largest) != method.data_invocations) {
    if (const auto entries = CountEntries(code.bytes, instructions, counts_))
      method.data_invocations = Unwrapped(method.data_invocations, *entries);
  }
  FindLostChecks(code, method.data_invocations);
  const Records age = program_.is_trained ? Records::kMaybeYounger : Records::kAsOldAsEntries;
  const std::vector<uint64_t>& blocks =
      blocks_.Count(code.bytes, instructions, counts_, method.data_invocations, age);
  method.has_guesses = method.data_invocations > 0 && method.data_invocations < kManyEntries;
  std::vector<double> guesses;
  if (method.has_guesses) {
    guesses =
        GuessFrequencies(code.bytes, instructions, method.invocations + method.data_invocations,
                         method.rounds_before_data + method.back_edges);
  }
  if (!FindCalls(code, blocks, pool, guesses)) return false;
  method.branches = TakeOut(branches_);
  method.types = TakeOut(types_);
  method.calls = TakeOut(calls_);
  method.has_data = true;
  method.invocations += method.data_invocations;
  return true;
}

bool MethodDecoder::AddBranch(std::span<const uint8_t> code, const CodeInstruction& insn,
                              InstructionCount& count) {
  if (count.edges.empty()) return true;
  HarvestedBranch branch{.bci = insn.bci,
                         .is_switch = classfile::IsSwitch(insn.op),
                         .targets = SuccessorBcis(code, insn),
                         .counts = count.edges};
  if (branch.targets.size() != branch.counts.size()) return false;
  for (const uint64_t edge : branch.counts) {
    if (edge > kMostCount || count.count > kMostCount - edge) return false;
    count.count += edge;
  }
  if (count.count > 0) branches_.push_back(std::move(branch));
  return true;
}

bool MethodDecoder::AddTypes(const DataRecord& record, const CodeInstruction& insn,
                             InstructionCount& count) {
  const bool is_call =
      record.tag == DataTag::kVirtualCall || record.tag == DataTag::kVirtualCallType;
  if (!is_call && record.tag != DataTag::kReceiverType) return true;
  const TypeRows rows = ReadTypeRows(record, shape_);
  HarvestedTypes types{.bci = insn.bci, .is_call = is_call, .rows = {}};
  types.has_free_row = !rows.is_full;
  if (rows.unlisted > 0) types.lost = static_cast<uint64_t>(rows.unlisted);
  uint64_t total = types.lost;
  types.rows.reserve(rows.used);
  for (const TypeRow& row : rows.rows()) {
    if (row.count > kMostCount || total > kMostCount - row.count) return false;
    total += row.count;
    const uint32_t* klass = class_numbers_.Find(row.klass);
    if (klass == nullptr || program_.classes[*klass].is_previous_version) {
      types.lost += row.count;  // loaded after the list was read
    } else {
      types.rows.emplace_back(*klass, row.count);
    }
  }
  if (is_call) {
    count.count = total;
    if (types.rows.empty() && total > 0) ++sites_without_rows_;
  } else if (rows.unlisted < 0 || (shape_.has_extra_cell && rows.is_full)) {
    // Up to JDK 21, compiled code counts a check that fails only as such, and a class that found no
    // row not at all.
    types.is_lost_known = false;
  }
  if (!types.rows.empty()) types_.push_back(std::move(types));
  return true;
}

bool MethodDecoder::FindCalls(const OriginalCode& code, std::span<const uint64_t> blocks,
                              const Pool& pool, std::span<const double> guesses) {
  calls_.clear();
  for (size_t i = 0; i < code.instructions.size(); ++i) {
    const CodeInstruction& insn = code.instructions[i];
    const double guess = guesses.empty() ? 0 : guesses[i];
    if (!classfile::IsInvoke(insn.op) || (blocks[i] == 0 && guess < kSmallestGuess)) continue;
    const uint16_t index = classfile::LoadU2(code.bytes.data() + insn.bci + 1);
    const auto member = metadata_.Member(pool, index);
    if (!member) return false;
    calls_.push_back({.bci = insn.bci,
                      .op = insn.op,
                      .owner = member->owner,
                      .name = member->name,
                      .descriptor = member->descriptor,
                      .block_count = blocks[i],
                      .guess = guess});
  }
  return true;
}

void MethodDecoder::AddHandleCalls(const ReadMethodData& data, const Pool& pool) {
  const Address code = data.listed.code + metadata_.layout().code.size;
  for (HarvestedCall& call : program_.methods[data.method].calls) {
    if (call.op != classfile::Op::invokedynamic) continue;
    const auto operand = metadata_.memory().Load<uint32_t>(code + call.bci + 1);
    if (!operand) continue;
    const std::vector<HandleTarget> targets = handles_.TargetsOf(pool, *operand);
    call.has_targets = !targets.empty();
    for (const HandleTarget& target : targets) {
      program_.handle_calls.push_back({data.method, target.method, target.receiver,
                                       target.is_virtual,
                                       target.share * static_cast<double>(call.block_count)});
    }
  }
}

// What a type check did not list is what its block was executed without it. Nulls are among that,
// so at most too much is taken for lost. The check may have begun again at 0, and with it the other records
// of its block, so it is compared with them and not with the entries.
void MethodDecoder::FindLostChecks(const OriginalCode& code, uint64_t entries) {
  const bool has_unknown = std::any_of(
      types_.begin(), types_.end(),
      [](const HarvestedTypes& types) { return !types.is_call && !types.is_lost_known; });
  if (!has_unknown) return;
  const std::vector<CodeInstruction>& instructions = code.instructions;
  const std::vector<uint64_t>& blocks =
      blocks_.Count(code.bytes, instructions, counts_, entries, Records::kAlone);
  size_t at = 0;
  for (HarvestedTypes& types : types_) {
    while (instructions[at].bci < types.bci) ++at;
    if (types.is_call || types.is_lost_known) continue;
    const uint64_t listed = types.Listed() + types.lost;
    if (blocks[at] == 0) {
      ++checks_unknown_;
      continue;
    }
    types.lost += blocks[at] > listed ? blocks[at] - listed : 0;
    types.is_lost_known = true;
  }
}

}  // namespace iprof::hotspot
