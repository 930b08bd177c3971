#include "agent/harvest/complete_counts.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "agent/harvest/profiling_mode.h"
#include "agent/harvest/trivial_code.h"
#include "writer/base/number_map.h"

namespace iprof::hotspot {
namespace {

constexpr uint8_t kSimple = 1;         // C1 without counters
constexpr uint8_t kOptimized = 4;      // C2
constexpr uint32_t kTrivialBytes = 6;  // HotSpot's MaxTrivialSize; accessors have no more
constexpr uint16_t kAccAbstract = 0x0400;
// How many methods show where HotSpot keeps the highest tier.
constexpr size_t kFewestTiers = 16, kMostSeen = 100;
constexpr std::ptrdiff_t kFewestCompiled = 2;
constexpr std::ptrdiff_t kMostWrong = 50;  // one in
constexpr uint32_t kNone = UINT32_MAX;

// A class of the JDK may say itself that its methods are inlined always.
bool MayForceInlining(std::string_view name) {
  return name.starts_with("java/") || name.starts_with("jdk/") || name.starts_with("sun/");
}

// C2 inlines these as soon as they ran once, because it wants to get rid of their objects.
bool IsInlinedEarly(const ListedMethod& method) {
  return method.name == "<init>" || method.name == "valueOf" || method.name.ends_with("Value") ||
         method.descriptor.ends_with("Iterator;");
}

class Search {
 public:
  Search(const HarvestedProgram& program, std::span<const ListedMethod> listed,
         const CompilerLimits& limits, const CallsOf& calls_of)
      : program_(program),
        listed_(listed),
        limits_(limits),
        calls_of_(calls_of),
        next_(listed.size(), kNone),
        is_reached_(listed.size()) {}

  // False: the calls of one method are not known.
  bool Run() {
    LinkSelectors();
    for (uint32_t m = 0; m < listed_.size(); ++m) {
      if (MayHaveCodeWithoutCounters(m)) open_.push_back(m);
    }
    std::vector<bool> is_followed(listed_.size());
    while (!open_.empty()) {
      // In the order of methods, so that each constant pool is read once.
      std::vector<uint32_t> now = std::move(open_);
      open_.clear();
      std::sort(now.begin(), now.end());
      for (const uint32_t m : now) {
        if (listed_[m].code_size == 0 || is_followed[m]) continue;
        is_followed[m] = true;
        if (!calls_of_(m, [&](const PoolMember& call) { Follow(call); })) return false;
      }
    }
    return true;
  }

  bool IsReached(uint32_t number) const { return is_reached_[number]; }

  bool MayHaveCodeWithoutCounters(uint32_t number) const {
    const ListedMethod& method = listed_[number];
    if (!method.highest) return method.compiled != 0;
    const uint8_t highest = std::max(*method.highest, *method.highest_of_loops);
    if (highest == 0) return method.compiled != 0;
    if (*method.highest == kSimple || *method.highest_of_loops == kSimple || highest >= kOptimized)
      return true;
    return program_.methods[number].invocations >= limits_.calls_for_c2 ||
           program_.methods[number].back_edges + method.back_edges >= limits_.rounds_for_c2;
  }

 private:
  // Methods of one name and descriptor are a list. Equal symbols have one address, and names that share a key
  // by chance only make more methods reached.
  static uint64_t KeyOf(std::string_view name, std::string_view descriptor) {
    const auto a = reinterpret_cast<uintptr_t>(name.data());
    const auto b = reinterpret_cast<uintptr_t>(descriptor.data());
    return (a * 0x9E3779B97F4A7C15 ^ b) | 1;
  }

  void LinkSelectors() {
    first_.Reserve(listed_.size());
    for (uint32_t m = 0; m < listed_.size(); ++m) {
      const auto [first, is_new] = first_.TryAdd(KeyOf(listed_[m].name, listed_[m].descriptor));
      next_[m] = is_new ? kNone : *first;
      *first = m;
    }
  }

  void Follow(const PoolMember& call) {
    if (call.owner.empty() || call.owner == "java/lang/invoke/MethodHandle" ||
        call.owner == "java/lang/invoke/VarHandle") {
      FollowHandles();
    }
    ReachAll(call.name, call.descriptor);
  }

  void ReachAll(std::string_view name, std::string_view descriptor) {
    uint32_t* const first = first_.Find(KeyOf(name, descriptor));
    if (first == nullptr) return;
    for (uint32_t m = *first; m != kNone; m = next_[m]) Reach(m);
    *first = kNone;  // they are reached for good
  }

  void FollowHandles() {
    if (follows_handles_) return;
    follows_handles_ = true;
    for (const HarvestedHandleCall& call : program_.handle_calls)
      ReachAll(listed_[call.callee].name, listed_[call.callee].descriptor);
    for (uint32_t m = 0; m < listed_.size(); ++m) {
      const HarvestedClass& klass = program_.classes[program_.methods[m].klass];
      if (klass.is_hidden || klass.name.starts_with("java/lang/invoke/") ||
          listed_[m].name.starts_with("lambda$"))
        Reach(m);
    }
  }

  void Reach(uint32_t number) {
    if (is_reached_[number] || !MayBeInlined(number)) return;
    is_reached_[number] = true;
    open_.push_back(number);
  }

