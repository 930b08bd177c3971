// What a session records: its recorders, and what each is told of the others. See session.h.
#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "agent/vm/cells/heap_plan.h"
#include "agent/vm/classes/other_agents.h"
#include "agent/vm/counting/class_origin_choice.h"
#include "agent/vm/counting/counting.h"
#include "agent/vm/counting/counting_environment.h"
#include "agent/vm/events/allocations.h"
#include "agent/vm/events/event_stacks.h"
#include "agent/vm/events/locks.h"
#include "agent/vm/jvmti/jdk_version.h"
#include "agent/vm/jvmti/vm_flags.h"
#include "agent/vm/sampling/sampling.h"
#include "agent/vm/session/counted_positions.h"
#include "agent/vm/session/harvest_recorder.h"
#include "agent/vm/session/session.h"

namespace iprof::vm {
namespace {

CountingPlan PlanFor(const Options& options, bool late, const VmFlags& flags,
                     uint64_t budget_bytes) {
  return PlanCounting(
      options, late,
      {[&](std::string_view name) { return flags.Bool(name); },
       [&](std::string_view name) { return flags.Text(name); },
       [&](std::string_view prefix) { return flags.LastArgument(prefix); }},
      {.budget_bytes = budget_bytes, .most_heap_bytes = flags.Number("MaxHeapSize")});
}

}  // namespace

// Null if nothing is counted.
Result<Counting*> Session::AddCounting() {
  if (!AsksForCounts(settings_.options)) return static_cast<Counting*>(nullptr);
  const VmFlags flags(vm_);
  CountingPlan plan = PlanFor(settings_.options, begins_late_, flags, budget_.limit());
  plan.names_lambdas = hidden_ != nullptr;
  plan.pause = std::chrono::nanoseconds(settings_.options.pause.ns);
  wants_early_start_ = plan.startup.start == CountingStart::kFirstBytecode;
  plan.restorable =
      plan.restorable || FindOtherAgents(flags.Arguments(), OwnLibrary()).after.empty();
  if (!counting_environment_) {
    Result<JvmtiEnvironment> opened = OpenForCounting(vm_, plan.startup.start, plan.restorable);
    if (!opened.ok()) return opened.status();
    counting_environment_ = std::move(*opened);
  }
  if (earlier_weights_ != nullptr)
    budget_.Set(instrument::MemoryPart::kWeights, earlier_weights_->bytes());
  plan.weights = std::make_shared<const instrument::KnownWeights>(std::move(earlier_weights_));
  plan.keeps_old_bytes = SwapGuard::IsNeededIn(JdkVersion(environment_.get()));
  auto origin = MakeClassOrigin(flags.Arguments(), plan, *log_);
  auto counting = std::make_unique<Counting>(
      CountingContext{
          vm_, *log_, classes_, proxies_, class_watch_, budget_,
          [this](JNIEnv* jni) {
            for (const auto& recorder : recorders()) recorder->ClassesSwapped(jni);
          },
          [this](uint64_t done, uint64_t all) { steps_.At(control::Step::kClasses, done, all); },
          [this](RecordSink& sink) { return harvest_ != nullptr && harvest_->NeedsExact(sink); }},
      std::move(plan), std::move(origin));
  if (Status status = counting->Open(std::move(counting_environment_)); !status.ok()) return status;
  if (hidden_ != nullptr) hidden_->CountWith(*counting);
  Counting* const made = counting.get();
  recorders_.push_back(std::move(counting));
  return made;
}

void Session::AddSampling(Counting* counting) {
  SamplingKnowledge knowledge{.names = &hidden_names_, .looks_after_unloaded = counting == nullptr};
  if (counting != nullptr) {
    knowledge.swaps_classes = counting->changes_code() == CodeChange::kUntilPause;
    knowledge.positions = [counting] { return std::make_unique<CountedPositions>(*counting); };
  } else {
    // Counting swaps the classes anyway, and with them goes all old code.
    knowledge.renewal = RenewalMeans();
  }
  recorders_.push_back(std::make_unique<Sampling>(vm_, settings_.options, *log_, classes_,
                                                  class_watch_, budget_, std::move(knowledge)));
}

std::optional<CodeMeans> Session::RenewalMeans() {
  if (!settings_.options.precise || use_refresher_ == nullptr) return std::nullopt;
  const std::chrono::nanoseconds pause(settings_.options.pause.ns);
  const auto use = [this](JNIEnv* jni, const std::function<void(Refresher&)>& body) {
    if (const Status status = use_refresher_(jni, body); !status.ok())
      log_->Step(fmt::format("code cannot be compiled again: {}", status.message()));
  };
  using GoesOn = CodeMeans::GoesOn;
  return CodeMeans{
      .discard =
          [=, this](JNIEnv* jni, const GoesOn& goes_on) {
            log_->Step("hot code from before the recording has imprecise lines: it is discarded");
            use(jni, [&](Refresher& it) { it.DiscardOldCode(jni, pause, goes_on); });
          },
      .swap =
          [=, this](JNIEnv* jni, const ClassNames& names, const GoesOn& goes_on) {
            RestoredClasses done;
            use(jni, [&](Refresher& it) { done = it.Run(jni, names, pause, goes_on); });
            log_->Step(fmt::format("for precise lines: {}", Refresher::Text(done)));
            return done.outcome.classes;
          },
      .looping =
          [=](JNIEnv* jni) {
            std::optional<ClassNames> names;
            use(jni, [&](Refresher& it) { names = it.ClassesInLoops(jni); });
            return names;
          },
      // What HotSpot has counted of the hot methods is to be in the profile.
      .may_swap_hot = !settings_.options.Harvests()};
}

void Session::AddHarvest(Counting* counting) {
  ExactKnowledge exact;
  if (counting != nullptr) {
    exact.is_counted = [counting](std::string_view name) { return counting->Knows(name); };
    exact.to_class_file = ToClassFileBy(*counting);
  }
  auto harvest = std::make_unique<HarvestRecorder>(vm_, settings_.options, target_jdk_, *log_,
                                                   budget_, std::move(exact));
  harvest_ = harvest.get();
  recorders_.push_back(std::move(harvest));
}

// Their stacks get a share of what is left beside samples, and live objects at most another one.
void Session::AddEvents(Counting* counting) {
  constexpr uint64_t kShare = 8;
  constexpr uint64_t kMostBytes = 32 << 20;
  constexpr uint64_t kObjectBytes = 64;
  constexpr uint64_t kMostObjects = 32'768;
  const uint64_t most_bytes = std::min(budget_.limit() / kShare, kMostBytes);
  EventStacks::ToClassFile to_class_file;
  if (counting != nullptr) {
    to_class_file = [counting](std::span<EventStacks::Position> asked) {
      std::vector<ClassFilePositions::Position> positions;
      for (const EventStacks::Position& one : asked)
        positions.push_back(
            {one.class_descriptor, one.name, one.descriptor, one.running, one.code});
      counting->positions().Translate(positions);
      for (size_t i = 0; i < asked.size(); ++i) asked[i].original = positions[i].original;
    };
  }
  events_ = std::make_unique<EventStacks>(NamingBy(proxies_), std::move(to_class_file),
                                          settings_.options.lines, budget_,
                                          static_cast<size_t>(most_bytes));
  if (settings_.options.alloc.bytes > 0) {
    // These two work while the program runs, and pause four times in each collection.
    const VmFlags flags(vm_);
    const bool is_concurrent =
        flags.Bool("UseZGC").value_or(false) || flags.Bool("UseShenandoahGC").value_or(false);
    const Allocations::Liveness liveness{
        .most_objects = static_cast<size_t>(std::min(most_bytes / 2 / kObjectBytes, kMostObjects)),
        .pauses = is_concurrent ? 4U : 1U};
    recorders_.push_back(std::make_unique<Allocations>(vm_, *log_, *events_,
                                                       settings_.options.alloc.bytes, liveness));
  }
  if (settings_.options.lock.ns > 0) {
    recorders_.push_back(std::make_unique<Locks>(
        vm_, *log_, *events_, std::chrono::nanoseconds(settings_.options.lock.ns),
        counting == nullptr ? nullptr : counting->swap_guard()));
  }
}

CodeChange Session::changes_code() const {
  if (!has_begun()) return CodeChange::kNone;
  CodeChange most = CodeChange::kNone;
  for (const auto& recorder : recorders()) most = std::max(most, recorder->changes_code());
  return most;
}

uint64_t Session::AddTo(control::SessionStatus& status, bool is_stopped) const {
  uint64_t cpu_ns = 0;
  uint64_t beyond_budget = 0;
  for (const auto& recorder : recorders()) {
    cpu_ns += recorder->AddTo(status, is_stopped);
    beyond_budget += recorder->bytes_beyond_budget();
  }
  if (snapshots_ != nullptr) cpu_ns += snapshots_->AddTo(status, is_stopped);
  if (!why_no_raw_.empty()) status.no_raw = why_no_raw_;
  status.heap_bytes = budget_.UsedHeap();
  status.native_bytes =
      budget_.Used() - std::min(budget_.Used(), status.heap_bytes) + beyond_budget;
  status.memory_limit_bytes =
      budget_.limit() + static_cast<uint64_t>(settings_.options.samples_memory.bytes);
  return cpu_ns;
}

}  // namespace iprof::vm
