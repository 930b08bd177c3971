#include "agent/vm/cells/chunk_store.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "agent/vm/cells/runtime_image.h"
#include "agent/vm/jvmti/local_frame.h"
#include "writer/names/type_names.h"

namespace iprof::vm {
namespace {

// Enough for the classes of any JVM's start-up, with any placement. No more can be created before
// VMInit.
constexpr uint32_t kEarlyChunks = 6;
constexpr uint32_t kEarlySiteChunks = 6;

// Parts of the budget: for the names of types seen at sites, and for the records of classes.
constexpr uint64_t kHarvestedShare = 8;
constexpr uint64_t kClassShare = 4;
constexpr uint64_t kLeastForClasses = 1 << 20;

// For the names of classes that may be unloaded.
constexpr uint64_t kHashShare = 16;
constexpr uint64_t kMostHashBytes = 8 << 20;

// For the stacks of calls and branches.
constexpr uint64_t kStackShare = 8;
constexpr uint64_t kMostStackBytes = 32 << 20;

// How often the spill tables of class-counting sites are emptied.
constexpr auto kHarvestPeriod = std::chrono::seconds(5);

// The counters and sites of unloaded classes, inside the JVM.
class JvmCounters final : public instrument::FreedCounters {
 public:
  JvmCounters(jvmtiEnv* jvmti, JNIEnv* jni, CounterChunks& chunks, TypeChunks& types,
              CountWindow& window, const ChunkStore::Taken& taken,
              const ChunkStore::SiteTaken& site_taken)
      : jvmti_(jvmti),
        jni_(jni),
        chunks_(chunks),
        types_(types),
        window_(window),
        taken_(taken),
        site_taken_(site_taken) {}

  bool Take(CounterRange counters, std::vector<uint64_t>* values) override {
    const size_t before = values->size();
    chunks_.Take(jni_, counters, values);
    const std::span taken = std::span(*values).subspan(before);
    const std::vector<uint64_t> raw(taken.begin(), taken.end());
    window_.Release(counters, taken);
    if (taken_) taken_(counters, raw, taken);
    return true;
  }
  bool TakeSites(CounterRange sites, uint32_t first, UnloadedCounts* counts) override {
    const auto release = [this](uint32_t site, TypeCounts& seen) {
      window_.ReleaseSite(site, seen);
      if (site_taken_) site_taken_(site, seen);
    };
    return types_.Take(jvmti_, jni_, sites, first, release, counts);
  }

