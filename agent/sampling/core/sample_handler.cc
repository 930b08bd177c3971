// Runs inside the sampling signal handler. Allowed: atomics, plain memory, clock_gettime, getpid,
// and the two hooks.
#include "agent/sampling/core/sample_handler.h"

#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <span>

#include "agent/sampling/arch/adapter.h"
#include "agent/sampling/core/crash_guard.h"
#include "agent/sampling/core/handler_trap.h"
#include "writer/base/time_period.h"

namespace iprof::sampling {
namespace {

// AsyncGetCallTrace uses some kilobytes of stack. HotSpot's guard pages are the lowest 16 to 32 KB
// of the stack.
constexpr uintptr_t kStackRoom = 56 << 10;
// How far recovery reads up a stack whose end is unknown.
constexpr uintptr_t kUnknownStackReach = 2048;
// How far above the stack pointer the last Java frame may be if the stack's end is unknown.
constexpr uintptr_t kUnknownAnchorReach = 512 << 10;

HandlerView view_storage;
std::atomic<const HandlerView*> active{nullptr};
OrphanCounters orphans;

class KeepErrno {
 public:
  KeepErrno() : saved_(errno) {}
  ~KeepErrno() { errno = saved_; }
  KeepErrno(const KeepErrno&) = delete;
  KeepErrno& operator=(const KeepErrno&) = delete;

 private:
  const int saved_;
};

// A system call. But a thread may lose its processor in the handler, and what others do then is not the handler's cost.
uint64_t ThreadCpuNs() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return static_cast<uint64_t>(used.tv_sec) * 1000000000U + static_cast<uint64_t>(used.tv_nsec);
}

struct GuardedCall {
  AsyncGetCallTraceFn get_call_trace;
  CallTrace trace;
  int32_t depth;
  void* context;

  static void Run(void* self) {
    auto* call = static_cast<GuardedCall*>(self);
    call->get_call_trace(&call->trace, call->depth, call->context);
  }
};

struct GuardedPop {
  const Processor* processor;
  const MachineContext* at;
  FrameAt where;
  const StackView* view;
  PoppedLeaf popped;
  bool found;

  static void Run(void* self) {
    auto* pop = static_cast<GuardedPop*>(self);
    pop->found = pop->processor->PopLeaf(*pop->at, pop->where, *pop->view, &pop->popped);
  }
};

// Fills the stamps of frames.
struct GuardedStamps {
  const CodeFacts* facts;
  std::span<CallFrame> frames;

  static CodeStamp StampOf(const CodeFacts& facts, const CallFrame& frame) {
    if (!facts.known || frame.method == nullptr || frame.bci < 0) return {};
    const char* const method = *static_cast<const char* const*>(frame.method);
    if (method == nullptr) return {};
    const char* const code = *reinterpret_cast<const char* const*>(method + facts.code_in_method);
    const uint32_t length = *reinterpret_cast<const uint16_t*>(code + facts.size_in_code);
    const auto bci = static_cast<uint32_t>(frame.bci);
    if (bci >= length) return {};
    const auto op = static_cast<uint8_t>(code[facts.bytes_in_code + bci]);
    return CodeStamp::Of(length, facts.is_call[op]);
  }

  static void Run(void* self) {
    auto* stamps = static_cast<GuardedStamps*>(self);
    for (CallFrame& frame : stamps->frames) frame.code = StampOf(*stamps->facts, frame);
  }
};

template <typename T>
T* AtOffset(void* env, ptrdiff_t offset) {
  return reinterpret_cast<T*>(static_cast<char*>(env) + offset);
}

class Sample {
 public:
  Sample(const HandlerView& view, ThreadSlot* slot, void* context, uint64_t weight)
      : view_(view), slot_(slot), context_(context), weight_(weight) {}

  SampleOutcome Take() {
    if (view_.stopped->load(std::memory_order_relaxed)) return SampleOutcome::kLate;
    if (slot_->crashed) return SampleOutcome::kAfterCrash;
    void* env = slot_->ask_env ? view_.current_env() : slot_->env.load(std::memory_order_relaxed);
    if (env == nullptr) return SampleOutcome::kNotJava;
    const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
    if (slot_->stack_low <= here && here < slot_->stack_high &&
        here - slot_->stack_low < kStackRoom)
      return SampleOutcome::kNoStackRoom;
    // One more frame for a leaf that recovery may put in front, and one more than requested, to
    // notice that the stack was cut.
    GuardedCall call{view_.get_call_trace, {env, 0, slot_->frames + 1}, view_.depth + 1, context_};
    if (!CrashGuard::Guarded(slot_, GuardedCall::Run, &call)) return Crash();
    const int32_t frames = call.trace.num_frames;
    if (frames > 0) return Store(slot_->frames + 1, frames, SampleOutcome::kGood);
    if (frames == 0) return SampleOutcome::kNoJavaFrame;
    AddOwned(slot_->raw_failed, 1);
    AddOwned(slot_->raw_failed_weight, weight_);
    return view_.processor != nullptr ? Recover(call, OutcomeOfCode(frames))
                                      : OutcomeOfCode(frames);
  }

