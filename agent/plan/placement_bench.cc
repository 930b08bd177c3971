// The cost of plans: iprof_placement_bench DIR plans every method of every .class file under DIR
// (for example the output of `jimage extract` for a JDK) with each policy. It prints time per
// method, counters, estimated increments, and bytes of the method records. "uncaught" is the
// automatic policy without the special treatment of exceptions that the method continues from
// (caught_exceptions.h).
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "agent/plan/method_graph.h"

namespace {

using namespace iprof;
using namespace iprof::instrument;
using Clock = std::chrono::steady_clock;

struct Total {
  const char* name;
  PlanOptions options;
  bool caught = true;
  uint64_t methods = 0, counters = 0, unwinds = 0, steps = 0, record_bytes = 0, trampolines = 0;
  uint64_t placements[5] = {};
  uint64_t kinds[3] = {};
  double cost = 0;
  double seconds = 0;
};

double Since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void Account(const MethodGraph& graph, const ProbePlan& plan, MethodRecord* record,
             std::vector<uint8_t>* bytes, Total* t) {
  ++t->methods;
  t->counters += plan.counter_count();
  t->unwinds += plan.unwind_counter != kNoCounter;
  t->steps += plan.derivation.step_end.size();
  t->cost += plan.cost;
  ++t->placements[static_cast<int>(plan.placement)];
  ++t->kinds[static_cast<int>(plan.certificate.kind)];
  for (const Probe& p : plan.probes) {
    t->trampolines += p.at == ProbeAt::kTaken || p.at == ProbeAt::kSlot;
  }
  graph.FillRecord(plan, record);
  record->klass = static_cast<uint32_t>(t->methods / 10);
  record->method = static_cast<uint32_t>(t->methods);
  record->counter_base = static_cast<uint32_t>(t->counters);
  bytes->clear();
  EncodeMethodRecord(*record, bytes);
  t->record_bytes += bytes->size();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s DIRECTORY-OF-CLASS-FILES\n", argv[0]);
    return 2;
  }
  Total totals[] = {{.name = "automatic", .options = {}},
                    {.name = "uncaught", .options = {}, .caught = false},
                    {.name = "tree", .options = {.policy = PlacementPolicy::kTree}},
                    {.name = "arborescence", .options = {.policy = PlacementPolicy::kArborescence}},
                    {.name = "direct", .options = {.policy = PlacementPolicy::kDirect}}};
  classfile::Arena class_arena, method_arena;
  MethodGraph graph, uncaught;
  ProbePlanner planner;
  ProbePlan plan;
  MethodRecord record;
  std::vector<uint8_t> bytes;
  double graph_seconds = 0;
  uint64_t refused = 0, jsr = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(argv[1])) {
    if (entry.path().extension() != ".class") continue;
    std::ifstream in(entry.path(), std::ios::binary);
    const std::vector<char> text((std::istreambuf_iterator<char>(in)), {});
    class_arena.Reset();
    classfile::ClassFile file;
    const auto* data = reinterpret_cast<const uint8_t*>(text.data());
    if (file.Parse({data, text.size()}, class_arena) != classfile::Reason::kOk) continue;
    for (const classfile::MemberInfo& method : file.methods()) {
      if (method.code_offset == 0) continue;
      method_arena.Reset();
      classfile::MethodCode code;
      if (code.Decode(file, method, method_arena) != classfile::Reason::kOk) {
        ++refused;
        continue;
      }
      const auto start = Clock::now();
      const bool ok = graph.Build(code, method_arena, {}, nullptr) == classfile::Reason::kOk;
      graph_seconds += Since(start);
      if (!ok || uncaught.Build(code, method_arena, {.caught = false}, nullptr) !=
                     classfile::Reason::kOk) {
        ++refused;
        continue;
      }
      jsr += graph.direct_only();
      for (Total& t : totals) {
        const MethodGraph& planned = t.caught ? graph : uncaught;
        PlanOptions options = t.options;
        if (graph.direct_only()) options.policy = PlacementPolicy::kDirect;
        options.count_unwinds = graph.can_count_unwinds();
        const auto plan_start = Clock::now();
        planner.Plan(planned.graph(), options, &plan);
        t.seconds += Since(plan_start);
        Account(planned, plan, &record, &bytes, &t);
      }
    }
  }
  const uint64_t n = totals[0].methods;
  if (n == 0) return 1;
  std::printf("%llu methods, %llu refused, %llu with jsr; graph %.2f us a method\n",
              static_cast<unsigned long long>(n), static_cast<unsigned long long>(refused),
              static_cast<unsigned long long>(jsr), graph_seconds * 1e6 / static_cast<double>(n));
  std::printf("%-13s %9s %9s %10s %9s %8s %10s %10s  %s\n", "policy", "us/method", "counters",
              "trampoline", "unwinds", "steps", "increments", "record B",
              "direct/tree/arborescence, exact/within k/unknown");
  for (const Total& t : totals) {
    const double m = static_cast<double>(t.methods);
    auto per = [&](uint64_t x) { return static_cast<double>(x) / m; };
    auto count = [](uint64_t x) { return static_cast<unsigned long long>(x); };
    std::printf(
        "%-13s %9.2f %9.3f %10.3f %9.3f %8.3f %10.3g %10.1f  %llu/%llu/%llu, %llu/%llu/%llu\n",
        t.name, t.seconds * 1e6 / m, per(t.counters), per(t.trampolines), per(t.unwinds),
        per(t.steps), t.cost / m, per(t.record_bytes), count(t.placements[1]),
        count(t.placements[2]), count(t.placements[3]), count(t.kinds[0]), count(t.kinds[1]),
        count(t.kinds[2]));
  }
  return 0;
}