 private:
  jvmtiEnv* const jvmti_;
  JNIEnv* const jni_;
  CounterChunks& chunks_;
  TypeChunks& types_;
  CountWindow& window_;
  const ChunkStore::Taken& taken_;
  const ChunkStore::SiteTaken& site_taken_;
};

}  // namespace

ChunkStore::ChunkStore(const Options& options, const HeapPlan& heap, const ClassSource& classes,
                       ProxyNames& proxies, instrument::MemoryBudget& budget,
                       const std::function<void()>& wake)
    : proxies_(proxies),
      budget_(budget),
      heap_(heap),
      chunk_bytes_(static_cast<uint64_t>(options.stripes) * instrument::kChunkCounters *
                   sizeof(jlong)),
      counts_types_(CountsTypes(options)),
      reach_(static_cast<uint32_t>(options.stripes)),
      counters_(counter_space_, static_cast<uint32_t>(options.stripes), reach_),
      site_space_(kChunkSites),
      types_(site_space_, classes, NamingBy(proxies),
             {.spill_slots = heap.spill_slots,
              .hash_names_bytes = std::min(kMostHashBytes, budget.limit() / kHashShare)},
             reach_) {
  counter_space_.Configure(1, wake);
  if (counts_types_) {
    site_space_.Configure(1, wake);
    budget_.Set(instrument::MemoryPart::kSpill, SpillBytes(heap_.spill_slots));
    types_.LimitHarvested(budget_.limit() / kHarvestedShare);
  }
  // The minimum, without which nothing can be counted.
  const uint64_t least = budget_.Used() + chunk_bytes_ + (counts_types_ ? kSiteChunkBytes : 0);
  budget_.SetLimit(std::max(budget_.limit(), least + kLeastForClasses));
}

std::function<std::string(uint32_t)> ChunkStore::CounterHolders() {
  return [this](uint32_t chunk) { return counters_.HolderName(chunk); };
}

void ChunkStore::GiveSites(instrument::ClassInstrumenter& instrumenter) {
  if (!counts_types_) return;
  instrumenter.UseSites(site_space_, kChunkSites,
                        [this](uint32_t chunk) { return types_.HolderName(chunk); });
}

void ChunkStore::MakeContexts(const instrument::ContextSites& chosen, Log& log) {
  owned_contexts_ = std::make_unique<ContextStacks>(
      chosen, NamingBy(proxies_), std::min(kMostStackBytes, budget_.limit() / kStackShare), log);
}

void ChunkStore::TakeStacks(const instrument::ContextSites& chosen, Log& log,
                            instrument::ClassInstrumenter& instrumenter) {
  MakeContexts(chosen, log);
  contexts_.store(owned_contexts_.get());
  instrumenter.Watch(owned_contexts_->watched());
}

Status ChunkStore::TakeStacksNow(jvmtiEnv* jvmti, JNIEnv* jni,
                                 const instrument::ContextSites& chosen, Log& log,
                                 instrument::ClassInstrumenter& instrumenter) {
  MakeContexts(chosen, log);
  Status status = owned_contexts_->Define(jni);
  if (status.ok()) status = owned_contexts_->Arm(jvmti, jni);
  if (!status.ok()) return status;
  if (window_.is_open()) owned_contexts_->Open(jni);
  contexts_.store(owned_contexts_.get());
  instrumenter.Watch(owned_contexts_->watched());
  return {};
}

void ChunkStore::AnnounceFirst() {
  counter_space_.SetReady(1);
  site_space_.SetReady(1);
}

// Chunks may use what nothing else uses.
void ChunkStore::Share(instrument::CounterSpace& space, instrument::MemoryPart part,
                       uint64_t chunk_bytes, uint64_t later_bytes, uint32_t most_chunks) {
  const uint32_t ready = space.statistics().ready;
  budget_.Set(part, ready * chunk_bytes + space.bytes());
  // Leave a part for classes and for the other kind of chunks.
  const uint64_t known = budget_.Used(instrument::MemoryPart::kClasses);
  const uint64_t reserved = std::max(kLeastForClasses, budget_.limit() / kClassShare);
  const uint64_t for_ready = ready * later_bytes;
  const uint64_t spoken_for = reserved - std::min(reserved, known) + for_ready -
                              std::min(for_ready, budget_.Used(instrument::MemoryPart::kLoaders));
  const uint64_t left = budget_.Left() - std::min(budget_.Left(), spoken_for);
  const uint64_t mine = counts_types_ ? left / 2 : left;
  const uint64_t more = std::min<uint64_t>(mine / (chunk_bytes + later_bytes), most_chunks);
  space.SetCap(std::min(ready + static_cast<uint32_t>(more), most_chunks));
}

void ChunkStore::ShareBudget() {
  using instrument::MemoryPart;
  const HiddenNames& names = proxies_.names();
  budget_.Set(MemoryPart::kNames, names.bytes() + names.lambda_numbers().bytes());
  if (contexts() != nullptr) budget_.Set(MemoryPart::kContexts, contexts()->bytes());
  budget_.Set(MemoryPart::kLoaders, reach_.loader_holders().bytes());
  Share(counter_space_, MemoryPart::kCounters, chunk_bytes_, 0, heap_.counter_chunks);
  if (!counts_types_) return;
  Share(site_space_, MemoryPart::kSites, kSiteChunkBytes,
        reach_.has_members() ? 0 : LoaderHolders::kSiteObjectsBytes, heap_.site_chunks);
  budget_.Set(MemoryPart::kTypes, types_.harvested_bytes() + types_.hash_statistics().bytes);
}

Status ChunkStore::DefineEarly(JNIEnv* jni, bool early) {
  const uint32_t chunks = early ? kEarlyChunks : 1;
  const uint32_t site_chunks = early ? kEarlySiteChunks : 1;
  Status status = reach_.Define(jni);
  if (status.ok()) status = counters_.DefineEarly(jni, std::min(chunks, counter_space_.Cap()));
  if (status.ok() && counts_types_)
    status = types_.DefineEarly(jni, std::min(site_chunks, site_space_.Cap()));
  if (status.ok() && contexts() != nullptr) status = contexts()->Define(jni);
  return status;
}

Status ChunkStore::FinishStart(jvmtiEnv* jvmti, JNIEnv* jni,
                               const std::function<Status()>& report_classes) {
  Status status = counters_.InitialiseDefined(jni);
  if (status.ok()) status = counters_.StartStriping(jni);
  if (status.ok() && counts_types_) status = types_.InitialiseDefined(jni);
  if (status.ok() && counts_types_) status = types_.ArmSlowPath(jvmti, jni, report_classes);
  if (status.ok()) status = reach_.Open(jni);
  if (status.ok() && contexts() != nullptr) status = contexts()->Arm(jvmti, jni);
  if (status.ok() && contexts() != nullptr && window_.is_open()) contexts()->Open(jni);
  return status;
}

void ChunkStore::ExpectClasses(uint32_t classes) {
  // Twice the average of a Spring server.
  constexpr uint32_t kCountersOfClass = 64;
  constexpr uint32_t kSitesOfClass = 48;
  counter_space_.Expect(classes * kCountersOfClass);
  site_space_.Expect(classes * kSitesOfClass);
}

void ChunkStore::DefineAhead(JNIEnv* jni, Log& log) {
  ShareBudget();
  if (Status status = counters_.DefineAhead(jni); !status.ok()) log.Step(status.message());
  if (!counts_types_) return;
  if (Status status = types_.DefineAhead(jni); !status.ok()) log.Step(status.message());
}

void ChunkStore::Harvest(jvmtiEnv* jvmti, JNIEnv* jni) {
  const auto now = std::chrono::steady_clock::now();
  if (!counts_types_ || (now < next_harvest_ && !types_.FillsUp(jni))) return;
  types_.Harvest(jvmti, jni);
  next_harvest_ = now + kHarvestPeriod;
}

void ChunkStore::Unload(jvmtiEnv* jvmti, JNIEnv* jni, instrument::ClassInstrumenter& instrumenter) {
  const LocalFrame frame(jni);
  JvmCounters counters(jvmti, jni, counters_, types_, window_, taken_, site_taken_);
  instrumenter.Unload(counters, types_.rounds());
}

bool ChunkStore::IsUnloadDue(instrument::ClassInstrumenter& instrumenter) const {
  return instrumenter.IsUnloadDue(types_.rounds());
}

std::optional<TypeCounts> ChunkStore::RawTypes(jvmtiEnv* jvmti, JNIEnv* jni,
                                               std::chrono::milliseconds patience) const {
  if (!counts_types_) return std::nullopt;
  TypeChunks::Collected types = types_.Collect(jvmti, jni, patience);
  if (!types.whole) return std::nullopt;
  return std::move(types.counts);
}

ChunkStore::Reading ChunkStore::ReadRaw(jvmtiEnv* jvmti, JNIEnv* jni,
                                        std::chrono::milliseconds patience) const {
  Reading reading;
  counters_.Read(jni, &reading.counts.counters);
  if (!counts_types_) return reading;
  TypeChunks::Collected types = types_.Collect(jvmti, jni, patience);
  reading.counts.types = std::move(types.counts);
  reading.whole = types.whole;
  return reading;
}

ChunkStore::Reading ChunkStore::Read(jvmtiEnv* jvmti, JNIEnv* jni,
                                     std::chrono::milliseconds patience) const {
  Reading reading = ReadRaw(jvmti, jni, patience);
  reading.counts = window_.Within(std::move(reading.counts));
  return reading;
}

bool ChunkStore::Read(jvmtiEnv* jvmti, JNIEnv* jni, std::chrono::milliseconds patience,
                      std::vector<uint64_t>* counters, TypePairs* pairs) {
  counters_.Read(jni, counters);
  window_.CountersWithin(counters);
  if (!counts_types_) return true;
  pairs->BeginReading();
  bool whole = true;
  if (const TypeCounts* const at_close = window_.types_at_close()) {
    pairs->AddAll(*at_close);
  } else {
    whole = types_.Collect(jvmti, jni, patience, pairs);
  }
  pairs->SubtractAll(window_.types_outside());
  return whole;
}

bool ChunkStore::ResetWindow(jvmtiEnv* jvmti, JNIEnv* jni, std::chrono::milliseconds patience) {
  Reading now = ReadRaw(jvmti, jni, patience);
  if (!now.whole) return false;
  window_.Reset(std::move(now.counts));
  if (contexts() != nullptr) contexts()->Reset(patience);
  budget_.Set(instrument::MemoryPart::kWindow, window_.bytes());
  return true;
}

bool ChunkStore::CloseWindow(jvmtiEnv* jvmti, JNIEnv* jni, std::chrono::milliseconds patience) {
  Reading now = ReadRaw(jvmti, jni, patience);
  if (!now.whole) return false;
  window_.Close(std::move(now.counts));
  if (contexts() != nullptr) contexts()->Close(jni);
  budget_.Set(instrument::MemoryPart::kWindow, window_.bytes());
  return true;
}

bool ChunkStore::OpenWindow(jvmtiEnv* jvmti, JNIEnv* jni, std::chrono::milliseconds patience) {
  const Reading now = ReadRaw(jvmti, jni, patience);
  if (!now.whole) return false;
  window_.Open(now.counts);
  if (contexts() != nullptr) contexts()->Open(jni);
  budget_.Set(instrument::MemoryPart::kWindow, window_.bytes());
  return true;
}

uint64_t ChunkStore::refusals() const {
  return counter_space_.statistics().refused_cap + site_space_.statistics().refused_cap;
}

std::string ChunkStore::Report() const {
  const auto space = counter_space_.statistics();
  std::string report =
      fmt::format("counters: {} in {} chunks, {} KiB of heap; {} free for reuse\n", space.counters,
                  space.ready, space.ready * chunk_bytes_ / 1024, space.free);
  if (counts_types_) {
    const auto sites = site_space_.statistics();
    report += fmt::format("sites: {} in {} chunks, {} harvests\n", sites.counters, sites.ready,
                          types_.harvests());
    const auto hashes = types_.hash_statistics();
    report += fmt::format("classes that may be unloaded: {} known by hash, {} names, {} KiB\n",
                          hashes.classes, hashes.names, hashes.bytes / 1024);
    if (hashes.refused > 0) {
      report += fmt::format("classes that may be unloaded, beyond the limit: {}\n", hashes.refused);
    }
  }
  if (contexts() != nullptr) report += contexts()->Report();
  return report + reach_.loader_holders().Report();
}

std::string ChunkStore::LeftAlone() const { return reach_.loader_holders().LeftAlone(); }

}  // namespace iprof::vm