 private:
  SampleOutcome Crash() {
    slot_->crashed = true;
    return SampleOutcome::kCrashed;
  }

  SampleOutcome Recover(GuardedCall& call, SampleOutcome failed) {
    SampleOutcome outcome = failed;
    switch (failed) {
      case SampleOutcome::kUnknownJava:
      case SampleOutcome::kNotWalkableJava:
        // The last Java frame is set while generated code is calling the VM or returning from it.
        if (HasAnchor(call.trace.env)) outcome = RecoverByAnchor(call, failed);
        return outcome == failed ? RecoverByPopping(call, failed) : outcome;
      case SampleOutcome::kUnknownNotJava:
      case SampleOutcome::kNotWalkableNotJava:
        if (!view_.anchor.known) return failed;
        // No last Java frame: a VM thread, or a thread that is starting, ending, or loading its
        // first classes.
        return HasAnchor(call.trace.env) ? RecoverByAnchor(call, failed)
                                         : SampleOutcome::kNoJavaFrame;
      default:
        return failed;
    }
  }

  bool HasAnchor(void* env) const {
    return view_.anchor.known && *AtOffset<uintptr_t>(env, view_.anchor.sp_from_env) != 0;
  }

  bool Again(GuardedCall& call) {
    call.trace.num_frames = 0;
    return CrashGuard::Guarded(slot_, GuardedCall::Run, &call);
  }

  // Adds the missing parts of the thread's last Java frame, and calls AsyncGetCallTrace again.
  SampleOutcome RecoverByAnchor(GuardedCall& call, SampleOutcome failed) {
    auto* sp_slot = AtOffset<uintptr_t>(call.trace.env, view_.anchor.sp_from_env);
    auto* pc_slot = AtOffset<uintptr_t>(call.trace.env, view_.anchor.pc_from_env);
    const uintptr_t sp = *sp_slot;
    const uintptr_t here = ReadContext(*static_cast<const ucontext_t*>(context_)).sp;
    if (sp % sizeof(uintptr_t) != 0 || sp <= here) return failed;
    if (slot_->stack_high != 0 ? sp > slot_->stack_high : sp - here > kUnknownAnchorReach)
      return failed;
    if (*pc_slot == 0) {
      const uintptr_t pc = reinterpret_cast<const uintptr_t*>(sp)[-1];
      if (view_.code->Find(pc) == nullptr) return failed;
      // It stays set, as it does when HotSpot itself walks a stack. Clearing it could confuse a
      // collector that has just read it.
      *pc_slot = pc;
      if (!Again(call)) return Crash();
      if (call.trace.num_frames > 0)
        return Store(slot_->frames + 1, call.trace.num_frames, SampleOutcome::kRecovered);
    }
    return RecoverFromStub(call, failed, sp_slot, pc_slot);
  }

  // HotSpot cannot walk C1's stubs. For the duration of the call, the last Java frame is set to the
  // compiled method that called the stub. Only in states in which no other thread walks this
  // thread's stack.
  SampleOutcome RecoverFromStub(GuardedCall& call, SampleOutcome failed, uintptr_t* sp_slot,
                                uintptr_t* pc_slot) {
    if (view_.anchor.in_vm < 0) return failed;
    const int state = *AtOffset<int>(call.trace.env, view_.anchor.state_from_env);
    if (state != view_.anchor.in_java && state != view_.anchor.in_vm) return failed;
    const uintptr_t sp = *sp_slot;
    const uintptr_t pc = *pc_slot;
    MachineContext caller;
    const uintptr_t end = slot_->stack_high != 0 ? slot_->stack_high : sp + kUnknownStackReach;
    const StackView stack{end, *view_.code, view_.interpreter};
    if (!view_.processor->FindCallerOfStub(pc, sp, stack, &caller)) return failed;
    *sp_slot = caller.sp;
    *pc_slot = caller.pc;
    const bool survived = Again(call);
    *sp_slot = sp;
    *pc_slot = pc;
    if (!survived) return Crash();
    const int32_t frames = call.trace.num_frames;
    return frames > 0 ? Store(slot_->frames + 1, frames, SampleOutcome::kRecovered) : failed;
  }

