// MethodDecoder: from the MethodData and the bytecode of one method to its counts.
//
// Guarantees: what it returns passed all checks: the MethodData ended exactly where it should, its
// positions rise, and each record lies on an instruction of its kind.
// Threads: one. Failure: a short reason; the method is left unchanged.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "agent/classfile/bytes.h"
#include "agent/harvest/block_counts.h"
#include "agent/harvest/handle_reader.h"
#include "agent/harvest/harvested_code.h"
#include "agent/harvest/harvested_program.h"
#include "agent/harvest/probed_code.h"
#include "agent/hotspot/metadata.h"
#include "agent/hotspot/method_data.h"
#include "agent/hotspot/original_code.h"

namespace iprof::hotspot {

// A method and its MethodData, as they were read.
struct ReadMethodData {
  uint32_t method = 0;  // its number in the program
  ListedMethod listed;
  Address klass = 0;
  std::vector<uint64_t> words;
  uint64_t weight = 0;  // invocations and back edges, as far as they are known
  bool is_readable = false;
  bool is_of_training = false;  // nothing in it is known to be of this run
  const char* fault = "";       // why it failed
};

class MethodDecoder {
 public:
  // `class_numbers` has the program's classes by their addresses. The classes have their names.
  MethodDecoder(Metadata& metadata, const NumberMap<uint32_t>& class_numbers, HandleReader& handles,
                HarvestedProgram& program)
      : metadata_(metadata),
        class_numbers_(class_numbers),
        handles_(handles),
        program_(program),
        hasher_(metadata),
        agent_is_loaded_(HasAgentClasses(program)) {}

  DataShape& shape() { return shape_; }

  // Fills the method in the program. Null, or why the MethodData failed.
  const char* Decode(const ReadMethodData& data);
  // Fills the calls of a method without MethodData, with guessed counts. Nothing, if its code is
  // not understood.
  void GuessCalls(const ReadMethodData& method);
  // Whether HotSpot compiles the method without counters (trivial_code.h). nullopt: its code cannot
  // be read, or is not understood.
  std::optional<bool> HasTrivialCode(const ReadMethodData& method);
  // Calls visit(PoolMember) for each call in the method's code. False: that is not understood.
  template <typename Visit>
  bool ForEachCall(const ReadMethodData& method, const Visit& visit) {
    const Pool* pool = PoolOf(method.listed.pool);
    if (pool == nullptr) return false;
    const OriginalCode* const code = CodeOf(method, *pool);
    if (code == nullptr) return false;
    for (const CodeInstruction& insn : code->instructions) {
      if (!classfile::IsInvoke(insn.op)) continue;
      const auto member =
          metadata_.Member(*pool, classfile::LoadU2(code->bytes.data() + insn.bci + 1));
      if (!member) return false;
      visit(*member);
    }
    return true;
  }
  // Keeps the code of a method, with or without MethodData, and adds those of its calls that have
  // no counts. Nothing, if it has no calls, or its code is not understood. Returns how many bytes
  // it takes.
  uint64_t KeepCode(const ReadMethodData& method);
  // The next method's constant pool is read again.
  void ForgetPool() { pool_at_ = hashed_klass_ = 0; }

 private:
  bool Fill(const OriginalCode& code, const std::vector<DataRecord>& records, const Pool& pool,
            HarvestedMethod& method);
  bool AddBranch(std::span<const uint8_t> code, const CodeInstruction& insn,
                 InstructionCount& count);
  bool AddTypes(const DataRecord& record, const CodeInstruction& insn, InstructionCount& count);
  // The calls in blocks that were executed or are guessed to be, to calls_. `guesses`: of each instruction, or empty.
  bool FindCalls(const OriginalCode& code, std::span<const uint64_t> blocks, const Pool& pool,
                 std::span<const double> guesses = {});
  void FindLostChecks(const OriginalCode& code, uint64_t entries);
  void AddHandleCalls(const ReadMethodData& data, const Pool& pool);
  const Pool* PoolOf(Address at);
  // The method's code, valid until the next call; null if it is not understood.
  const OriginalCode* CodeOf(const ReadMethodData& method, const Pool& pool);
  std::string_view OwnNameOf(Address klass);
  uint64_t HashOf(const ReadMethodData& data, const Pool& pool, const OriginalCode& code);

  Metadata& metadata_;
  const NumberMap<uint32_t>& class_numbers_;
  HandleReader& handles_;
  HarvestedProgram& program_;
  DataShape shape_;
  // The pool of the last class, which the next method probably needs too.
  Address pool_at_ = 0;
  std::optional<Pool> pool_;
  std::optional<PoolCache> pool_cache_;
  BlockCounter blocks_;
  HarvestedCodeHasher hasher_;
  Address hashed_pool_ = 0, hashed_klass_ = 0;  // what hasher_ was started with
  const bool agent_is_loaded_;
  // Of the method that is decoded. Its memory is used again for the next one.
  OriginalCode code_;
  std::vector<InstructionCount> counts_;
  std::vector<HarvestedBranch> branches_;
  std::vector<HarvestedTypes> types_;
  std::vector<HarvestedCall> calls_;
  uint64_t sites_without_rows_ = 0, checks_unknown_ = 0;
};

}  // namespace iprof::hotspot
