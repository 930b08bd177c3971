// increments_bench [--branches FILE] FOLDER ... : how many increments each placement of counters executes. A
// folder has the exact profile of a run (exact.iprof), the class files that the run loaded (classes), and
// perhaps profiles to be used as weights= (earlier.iprof, harvested.iprof). See increments.py.
//
// For each method it plans the counters once for each source of weights, and adds up how often the
// edges with counters ran. Increments in catch-any handlers, in methods without a class file (lambdas)
// and in methods that get less than everything because they are long are not included.
//
// FILE gets what scripts/learn-weights learns from, for each method that ran: a line with the hash of its code's
// shape, and the increments with guesses and of the optimum, and a line for each branch with the count of each way:
//
//   M java/lang/String length()I 1a2b3c4d 3500 1000
//   B 2500 1000
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "agent/classfile/rewriter.h"
#include "agent/instrument/intrinsic_calls.h"
#include "agent/instrument/trimming.h"
#include "agent/plan/weights/code_shape.h"
#include "agent/plan/weights/known_weights.h"
#include "bench/probes/edge_counts.h"
#include "writer/profile/io/reader.h"

namespace {

using namespace iprof;
using namespace iprof::instrument;
namespace fs = std::filesystem;

struct Placement {
  const BranchWeights* weights;  // null: only guesses
  PlacementPolicy policy = PlacementPolicy::kAutomatic;
  double increments = 0;
};

constexpr size_t kGuesses = 0, kEarlier = 2, kHarvested = 3, kOptimum = 4;

// What all methods of one run share.
class Run {
 public:
  Run(const Profile& exact, std::vector<Placement> placements, std::ofstream* list)
      : exact_(exact), placements_(std::move(placements)), list_(list) {}

  void AddClass(const std::vector<uint8_t>& bytes) {
    classfile::ClassFile file;
    memory_.Reset();
    if (file.Parse(bytes, memory_.class_memory) != classfile::Reason::kOk) return;
    classfile::ClassRewriter rewriter(file, memory_);
    ClassRecord record;
    for (uint32_t m = 0; m < file.methods().size(); ++m) {
      classfile::MethodCode code;
      if (rewriter.Open(m, &code) != classfile::Reason::kOk) continue;
      const classfile::MemberInfo& member = file.methods()[m];
      replaced_ = IsIntrinsicCandidate(file, member);
      AddMethod(code, {file.name(), file.NameOf(member), file.DescriptorOf(member)}, record);
    }
  }

  // The calls of methods whose class files are known.
  double calls() const { return calls_; }
  const std::vector<Placement>& placements() const { return placements_; }

 private:
  void AddMethod(const classfile::MethodCode& code, const MethodNames& names, ClassRecord& record) {
    const std::optional<MethodIndex> index = FindMethod(exact_, names);
    if (!index) return;
    ClassCallees callees(record, false);
    if (method_.Build(code, memory_.method_memory, {}, &callees) != classfile::Reason::kOk) return;
    counts_.Find(exact_, *index, method_, replaced_);
    if (counts_.calls() == 0) return;
    calls_ += counts_.calls();
    std::vector<double> increments;
    for (Placement& placement : placements_) {
      increments.push_back(IncrementsOf(placement, names));
      placement.increments += increments.back();
    }
    if (list_ != nullptr) List(names, increments);
  }

  void List(const MethodNames& names, const std::vector<double>& increments) {
    *list_ << fmt::format("M {} {}{} {:08x} {:.0f} {:.0f}\n", names.klass, names.name,
                          names.descriptor, HashOfShape(method_.code()), increments[kGuesses],
                          increments[kOptimum]);
    for (uint32_t n = 0; n < method_.recorded_count(); ++n) {
      const MethodGraph::Recorded recorded = method_.recorded(n);
      if (recorded.is_call) continue;
      const auto ways = counts_.edges().subspan(recorded.first_edge, recorded.edge_count);
      *list_ << "B";
      for (const double way : ways) *list_ << fmt::format(" {:.0f}", way);
      *list_ << "\n";
    }
  }

  double IncrementsOf(const Placement& placement, const MethodNames& names) {
    PlanOptions options{.policy = placement.policy, .count_unwinds = method_.can_count_unwinds()};
    if (method_.direct_only()) options.policy = PlacementPolicy::kDirect;
    if (placement.weights != nullptr) {
      weights_.assign(method_.graph().edge_count(), kUnknownWeight);
      placement.weights->Weigh(names, method_, weights_);
      options.weights = weights_;
    }
    PlanCertified(method_.graph(), options, planner_, &plan_);
    double increments = 0;
    for (const Probe& probe : plan_.probes) increments += counts_.edges()[Index(probe.edge)];
    return increments;
  }