  bool MayBeInlined(uint32_t number) const {
    const ListedMethod& method = listed_[number];
    const HarvestedMethod& counts = program_.methods[number];
    if (method.code_size <= kTrivialBytes) return method.code_size > 0;
    const bool had_code = method.compiled != 0 || method.highest.value_or(0) != 0;
    if (counts.invocations == 0 && !had_code) return false;  // compiled code has no path to it
    if (MayForceInlining(program_.classes[counts.klass].name)) return true;
    if (method.code_size > limits_.most_bytes) return false;
    return had_code || IsInlinedEarly(method) || counts.invocations >= limits_.fewest_calls;
  }

  const HarvestedProgram& program_;
  const std::span<const ListedMethod> listed_;
  const CompilerLimits& limits_;
  const CallsOf& calls_of_;
  NumberMap<uint32_t> first_;   // by key
  std::vector<uint32_t> next_;  // by method: another one with its key
  std::vector<bool> is_reached_;
  std::vector<uint32_t> open_;
  bool follows_handles_ = false;
};

}  // namespace

CompilerLimits CompilerLimits::Of(const VmFlags& flags) {
  CompilerLimits limits;
  const auto most_bytes = flags.Number("FreqInlineSize");
  const auto usual_bytes = flags.Number("MaxInlineSize");
  const auto calls = flags.Number("Tier4InvocationThreshold");
  const auto all = flags.Number("Tier4CompileThreshold");
  const auto rounds = flags.Number("Tier4BackEdgeThreshold");
  // Without an interpreter, compilers inline what never ran. Another compiler has other limits.
  limits.are_known = most_bytes && usual_bytes && calls && all && rounds && *all >= *calls &&
                     flags.Bool("UseInterpreter").value_or(false) &&
                     !flags.Bool("UseJVMCICompiler").value_or(false) &&
                     !RunsWithoutProfiling(flags) && !ReplaysTraining(flags);
  if (!limits.are_known) return limits;
  limits.most_bytes =
      static_cast<uint32_t>(std::min<uint64_t>(std::max(*most_bytes, *usual_bytes), UINT32_MAX));
  limits.fewest_calls = flags.Number("MinInliningThreshold").value_or(0) + 1;
  limits.calls_for_c2 = *calls;
  limits.rounds_for_c2 = std::min(*rounds, *all - *calls);
  for (const std::string& argument : flags.Arguments()) {
    // Such options may force inlining, or lower a threshold, for single methods.
    if (argument.starts_with("-XX:CompilerDirectivesFile") ||
        argument.find("ThresholdScaling") != std::string::npos ||
        (argument.starts_with("-XX:CompileCommand") &&
         argument.find("inline") != std::string::npos &&
         argument.find("dontinline") == std::string::npos))
      limits.are_known = false;
  }
  return limits;
}

bool AreTiersKnown(std::span<const SeenTier> tiers) {
  std::ptrdiff_t compiled = 0;
  std::ptrdiff_t wrong = 0;
  for (const SeenTier& tier : tiers) {
    compiled += tier.least > 0 ? 1 : 0;
    wrong += tier.highest < tier.least || tier.highest > tier.most ? 1 : 0;
  }
  // A method is compiled between two reads now and then.
  return tiers.size() >= kFewestTiers && compiled >= kFewestCompiled &&
         wrong * kMostWrong <= std::ssize(tiers);
}

std::vector<SeenTier> SeenTiers(
    std::span<const ListedMethod> listed,
    const std::function<std::optional<uint8_t>(Address code)>& tier_of) {
  std::vector<SeenTier> tiers;
  size_t compiled = 0;
  size_t unused = 0;
  for (const ListedMethod& method : listed) {
    if (!method.highest) continue;
    if (method.compiled != 0) {
      if (compiled++ >= kMostSeen) continue;
      if (const auto tier = tier_of(method.compiled)) tiers.push_back({*tier, 4, *method.highest});
    } else if (method.data == 0 && method.invocations + method.back_edges < kFewestToCompile &&
               unused++ < kMostSeen) {
      tiers.push_back({0, 0, *method.highest});
    }
  }
  return tiers;
}

std::vector<bool> FindComplete(const HarvestedProgram& program,
                               std::span<const ListedMethod> listed,
                               const std::vector<bool>& is_replaced, const CompilerLimits& limits,
                               const CallsOf& calls_of) {
  std::vector<bool> complete(listed.size());
  if (!limits.are_known) return complete;
  Search search(program, listed, limits, calls_of);
  if (!search.Run()) return complete;
  for (uint32_t m = 0; m < listed.size(); ++m) {
    const ListedMethod& method = listed[m];
    complete[m] = !search.IsReached(m) && !search.MayHaveCodeWithoutCounters(m) &&
                  method.highest.has_value() && (method.data == 0 || program.methods[m].has_data) &&
                  method.code_size > kTrivialBytes && (method.access & kAccAbstract) == 0 &&
                  method.intrinsic == 0 && !method.has_unknown_counters &&
                  !method.has_lowered_counters && !is_replaced[program.methods[m].klass];
  }
  return complete;
}

}  // namespace iprof::hotspot