  SampleOutcome RecoverByPopping(GuardedCall& call, SampleOutcome failed) {
    MachineContext at = ReadContext(*static_cast<const ucontext_t*>(context_));
    const bool bounded = slot_->stack_low <= at.sp && at.sp < slot_->stack_high;
    const StackView stack{bounded ? slot_->stack_high : at.sp + kUnknownStackReach, *view_.code,
                          view_.interpreter};
    bool has_leaf = false;
    // At most: native code, the stub that called it, and the method that called the stub before its
    // own frame was complete.
    constexpr int kPops = 3;
    for (int pops = 0; pops < kPops; ++pops) {
      const FrameAt where = pops == 0 ? FrameAt::kInterrupted : FrameAt::kCall;
      GuardedPop pop{view_.processor, &at, where, &stack, {}, false};
      // A fault here is in our own code. No code of HotSpot was skipped, so the thread stays
      // watched.
      if (!CrashGuard::Guarded(slot_, GuardedPop::Run, &pop) || !pop.found) return failed;
      if (const CodeRange* leaf = pop.popped.leaf; leaf != nullptr) {
        if (has_leaf) return failed;
        has_leaf = true;
        slot_->frames[0] = {leaf->BciAt(pop.popped.leaf_pc), leaf->method};
      }
      at = pop.popped.caller;
      MachineContext ask = at;
      ask.pc = view_.processor->InsideCall(at.pc, *view_.code);
      slot_->context = *static_cast<const ucontext_t*>(context_);
      WriteContext(ask, &slot_->context);
      call.context = &slot_->context;
      if (!Again(call)) return Crash();
      const int32_t frames = call.trace.num_frames;
      if (frames <= 0) continue;
      return has_leaf ? Store(slot_->frames, frames + 1, SampleOutcome::kRecovered)
                      : Store(slot_->frames + 1, frames, SampleOutcome::kRecovered);
    }
    return failed;
  }

  uint32_t Period() const {
    constexpr uint64_t kSecondNs = 1'000'000'000;
    const uint64_t now = MonotonicNs();
    const uint64_t began = view_.began_ns->load(std::memory_order_relaxed);
    return now > began ? PeriodAt((now - began) / kSecondNs) : 0;
  }

  SampleOutcome Store(CallFrame* frames, int32_t count, SampleOutcome outcome) {
    const bool cut = count > view_.depth;
    if (cut) AddOwned(slot_->cut, 1);
    const std::span<CallFrame> kept(frames, static_cast<size_t>(cut ? view_.depth : count));
    for (CallFrame& frame : kept) frame.code = {};
    GuardedStamps stamps{&view_.method_code, kept};
    // After a fault the rest has no stamps. No code of HotSpot was skipped, so the thread stays watched.
    if (view_.method_code.known) CrashGuard::Guarded(slot_, GuardedStamps::Run, &stamps);
    const TraceLabels labels{slot_->thread.load(std::memory_order_relaxed), Period()};
    if (!view_.table->Add(kept, cut, weight_, &slot_->last_trace, labels))
      return SampleOutcome::kTableFull;
    slot_->last_outcome = outcome;
    return outcome;
  }

  const HandlerView& view_;
  ThreadSlot* const slot_;
  void* const context_;
  const uint64_t weight_;
};

void CountOrphan(SampleOutcome outcome, uint64_t weight) {
  orphans.received.fetch_add(1, std::memory_order_relaxed);
  orphans.signals[static_cast<size_t>(outcome)].fetch_add(1, std::memory_order_relaxed);
  orphans.weight[static_cast<size_t>(outcome)].fetch_add(weight, std::memory_order_relaxed);
}

void Count(ThreadSlot* slot, SampleOutcome outcome, uint64_t weight) {
  AddOwned(slot->signals[static_cast<size_t>(outcome)], 1);
  AddOwned(slot->weight[static_cast<size_t>(outcome)], weight);
}

// Answers whether this is a Java thread. The thread that asked waits for the slot's state to
// change.
void AnswerRollCall(const HandlerView* view, ThreadSlot* called) {
  SlotState expected = SlotState::kCalled;
  if (view == nullptr || view->stopped->load(std::memory_order_relaxed) ||
      CurrentSlot() != nullptr) {
    called->state.compare_exchange_strong(expected,
                                          SlotState::kNotJava);  // already watched, or too late
    return;
  }
  void* env = view->current_env();
  if (env == nullptr) {
    called->state.compare_exchange_strong(expected, SlotState::kNotJava);
    return;
  }
  called->env.store(env, std::memory_order_relaxed);
  if (view->anchor.knows_stack) {
    const uintptr_t base = *AtOffset<uintptr_t>(env, view->anchor.stack_base_from_env);
    const uintptr_t size = *AtOffset<uintptr_t>(env, view->anchor.stack_size_from_env);
    called->stack_low = base - size;
    called->stack_high = base;
  }
  SetCurrentSlot(called);
  if (!called->state.compare_exchange_strong(expected, SlotState::kAnswered))
    SetCurrentSlot(nullptr);
}

}  // namespace

