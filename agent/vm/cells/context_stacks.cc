#include "agent/vm/cells/context_stacks.h"

#include <fmt/core.h>
#include <time.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <thread>
#include <tuple>
#include <utility>

#include "agent/vm/cells/chunk_holders.h"
#include "agent/vm/cells/runtime_image.h"
#include "agent/vm/jvmti/boundary.h"
#include "agent/vm/jvmti/jvmti_memory.h"

namespace iprof::vm {
namespace {

// Beyond them, stacks end early.
constexpr size_t kMostMethods = 20'000;
constexpr size_t kMostIds = 50'000;

// A thread that finds another one at work tries again after so many executions.
constexpr jint kLater = 100;

// The process's CPU time costs a fifth of a stack.
constexpr uint64_t kAskEvery = 16;

constexpr std::chrono::milliseconds kPatience{100};

// The recording that takes stacks, and how many threads are in Take.
std::atomic<ContextStacks*> current{nullptr};
std::atomic<int> inside{0};

int64_t Now(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

std::vector<uint64_t> ExecutionsOf(const instrument::ContextSites& chosen) {
  std::vector<uint64_t> executions;
  for (const instrument::ContextSite& site : chosen.sites()) executions.push_back(site.executions);
  return executions;
}

std::vector<bool> CallsOf(const instrument::ContextSites& chosen) {
  std::vector<bool> is_call;
  for (const instrument::ContextSite& site : chosen.sites()) is_call.push_back(site.is_call);
  return is_call;
}

// Holds a flag that another thread may hold.
class Holding {
 public:
  // Waits for it for so long.
  explicit Holding(std::atomic<bool>& flag, std::chrono::milliseconds patience = {}) : flag_(flag) {
    const auto until = std::chrono::steady_clock::now() + patience;
    while (!(holds_ = !flag_.exchange(true)) && std::chrono::steady_clock::now() < until)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ~Holding() {
    if (holds_) flag_.store(false);
  }
  Holding(const Holding&) = delete;
  Holding& operator=(const Holding&) = delete;
  explicit operator bool() const { return holds_; }

 private:
  std::atomic<bool>& flag_;
  bool holds_ = false;
};

}  // namespace

ContextStacks::ContextStacks(const instrument::ContextSites& chosen, TypeNaming naming,
                             uint64_t most_bytes, Log& log)
    : watched_(chosen),
      naming_(std::move(naming)),
      log_(log),
      stacks_(ExecutionsOf(chosen), most_bytes / sizeof(TakenStack),
              static_cast<uint64_t>(Now(CLOCK_MONOTONIC)), CallsOf(chosen)) {
  seen_.own.assign(chosen.sites().size(), kUnknown);
}

bool ContextStacks::IsQuiet() { return inside.load() == 0; }

Status ContextStacks::Define(JNIEnv* jni) {
  if (owner_ != nullptr) return {};  // an earlier start came this far
  const Result<jclass> defined =
      DefineBootClass(jni, instrument::kContextsClassName, ContextsClassBytes());
  if (!defined.ok()) return defined.status();
  owner_ = *defined;
  return {};
}

Status ContextStacks::Arm(jvmtiEnv* jvmti, JNIEnv* jni) {
  if (left_ != nullptr) return {};
  jvmti_ = jvmti;
  // Also runs the initialiser.
  const Result<jobject> left = KeepStaticObject(jni, owner_, "left", "[I");
  if (!left.ok()) return left.status();
  left_ = static_cast<jintArray>(*left);
  armed_ = jni->GetStaticFieldID(owner_, "armed", "Z");
  if (armed_ == nullptr) return JniFailed(jni, "find how stacks are taken");
  for (uint32_t site = 0; site < stacks_.site_count(); ++site) SetDistance(jni, site);
  return {};
}

// Has the JVM find the native method. It looks in the libraries of agents. (To register it would print a warning to the program's
// stdout.) The JVM runs Java code for that, so no probe may call the method yet.
bool ContextStacks::Link(JNIEnv* jni) {
  if (is_linked_) return true;
  jmethodID take =
      jni->GetStaticMethodID(owner_, "take", "(Ljava/lang/Object;Ljava/lang/Object;III)V");
  constexpr jint kNoSite = -1;
  if (take != nullptr) jni->CallStaticVoidMethod(owner_, take, nullptr, nullptr, 0, 0, kNoSite);
  is_linked_ = jni->ExceptionCheck() == JNI_FALSE;
  if (!is_linked_) jni->ExceptionClear();
  return is_linked_;
}

void ContextStacks::Open(JNIEnv* jni) {
  if (left_ == nullptr) return;
  wants_open_.store(true);
  Work(jni);
}

void ContextStacks::Work(JNIEnv* jni) {
  if (!wants_open_.load() || !Link(jni)) return;
  wants_open_.store(false);
  if (const Holding holding(busy_, kPatience); holding)
    budget_.Begin(Now(CLOCK_PROCESS_CPUTIME_ID));
  current.store(this);
  jni->SetStaticBooleanField(owner_, armed_, JNI_TRUE);
}

void ContextStacks::Close(JNIEnv* jni) {
  if (left_ == nullptr) return;
  wants_open_.store(false);
  jni->SetStaticBooleanField(owner_, armed_, JNI_FALSE);
  current.store(nullptr);
  const Holding holding(busy_, kPatience);
  if (!holding) return;
  for (const auto& [id, known] : ids_) jni->DeleteWeakGlobalRef(known.klass);
  ids_.clear();
}

void ContextStacks::Reset(std::chrono::milliseconds patience) {
  if (const Holding holding(busy_, patience); holding) stacks_.Forget();
}

void ContextStacks::Take(JNIEnv* jni, jint site, const Operands& operands) {
  inside.fetch_add(1);
  if (ContextStacks* const self = current.load(); self != nullptr) {
    AtBoundary(self->log_, "taking a stack",
               [&] { self->TakeAt(jni, static_cast<uint32_t>(site), operands); });
  }
  inside.fetch_sub(1);
}

void ContextStacks::TakeAt(JNIEnv* jni, uint32_t site, const Operands& operands) {
  if (site >= stacks_.site_count()) return;
  const Holding holding(busy_);
  if (!holding) {
    ++lost_[kBusy];
    jni->SetIntArrayRegion(left_, static_cast<jsize>(site), 1, &kLater);
    return;
  }
  // First, so that a failure does not come again at once.
  SetDistance(jni, site);
  const int64_t begin = Now(CLOCK_THREAD_CPUTIME_ID);
  TakenStack stack;
  const bool is_whole = TakeStack(jni, site, operands, stack);
  budget_.Spend(Now(CLOCK_THREAD_CPUTIME_ID) - begin);
  if (!is_whole) return;
  const uint64_t mean = stacks_.MeanOf(site);
  if (stacks_.taken() % kAskEvery == 0)
    affordable_ = budget_.Affords(Now(CLOCK_PROCESS_CPUTIME_ID));
  stacks_.Add(site, stack, affordable_);
  if (stacks_.MeanOf(site) != mean) SetDistance(jni, site);
}

bool ContextStacks::TakeStack(JNIEnv* jni, uint32_t site, const Operands& operands,
                              TakenStack& stack) {
  const auto outcome = OutcomeOf(jni, site, operands);
  Frames frames;
  if (!outcome) {
    ++lost_[kNoOutcome];
  } else if (!ReadFrames(jni, frames)) {
    ++lost_[kNoFrames];
  } else if (!Resolve(jni, site, frames, stack)) {
    ++lost_[kNoMethod];
  } else {
    stack.outcome = *outcome;
    return true;
  }
  return false;
}

void ContextStacks::SetDistance(JNIEnv* jni, uint32_t site) {
  const auto distance = static_cast<jint>(stacks_.DrawDistance(site));
  jni->SetIntArrayRegion(left_, static_cast<jsize>(site), 1, &distance);
}

// nullopt if it cannot be named, or if there is no object.
std::optional<uint32_t> ContextStacks::OutcomeOf(JNIEnv* jni, uint32_t site,
                                                 const Operands& operands) {
  const instrument::WatchedCode* const code = watched_.Find(site);
  if (code == nullptr) return std::nullopt;
  if (!watched_.chosen().sites()[site].is_call) {
    return instrument::WayOf(*code,
                             {operands.first, operands.second,
                              jni->IsSameObject(operands.object, operands.other) == JNI_TRUE});
  }
  if (operands.object == nullptr) return std::nullopt;
  jclass type = jni->GetObjectClass(operands.object);
  JvmtiString signature(jvmti_);
  std::optional<std::string> name;
  if (jvmti_->GetClassSignature(type, signature.address(), nullptr) == JVMTI_ERROR_NONE)
    name = naming_(jvmti_, jni, type, ViewOf(signature));
  jni->DeleteLocalRef(type);
  if (!name) return std::nullopt;
  const auto [known, is_new] = types_.try_emplace(*name, static_cast<uint32_t>(seen_.types.size()));
  if (is_new) seen_.types.push_back(*name);
  return known->second;
}

// By the thread object: without it, HotSpot would wait for all virtual threads that are being mounted.
bool ContextStacks::ReadFrames(JNIEnv* jni, Frames& frames) const {
  jthread thread = nullptr;
  if (jvmti_->GetCurrentThread(&thread) != JVMTI_ERROR_NONE || thread == nullptr) return false;
  const jvmtiError error = jvmti_->GetStackTrace(thread, 0, static_cast<jint>(frames.frames.size()),
                                                 frames.frames.data(), &frames.count);
  jni->DeleteLocalRef(thread);
  return error == JVMTI_ERROR_NONE;
}

bool ContextStacks::Resolve(JNIEnv* jni, uint32_t site, const Frames& frames, TakenStack& stack) {
  bool has_own = false;
  for (jint i = 0; i < frames.count && stack.depth < TakenStack::kMostCallers; ++i) {
    const jvmtiFrameInfo& frame = frames.frames[static_cast<size_t>(i)];
    const uint32_t method = MethodOf(jni, frame.method);
    const FrameKind kind =
        method == kUnknown ? FrameKind::kContinuation : seen_.methods[method].kind;
    if (kind == FrameKind::kProbe && !has_own) continue;
    if (!has_own) {
      if (kind != FrameKind::kOrdinary) return false;
      has_own = true;
      seen_.own[site] = method;
      continue;
    }
    if (kind == FrameKind::kContinuation) break;
    if (kind == FrameKind::kOrdinary) stack.callers[stack.depth++] = PlaceOf(method, frame);
  }
  return has_own;
}

RunningPlace ContextStacks::PlaceOf(uint32_t method, const jvmtiFrameInfo& frame) const {
  if (frame.location < 0) return {method};  // a native method
  jlocation start = 0;
  jlocation end = -1;
  const bool is_known = jvmti_->GetMethodLocation(frame.method, &start, &end) == JVMTI_ERROR_NONE;
  return {method, static_cast<uint16_t>(frame.location),
          is_known ? CodeStamp::Of(static_cast<uint32_t>(end + 1), true) : CodeStamp()};
}

// kUnknown if it cannot be named.
uint32_t ContextStacks::MethodOf(JNIEnv* jni, jmethodID id) {
  if (const auto known = ids_.find(id); known != ids_.end()) {
    if (!jni->IsSameObject(known->second.klass, nullptr)) return known->second.method;
    jni->DeleteWeakGlobalRef(known->second.klass);
    ids_.erase(known);
  }
  jclass klass = nullptr;
  if (jvmti_->GetMethodDeclaringClass(id, &klass) != JVMTI_ERROR_NONE) return kUnknown;
  std::optional<FrameMethod> learnt = LearnFrameMethod(jvmti_, jni, id, klass, naming_);
  uint32_t number = kUnknown;
  if (learnt) {
    std::string key = learnt->class_descriptor + '\n' + learnt->name + '\n' + learnt->descriptor;
    const auto known = methods_.find(key);
    if (known != methods_.end()) {
      number = known->second;
    } else if (seen_.methods.size() < kMostMethods) {
      number = static_cast<uint32_t>(seen_.methods.size());
      methods_.emplace(std::move(key), number);
      seen_.methods.push_back(
          {learnt->kind,
           std::move(learnt->class_descriptor),
           {std::move(learnt->type), std::move(learnt->name), std::move(learnt->descriptor)}});
    }
  }
  jweak weak =
      number == kUnknown || ids_.size() >= kMostIds ? nullptr : jni->NewWeakGlobalRef(klass);
  if (weak != nullptr) {
    ids_.emplace(id, KnownId{weak, number});
  } else if (jni->ExceptionCheck()) {
    jni->ExceptionClear();
  }
  jni->DeleteLocalRef(klass);
  return number;
}

std::optional<ContextSamples> ContextStacks::Samples(const ToClassFile& to_class_file,
                                                     std::chrono::milliseconds patience) {
  Seen seen;
  std::vector<std::vector<TakenStack>> taken;
  {
    const Holding holding(busy_, patience);
    if (!holding) return std::nullopt;
    seen = seen_;
    for (uint32_t site = 0; site < stacks_.site_count(); ++site) {
      const auto stacks = stacks_.StacksOf(site);
      taken.emplace_back(stacks.begin(), stacks.end());
    }
    bytes_.store(stacks_.bytes() + seen_.methods.capacity() * sizeof(Method),
                 std::memory_order_relaxed);
  }
  using Key = std::tuple<uint32_t, uint16_t, uint16_t>;
  const auto key_of = [](const RunningPlace& place) {
    return Key{place.method, place.bci, place.code.bits()};
  };
  std::map<Key, size_t> numbers;
  std::vector<Position> positions;
  for (const auto& stacks : taken) {
    for (const TakenStack& stack : stacks) {
      for (const RunningPlace& place : std::span(stack.callers).first(stack.depth)) {
        if (!numbers.try_emplace(key_of(place), positions.size()).second) continue;
        const Method& method = seen.methods[place.method];
        positions.push_back(
            {method.class_descriptor, method.names.name, method.names.descriptor, place});
      }
    }
  }
  to_class_file(positions);

  uint64_t cut = 0;
  ContextSamples samples;
  for (Method& method : seen.methods) samples.methods.push_back(std::move(method.names));
  samples.types = std::move(seen.types);
  for (uint32_t site = 0; site < taken.size(); ++site) {
    if (taken[site].empty()) continue;
    const instrument::ContextSite& chosen = watched_.chosen().sites()[site];
    ContextSamples::Site& made = samples.sites.emplace_back(
        ContextSamples::Site{chosen.is_call, seen.own[site], chosen.bci, {}});
    std::map<std::vector<uint64_t>, size_t> same;
    for (const TakenStack& stack : taken[site]) {
      ContextSamples::Stack one{.outcome = stack.outcome};
      std::vector<uint64_t> key{stack.outcome};
      for (const RunningPlace& place : std::span(stack.callers).first(stack.depth)) {
        const auto& original = positions[numbers.at(key_of(place))].original;
        if (!original) {
          ++cut;
          break;
        }
        one.callers.push_back({place.method, *original});
        key.push_back(uint64_t{place.method} << 16 | static_cast<uint64_t>(*original));
      }
      const auto [known, is_new] = same.try_emplace(std::move(key), made.stacks.size());
      if (is_new) {
        made.stacks.push_back(std::move(one));
      } else {
        ++made.stacks[known->second].count;
      }
    }
  }
  cut_.store(cut);
  return samples;
}

std::string ContextStacks::Report() {
  const Holding holding(busy_, kPatience);
  if (!holding) return "";
  constexpr size_t kSteps[] = {256, 64, 16, 1, 0};
  std::array<size_t, std::size(kSteps)> sites{};
  for (uint32_t site = 0; site < stacks_.site_count(); ++site) {
    size_t step = 0;
    while (stacks_.StacksOf(site).size() < kSteps[step]) ++step;
    ++sites[step];
  }
  const uint64_t taken = stacks_.taken();
  return fmt::format(
      "stacks for contexts: {} taken in {} us, {} kept; lost: {} while another thread took one, {} "
      "without class, {} without "
      "frames, {} without method; {} ended at code without position\n"
      "calls and branches with at least 256 stacks: {}, 64: {}, 16: {}, 1: {}, none: {}\n",
      taken, budget_.spent_ns() / 1000, taken - stacks_.dropped(), lost_[kBusy].load(),
      lost_[kNoOutcome].load(), lost_[kNoFrames].load(), lost_[kNoMethod].load(), cut_.load(),
      sites[0], sites[1], sites[2], sites[3], sites[4]);
}

}  // namespace iprof::vm

// IprofContexts.take; in exports.map.
extern "C" JNIEXPORT void JNICALL Java_java_lang_IprofContexts_take(JNIEnv* jni, jclass /*owner*/,
                                                                    jobject object, jobject other,
                                                                    jint first, jint second,
                                                                    jint site) {
  iprof::vm::ContextStacks::Take(jni, site, {object, other, first, second});
}
