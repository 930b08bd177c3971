// increments_bench [--branches FILE] FOLDER ... : how many increments each placement of counters executes, as one line
// of JSON for each folder. A folder has the exact profile of a run (exact.iprof), the class files that the run loaded
// (classes), and perhaps profiles to be used as weights= (earlier.iprof, harvested.iprof). See increments.py.
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
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
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
  const char* name;
  const BranchWeights* weights = nullptr;  // null: only guesses
  PlacementPolicy policy = PlacementPolicy::kAutomatic;
  double increments = 0;
};

// The first ones of the placements.
constexpr size_t kGuesses = 0, kOptimum = 1;

// What all methods of one run share.
class Run {
 public:
  Run(const Profile& exact, std::vector<Placement> placements, std::ostream& list)
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
      ClassCallees callees(record, false);
      if (method_.Build(code, memory_.method_memory, {}, &callees) != classfile::Reason::kOk)
        continue;
      const classfile::MemberInfo& member = file.methods()[m];
      AddMethod({file.name(), file.NameOf(member), file.DescriptorOf(member)},
                IsIntrinsicCandidate(file, member));
    }
  }

  void Print(const std::string& program) const {
    fmt::print("{{\"program\": \"{}\", \"calls\": {}", program,
               calls_ / static_cast<double>(exact_.Total(Table::kCalls)));
    for (const Placement& placement : placements_)
      fmt::print(", \"{}\": {}", placement.name, placement.increments);
    fmt::print("}}\n");
  }

 private:
  void AddMethod(const MethodNames& names, bool replaced) {
    counts_ = EdgeCountsOf(exact_, names, method_, replaced);
    if (counts_.calls == 0) return;
    calls_ += counts_.calls;
    std::vector<double> increments;
    for (Placement& placement : placements_) {
      increments.push_back(IncrementsOf(placement, names));
      placement.increments += increments.back();
    }
    List(names, increments);
  }

  void List(const MethodNames& names, const std::vector<double>& increments) {
    list_ << fmt::format("M {} {}{} {:08x} {:.0f} {:.0f}\n", names.klass, names.name,
                         names.descriptor, HashOfShape(method_.code()), increments[kGuesses],
                         increments[kOptimum]);
    for (uint32_t n = 0; n < method_.recorded_count(); ++n) {
      const MethodGraph::Recorded recorded = method_.recorded(n);
      if (recorded.is_call) continue;
      list_ << "B";
      for (uint32_t i = 0; i < recorded.edge_count; ++i)
        list_ << fmt::format(" {:.0f}", counts_.edges[recorded.first_edge + i]);
      list_ << "\n";
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
    for (const Probe& probe : plan_.probes) increments += counts_.edges[Index(probe.edge)];
    return increments;
  }

  const Profile& exact_;
  std::vector<Placement> placements_;
  std::ostream& list_;
  classfile::Workspace memory_;
  MethodGraph method_;
  ProbePlanner planner_;
  ProbePlan plan_;
  EdgeCounts counts_;  // of the current method
  std::vector<double> weights_;
  double calls_ = 0;  // of methods whose class files are known
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

Status Compare(const fs::path& folder, std::ostream& list) {
  const Result<Profile> exact = ReadProfileFile(folder / "exact.iprof");
  if (!exact.ok()) return exact.status();
  const ProfileWeights truth(*exact);
  const KnownWeights shipped;
  std::vector<Placement> placements{{"guesses"},
                                    {"optimum", &truth},
                                    {"shipped", &shipped},
                                    {"direct", nullptr, PlacementPolicy::kDirect}};
  std::vector<std::unique_ptr<const BranchWeights>> profiles;
  for (const char* name : {"earlier", "harvested"}) {
    const fs::path file = folder / (std::string(name) + ".iprof");
    if (!fs::exists(file)) continue;
    const Result<Profile> profile = ReadProfileFile(file);
    if (!profile.ok()) return profile.status();
    profiles.push_back(std::make_unique<KnownWeights>(std::make_unique<ProfileWeights>(*profile)));
    placements.push_back({name, profiles.back().get()});
  }
  Run run(*exact, std::move(placements), list);
  for (const fs::path& file : ClassFilesBelow(folder / "classes")) run.AddClass(BytesOf(file));
  run.Print(folder.filename().string());
  return {};
}

int Fail(std::string_view message) {
  fmt::print(stderr, "increments_bench: {}\n", message);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  std::ofstream list;  // closed without --branches, and then it drops what it gets
  int first = 1;
  if (argc > 2 && std::string_view(argv[1]) == "--branches") {
    list.open(argv[2]);
    if (!list) return Fail("cannot write the list of branches");
    first = 3;
  }
  if (first >= argc) return Fail("usage: increments_bench [--branches FILE] FOLDER ...");
  for (int i = first; i < argc; ++i) {
    const Status added = Compare(argv[i], list);
    if (!added.ok()) return Fail(added.message());
  }
  return 0;
}