void OnSampleSignal(int, siginfo_t* info, void* context) {
  const KeepErrno keep_errno;
  const HandlerScope trap;
  const bool from_timer = info->si_code == SI_TIMER;
  const bool queued =
      info->si_code == SI_QUEUE && info->si_errno == kQueuedMark && info->si_pid == getpid();
  auto* meant = static_cast<ThreadSlot*>(info->si_value.sival_ptr);
  if (queued && meant->state.load(std::memory_order_acquire) == SlotState::kCalled) {
    AnswerRollCall(active.load(std::memory_order_acquire), meant);
    return;
  }
  ThreadSlot* slot = CurrentSlot();
  uint64_t weight = 1;
  if (from_timer && info->si_overrun > 0) weight += static_cast<uint64_t>(info->si_overrun);
  if (queued && slot == meant) {
    weight = slot->sent_weight.exchange(0, std::memory_order_acq_rel);
    slot->signal_pending.store(false, std::memory_order_release);
  } else if (!from_timer) {
    if (!queued) weight = 0;  // a signal from another sender stands for no interval
    // If this standard signal was pending, the kernel dropped ours; the ticker sends it again.
    if (slot != nullptr) slot->signal_pending.store(false, std::memory_order_release);
  }
  if (slot == nullptr) {
    // WeighEnd already added the weight of the timer's signal when its thread ended.
    if (from_timer) weight = 0;
    CountOrphan(from_timer || queued ? SampleOutcome::kLate : SampleOutcome::kForeign, weight);
    return;
  }
  if (from_timer) weight *= slot->units.load(std::memory_order_relaxed);
  AddOwned(slot->received, 1);
  const uint64_t sequence = slot->sequence.load(std::memory_order_relaxed);
  if (sequence % 2 == 1) {
    Count(slot, SampleOutcome::kReentered, weight);
    return;
  }
  slot->sequence.store(sequence + 1, std::memory_order_seq_cst);
  // Load the view only now, with the sequence odd. A thread that closes the session waits for odd
  // sequences; a view loaded earlier might already be gone.
  const HandlerView* view = active.load(std::memory_order_seq_cst);
  const bool is_paced = view != nullptr && view->pace != nullptr && from_timer;
  const uint64_t begin = is_paced ? ThreadCpuNs() : MonotonicNs();
  SampleOutcome outcome = SampleOutcome::kForeign;
  if (from_timer || queued) {
    outcome = view != nullptr && slot == meant ? Sample(*view, slot, context, weight).Take()
                                               : SampleOutcome::kLate;
  }
  Count(slot, outcome, weight);
  if (from_timer) slot->taken_weight += weight;
  if (slot->last_trace == ThreadSlot::kNoTrace) slot->last_outcome = outcome;
  const uint64_t taken_ns = (is_paced ? ThreadCpuNs() : MonotonicNs()) - begin;
  AddOwned(slot->handler_ns, taken_ns);
  if (is_paced) {
    const bool has_stack = outcome == SampleOutcome::kGood || outcome == SampleOutcome::kRecovered;
    view->pace->Add(has_stack, weight, taken_ns);
  }
  slot->sequence.store(sequence + 2, std::memory_order_release);
}

bool OpenHandler(const HandlerView& view) {
  if (active.load(std::memory_order_relaxed) != nullptr) return false;
  view_storage = view;
  active.store(&view_storage, std::memory_order_seq_cst);
  return true;
}

void CloseHandler() { active.store(nullptr, std::memory_order_seq_cst); }

OrphanCounters& Orphans() { return orphans; }

void ResetOrphans() {
  for (auto& each : orphans.signals) each.store(0, std::memory_order_relaxed);
  for (auto& each : orphans.weight) each.store(0, std::memory_order_relaxed);
  orphans.received.store(0, std::memory_order_relaxed);
}

}  // namespace iprof::sampling
