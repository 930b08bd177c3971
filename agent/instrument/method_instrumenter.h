// MethodInstrumenter: instruments the methods of one class, and writes their part of the class's
// record.
//
// Guarantees:
// - A method is either rewritten, and the record says how, or left unchanged, and its counters and
//   sites are freed. The outcome says which, and why.
// - If a method's plan would make it too long, it gets a lighter plan (writer/records/effort.h).
// - A method that was instrumented before gets the same counters, sites and effort again.
// Threads: one instrumenter and one Memory per rewriting thread. Many instrumenters share the
// spaces and the self-check, which any thread may use. No lock is held while a plan is made or
// inserted.
// Failure: a reason in the outcome; the class's other methods are not affected.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/classfile/rewriter.h"
#include "agent/classfile/symbolic_code.h"
#include "agent/instrument/chunk_access.h"
#include "agent/instrument/instrumenter_options.h"
#include "agent/instrument/intrinsic_calls.h"
#include "agent/instrument/method_plan.h"
#include "agent/instrument/outcome_tally.h"
#include "agent/instrument/probes/counter_space.h"
#include "agent/instrument/probes/watched_sites.h"
#include "agent/plan/self_check.h"
#include "writer/records/class_record.h"
#include "writer/records/method_lines.h"
#include "writer/records/method_record.h"

namespace iprof::instrument {

// Returns the internal name of a chunk's holder class.
using HolderName = std::function<std::string(uint32_t chunk)>;

// Where the counters and sites of all classes are allocated.
struct InstrumentSpaces {
  CounterSpace& counters;
  HolderName counter_holder;
  CounterSpace* sites = nullptr;  // null: no sites
  uint32_t sites_in_chunk = 0;
  HolderName site_holder;
  std::atomic<WatchedSites*> watched = nullptr;  // null: no stacks are taken

  // Frees what a method allocated and no code uses.
  void GiveBack(const CountedMethod& method, uint32_t counters_taken, size_t sites_taken);
};

class MethodInstrumenter {
 public:
  // Shared by all classes.
  struct Setting {
    const InstrumenterOptions& options;
    InstrumentSpaces& spaces;
    SelfCheck& self_check;
  };
  // Memory for planning, reused for the thread's next class.
  struct Memory {
    MethodPlanner planner;
    MethodRecord record;
    classfile::SymbolicCode symbolic;
  };

  // `access` may be null: the class finds the agent's own holders. All arguments must outlive this
  // object.
  MethodInstrumenter(const Setting& setting, ChunkAccess* access, const classfile::ClassFile& file,
                     classfile::ClassRewriter& rewriter, classfile::Workspace& workspace,
                     Memory& memory, ClassRecord& counted)
      : setting_(setting),
        access_(access),
        file_(file),
        rewriter_(rewriter),
        arena_(workspace.method_memory),
        planner_(memory.planner),
        record_(memory.record),
        symbolic_(memory.symbolic),
        counted_(counted),
        callees_(counted, setting.options.all_calls) {}

  // Rewrites a method of the class and adds it to the record. Call it once for each method, in the
  // order of the class file. `before` is the method as it was instrumented earlier, or null.
  MethodOutcome Instrument(uint32_t number, const CountedMethod* before);

 private:
  // State of one method that all attempts share; each attempt has a lighter effort.
  struct Attempts {
    uint32_t number;
    const CountedMethod* before;
    CountedMethod method = {};
    MethodOutcome outcome = {};
    uint32_t room = 0;  // bytes that may be inserted
    bool watch = true;  // stacks may be taken
  };

  classfile::Reason Try(Attempts& attempts);
  classfile::Reason Plan(classfile::MethodCode& code, const Attempts& attempts);
  bool NeedsCounters(const CountedMethod& method) const;
  bool Allocate(Attempts& attempts);
  bool Emit(const CountedMethod& method, classfile::MethodEditor& editor) const;
  bool EmitCounters(const CountedMethod& method, classfile::MethodEditor& editor) const;
  bool EmitSites(const CountedMethod& method, classfile::MethodEditor& editor) const;
  bool EmitWatches(const CountedMethod& method, classfile::MethodEditor& editor) const;
  void NoteWatched(const CountedMethod& method);
  void Note(const classfile::MethodCode& code, Attempts& attempts);
  void NoteRecord(Attempts& attempts);
  void NoteLines(const classfile::MethodCode& code, CountedMethod& method);
  uint32_t TargetOf(const classfile::MethodCode& code, classfile::Insn call);

  bool inherited() const { return access_ != nullptr && access_->inherited(); }
  // The maximum size of a method with its probes.
  uint32_t LimitOf(uint32_t code_size) const;

  const Setting setting_;
  ChunkAccess* const access_;
  const classfile::ClassFile& file_;
  classfile::ClassRewriter& rewriter_;
  classfile::Arena& arena_;
  MethodPlanner& planner_;
  MethodRecord& record_;
  classfile::SymbolicCode& symbolic_;
  ClassRecord& counted_;
  ClassCallees callees_;
  std::map<std::pair<std::string_view, std::string_view>, uint32_t> targets_;  // numbers
  std::vector<LineStart> line_starts_;
  std::vector<uint32_t> recorded_;  // positions of a method
};

}  // namespace iprof::instrument