  const Profile& exact_;
  std::vector<Placement> placements_;
  std::ofstream* const list_;  // null: none
  classfile::Workspace memory_;
  MethodGraph method_;
  ProbePlanner planner_;
  ProbePlan plan_;
  EdgeCounts counts_;
  std::vector<double> weights_;
  double calls_ = 0;
  bool replaced_ = false;  // compilers may replace calls of the current method
};

std::vector<uint8_t> BytesOf(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The class files below a folder, in the order of their names.
std::vector<fs::path> ClassFilesBelow(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".class") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

int Fail(std::string_view message) {
  fmt::print(stderr, "increments_bench: {}\n", message);
  return 1;
}

// A profile as weights= would use it; null if there is none.
Result<std::unique_ptr<const BranchWeights>> WeightsIn(const fs::path& file) {
  if (!fs::exists(file)) return std::unique_ptr<const BranchWeights>();
  const Result<Profile> profile = ReadProfileFile(file);
  if (!profile.ok()) return profile.status();
  return std::unique_ptr<const BranchWeights>(
      std::make_unique<KnownWeights>(std::make_unique<ProfileWeights>(*profile)));
}

void PrintCell(bool is_there, double ratio) {
  fmt::print(" {:>9}", is_there ? fmt::format("{:.3f}", ratio) : "-");
}

class Comparison {
 public:
  Comparison() {
    fmt::print("{:<18} {:>12} {:>7} ", "program", "optimum", "calls");
    for (const char* name : kColumns) fmt::print(" {:>9}", name);
    fmt::print("\n");
  }

  Status Add(const fs::path& folder, std::ofstream* list) {
    const Result<Profile> exact = ReadProfileFile(folder / "exact.iprof");
    if (!exact.ok()) return exact.status();
    const auto earlier = WeightsIn(folder / "earlier.iprof");
    if (!earlier.ok()) return earlier.status();
    const auto harvested = WeightsIn(folder / "harvested.iprof");
    if (!harvested.ok()) return harvested.status();
    const ProfileWeights truth(*exact);
    const KnownWeights shipped;
    Run run(*exact,
            {{nullptr},
             {&shipped},
             {earlier->get()},
             {harvested->get()},
             {&truth},
             {nullptr, PlacementPolicy::kDirect}},
            list);
    for (const fs::path& file : ClassFilesBelow(folder / "classes")) run.AddClass(BytesOf(file));
    const double optimum = run.placements()[kOptimum].increments;
    fmt::print("{:<18} {:>12.0f} {:>6.1f}% ", folder.filename().string(), optimum,
               100 * run.calls() / static_cast<double>(exact->Total(Table::kCalls)));
    for (size_t i = 0; i < kColumns.size(); ++i) {
      const Placement& placement = run.placements()[i];
      const bool is_there = (i != kEarlier && i != kHarvested) || placement.weights != nullptr;
      PrintCell(is_there, placement.increments / optimum);
      sum_[i] += is_there ? placement.increments / optimum : 0;
      count_[i] += is_there ? 1 : 0;
    }
    fmt::print("\n");
    return {};
  }

  void PrintMean() const {
    fmt::print("{:<40}", "mean");
    for (size_t i = 0; i < kColumns.size(); ++i) PrintCell(count_[i] > 0, sum_[i] / count_[i]);
    fmt::print("\n");
  }

 private:
  static constexpr std::array kColumns{"guesses",   "shipped", "earlier",
                                       "harvested", "optimum", "direct"};
  std::array<double, kColumns.size()> sum_{};
  std::array<int, kColumns.size()> count_{};
};

}  // namespace

int main(int argc, char** argv) {
  std::ofstream list;
  int first = 1;
  if (argc > 2 && std::string_view(argv[1]) == "--branches") {
    list.open(argv[2]);
    if (!list) return Fail("cannot write the list of branches");
    first = 3;
  }
  if (first >= argc) return Fail("usage: increments_bench [--branches FILE] FOLDER ...");
  Comparison comparison;
  for (int i = first; i < argc; ++i) {
    const Status added = comparison.Add(argv[i], list.is_open() ? &list : nullptr);
    if (!added.ok()) return Fail(added.message());
  }
  comparison.PrintMean();
  return 0;
}
