// HarvestedProgram: what a JVM's own structures say about a running program: its classes, its
// methods, and what HotSpot counted in them.
//
// Guarantees: plain data that refers to nothing outside it. Numbers of classes and methods are
// indices into the vectors here.
// Threads: any. Failure: none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/classfile/opcodes.h"
#include "agent/hotspot/method_data.h"
#include "agent/hotspot/original_code.h"
#include "agent/hotspot/text_store.h"
#include "writer/base/short_list.h"

namespace iprof::hotspot {

inline constexpr uint32_t kNoClass = UINT32_MAX;

struct HarvestedBranch {
  uint32_t bci = 0;
  bool is_switch = false;
  Targets targets;    // if: target, fall-through; switch: keys, then default
  EdgeCounts counts;  // one for each target

  uint64_t Total() const;
};

// A call or a type check whose objects' classes were counted.
struct HarvestedTypes {
  using Rows = ShortList<std::pair<uint32_t, uint64_t>, 2>;  // class, count

  uint32_t bci = 0;
  bool is_call = false;
  Rows rows;
  uint64_t lost = 0;  // objects of other classes
  bool is_lost_known = true;
  bool has_free_row = false;  // so no class can have been lost for lack of one

  uint64_t Listed() const;
};

struct HarvestedCall {
  uint32_t bci = 0;
  classfile::Op op{};
  std::string_view owner;  // empty: invokedynamic
  std::string_view name;
  std::string_view descriptor;
  uint64_t block_count = 0;  // how often HotSpot counted the block that contains it
  double guess = 0;          // how often one entry executes it, if few entries were counted
  bool has_targets = false;  // invokedynamic: handle_calls of the program has what it leads to
  std::optional<uint64_t> exact_count =
      {};  // how often it was executed, if somebody else counted that
};

struct HarvestedMethod {
  uint32_t klass = 0;
  std::string_view name;
  std::string_view descriptor;
  uint16_t access = 0;
  uint16_t intrinsic = 0;    // HotSpot's number; 0: none
  uint64_t invocations = 0;  // all that HotSpot counted, until it stopped
  bool is_exact = false;     // invocations are those of an exact count instead
  // HotSpot has no MethodData of it and compiles it without counters: a native method, an accessor, or one
  // that returns a constant. `invocations` are then only those before it was compiled.
  bool is_uncounted = false;
  // The counters hold all that ever happened in it (complete_counts.h). Its blocks lack what was executed before it
  // had a MethodData: those are the rest of its entries and rounds_before_data.
  bool is_complete = false;
  // HotSpot saw no call of it, and would have counted one by the interpreter.
  bool never_ran = false;
  bool has_data = false;  // a MethodData was read; what follows comes from it. Without one, calls
                          // may be there for a method that looped, with guessed counts
  // The agent changed its code: branches are left out, and calls and types have the positions of the
  // changed code.
  bool has_probes = false;
  uint64_t data_invocations = 0;
  uint64_t back_edges = 0;
  uint64_t rounds_before_data = 0;        // jumps backwards
  uint64_t code_hash = 0;                 // of its code; 0: not known, or changed by the agent
  std::vector<HarvestedBranch> branches;  // ascending bci, only those that were executed
  std::vector<HarvestedTypes> types;      // ascending bci, only those with rows
  std::vector<HarvestedCall> calls;       // ascending bci
  bool has_guesses =
      false;  // few entries were counted, so calls have guesses, also those without a count
};

struct HarvestedClass {
  std::string_view name;         // internal; a hidden class has a dot before its suffix
  std::string_view stable_name;  // for the profile, internal; empty: the class is left out
  uint64_t loader = 0;
  uint32_t super = kNoClass;
  std::vector<uint32_t> interfaces;
  uint16_t access = 0;
  bool is_array = false;
  bool is_hidden = false;
  bool is_previous_version = false;  // of a class that was redefined
  // A copy of a lambda to which its call site leads no longer: what was counted in it is older than
  // the counts of the class that made it. Known only where call sites can be read (handle_reader.h).
  bool is_superseded = false;
  bool is_gone = false;  // unloaded while it was read
  bool is_own = false;   // the agent's; it has no stable name
  uint32_t first_method = 0;
  uint32_t methods = 0;
};

// Calls of an invokedynamic site that lead to a method: directly, or to what an object of the
// receiver's class runs, or any object.
struct HarvestedHandleCall {
  uint32_t caller = 0;
  uint32_t callee = 0;
  uint32_t receiver = kNoClass;  // known only for an object that is bound
  bool is_virtual = false;
  double count = 0;
};

// A method's code as it runs.
struct HarvestedCode {
  uint32_t method = 0;
  OriginalCode code;
};

// What was left out, and why.
struct HarvestCounts {
  uint64_t method_datas = 0;
  uint64_t failed = 0;  // did not pass the checks
  std::vector<std::string> failed_examples;
  uint64_t failed_counts = 0;  // their invocations and back edges
  uint64_t counts = 0;         // of all
  uint64_t without_data = 0;   // methods that were called, and have no MethodData
  uint64_t unnamed_lambdas = 0;
  uint64_t left_out_classes = 0;    // generated at run time: linkage, proxies, accessors
  uint64_t unloaded_classes = 0;    // while they were read
  uint64_t sites_without_rows = 0;  // virtual calls whose receivers HotSpot did not record
  uint64_t checks_unknown = 0;      // type checks with more classes than rows
  uint64_t with_probes = 0;         // methods that the agent counts in, or did
  uint64_t hidden_with_probes =
      0;  // those of them in hidden classes, which always keep their probes
  // Methods with counts of an AOT cache's training run: those that were subtracted, and MethodDatas that were left out
  // because that was not possible.
  uint64_t trained = 0, trained_unknown = 0;
  uint64_t redefined_classes =
      0;  // since they were loaded, so that HotSpot counts their methods again from 0
  // Methods whose code was asked for and did not fit. Those that call nothing are among them, as that is
  // seen in the code.
  uint64_t without_code = 0;
};

struct HarvestedProgram {
  int32_t major = 0;
  uint32_t type_rows = 0;
  bool has_extra_cell = false;
  bool counts_to_the_end = false;  // nothing stops the counters of a MethodData
  std::string
      without_compiled_counts;  // the option for which compiled code counts nothing; empty: none
  bool has_archive = false;     // of classes, or an AOT cache; also if that is unknown
  bool is_trained =
      false;  // counts of an AOT cache's training run are in MethodDatas, and cannot be told
  std::vector<HarvestedClass> classes;
  std::vector<HarvestedMethod> methods;  // those of a class are consecutive
  std::vector<HarvestedHandleCall> handle_calls;
  std::vector<HarvestedCode> codes;  // ascending method; only those that were asked for
  HarvestCounts counts;
  TextStore texts;  // what the views refer to

  std::string_view Keep(std::string_view text) { return texts.Keep(text); }
};

// How often HotSpot counted anything in the class: of copies of one class, it shows which one the
// program uses.
inline uint64_t CountsOf(const HarvestedProgram& program, const HarvestedClass& klass) {
  uint64_t sum = 0;
  for (uint32_t m = klass.first_method; m < klass.first_method + klass.methods; ++m)
    sum += program.methods[m].invocations + program.methods[m].back_edges;
  return sum;
}

inline uint64_t HarvestedBranch::Total() const {
  uint64_t sum = 0;
  for (const uint64_t count : counts) sum += count;
  return sum;
}

inline uint64_t HarvestedTypes::Listed() const {
  uint64_t sum = 0;
  for (const auto& [klass, count] : rows) sum += count;
  return sum;
}

}  // namespace iprof::hotspot
