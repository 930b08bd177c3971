// Fuzz target: with any class bytes and any counter values, the instrumenter either leaves the
// class unchanged or writes a well-formed one, and the assembled profile breaks no rule. Reading
// the class's stable names, its lambdas' sites and its methods' origins must not crash either.
//
// The first byte chooses what is counted and how, the next three seed the counters' values, and the
// rest is the class file.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "agent/instrument/class_instrumenter.h"
#include "agent/instrument/names/lambda_sites.h"
#include "agent/instrument/names/naming_facts.h"
#include "agent/instrument/table/original_class_reader.h"
#include "java-tests/native/classfile/checker.h"
#include "java-tests/native/classfile/fuzz_mutation.h"
#include "writer/ops/check.h"
#include "writer/profile/io/writer.h"

namespace {

using namespace iprof;
using namespace iprof::instrument;

constexpr uint32_t kSitesInChunk = 64;

[[noreturn]] void Fail(const std::string& what) {
  std::fprintf(stderr, "class_instrumenter_fuzz: %s\n", what.c_str());
  std::abort();
}

InstrumenterOptions OptionsFor(uint8_t mode) {
  InstrumenterOptions options;
  options.placement = (mode & 1) != 0 ? PlacementPolicy::kDirect : PlacementPolicy::kAutomatic;
  options.sites = {(mode & 2) != 0, (mode & 2) != 0, (mode & 4) != 0};
  options.self_check = (mode & 8) != 0;
  options.stripes = (mode & 16) != 0 ? 2 : 1;
  options.calls = (mode & 32) == 0;
  options.branches = (mode & 64) == 0;
  return options;
}

void TryNames(std::span<const uint8_t> bytes) {
  (void)ReadOriginalClass(bytes);
  classfile::Arena arena;
  classfile::ClassFile file;
  if (file.Parse(bytes, arena) != classfile::Reason::kOk) return;
  for (const NamingRule rule : {NamingRule::k17, NamingRule::k23, NamingRule::k25}) {
    const auto facts = ReadLambda(file, arena);
    const auto name = facts ? LambdaBaseName(*facts, rule) : std::nullopt;
    if (name && name->empty()) Fail("a lambda's name is empty");
    const Unboxing unboxing = rule == NamingRule::k25 ? Unboxing::kByNumber : Unboxing::kByWrapper;
    for (const LambdaSite& site : ReadLambdaSites(file, rule, unboxing)) {
      if (site.call.ordinal >= site.call.count) Fail("a lambda's site is not in its method");
    }
  }
  (void)IsLambdaClass(file);
  (void)ReadProxy(file);
}

// Half of the counters are small, as real ones are; the others have any value. Only allocated
// counters, because filling whole chunks would take longer than everything else.
std::span<const uint64_t> SomeCounters(uint32_t seed, const CounterSpace::Statistics& space) {
  static std::vector<uint64_t> counters(2 * size_t{kChunkCounters});
  const size_t used = space.chunks_used > 1 ? counters.size() : space.counters;
  uint64_t state = seed | 1;
  for (uint64_t& counter : std::span(counters).first(used)) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    counter = (state >> 63) != 0 ? (state >> 33) % 8 : state;
  }
  return counters;
}

}  // namespace

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t most);

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most,
                                          unsigned int seed) {
  return classfile::MutateChosenClass(data, size, most, 4, seed, LLVMFuzzerMutate);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 5) return 0;
  const std::span<const uint8_t> bytes(data + 4, size - 4);
  const uint32_t seed = uint32_t{data[1]} << 16 | uint32_t{data[2]} << 8 | data[3];
  TryNames(bytes);

  CounterSpace space;
  CounterSpace sites(kSitesInChunk);
  space.Configure(2, [] {});
  space.SetReady(2);
  sites.Configure(4, [] {});
  sites.SetReady(4);
  ClassInstrumenter instrumenter(OptionsFor(data[0]), space,
                                 [](uint32_t chunk) { return "H" + std::to_string(chunk); });
  instrumenter.UseSites(sites, kSitesInChunk,
                        [](uint32_t chunk) { return "S" + std::to_string(chunk); });

  std::vector<uint8_t> result;
  const bool changed = instrumenter.Instrument({"", bytes}, [&](size_t length) {
    result.resize(length);
    return result.data();
  });
  if (changed) {
    static classfile::Workspace memory;
    memory.Reset();
    const classfile::CheckResult check = classfile::CheckRewritten(bytes, result, memory);
    if (!check.ok()) {
      Fail(std::string(check.problem) + ", method " + std::to_string(check.method) + ", " +
           std::to_string(check.offset));
    }
  }

  TypeCounts types;
  for (uint32_t site = 0; site < kSitesInChunk; ++site) {
    if ((seed + site) % 3 == 0) continue;
    types.Add(site, "java.lang.String", seed % 5 + site + 1);  // never 0
    types.Add(site, "a.B", seed + 1);
    types.AddLost(site, seed % 7);
  }
  Profile profile;
  profile.AddStandardTypes();
  const AddedCounts added = instrumenter.AddTo(
      SomeCounters(seed, space.statistics()), types,
      [&](const MethodKey&) -> uint64_t { return seed % 3; }, profile);
  (void)instrumenter.Report(added);
  const Result<std::string> text = WriteProfileText(profile);
  if (!text.ok()) Fail("the profile cannot be written");
  const Result<CheckCounts> counts = CheckProfileText(*text, {}, [&](const Finding& finding) {
    Fail(finding.path + ": " + finding.found + ", expected " + finding.expected + " in\n" + *text);
  });
  if (!counts.ok()) Fail("the profile cannot be checked");
  return 0;
}
