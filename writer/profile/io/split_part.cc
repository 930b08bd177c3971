#include "writer/profile/io/split_part.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <span>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "writer/base/grouped.h"
#include "writer/base/hash.h"
#include "writer/profile/io/agent_section.h"
#include "writer/profile/io/json_builder.h"
#include "writer/profile/io/json_object.h"

namespace iprof {
namespace {

using Frames = std::vector<Frame>;

using FrameSpan = std::span<const Frame>;

struct FramesHash {
  size_t operator()(FrameSpan frames) const {
    static const uint64_t seed = ProcessHashSeed();
    uint64_t hash = seed;
    for (const Frame& frame : frames) {
      const uint64_t position =
          (uint64_t{static_cast<uint32_t>(frame.method)} << 32) | static_cast<uint32_t>(frame.bci);
      hash = MixHash(hash, position);
    }
    return static_cast<size_t>(hash);
  }
};

struct SameFrames {
  bool operator()(FrameSpan a, FrameSpan b) const {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }
};

template <typename Value>
using ByFrames = std::unordered_map<FrameSpan, Value, FramesHash, SameFrames>;

// Stacks in the order of their first appearance. What was added must stay.
class StackPool {
 public:
  void Add(StackView stack) {
    const auto [known, is_new] = places_.try_emplace(stack.frames, stacks_.size());
    if (is_new) {
      stacks_.push_back(stack);
      return;
    }
    int64_t& sum = stacks_[known->second].weight;
    sum = SaturatingAdd(sum, stack.weight);
  }
  // False if there is not as much.
  bool Take(StackView stack) {
    const auto known = places_.find(stack.frames);
    if (known == places_.end() || stacks_[known->second].weight < stack.weight) return false;
    stacks_[known->second].weight -= stack.weight;
    return true;
  }
  std::vector<StackView> Finish() {
    std::erase_if(stacks_, [](const StackView& stack) { return stack.weight == 0; });
    return std::move(stacks_);
  }

 private:
  std::vector<StackView> stacks_;
  ByFrames<size_t> places_;
};

// Takes a number from the front of a text.
template <typename Number>
bool TakeNumber(std::string_view& text, Number* number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return true;
}

bool Take(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

using MethodOf = std::function<MethodIndex(int64_t id)>;

std::optional<Frames> ParseFrames(std::string_view text, const MethodOf& method_of) {
  Frames frames;
  do {
    int64_t id = 0;
    Bci bci = 0;
    if (!TakeNumber(text, &id) || !Take(text, ':') || !TakeNumber(text, &bci)) return std::nullopt;
    const MethodIndex method = method_of(id);
    if (method == kNoMethod) return std::nullopt;
    frames.push_back({method, bci});
  } while (Take(text, '<'));
  if (!text.empty()) return std::nullopt;
  return frames;
}

bool ReadNumber(JsonScanner& json, int64_t* number) {
  return json.ReadWhole(number) && *number >= 0;
}

// Where the pieces begin and end: ascending, inside the stack.
bool ReadPieces(JsonScanner& json, size_t frames, std::vector<StackPiece>* pieces) {
  size_t end = 0;
  while (json.Consume(',')) {
    int64_t from = 0;
    int64_t to = 0;
    if (!ReadNumber(json, &from) || !json.Consume(',') || !ReadNumber(json, &to)) return false;
    const StackPiece piece{static_cast<size_t>(from), static_cast<size_t>(to)};
    if (piece.from < end || piece.from >= piece.to || piece.to > frames) return false;
    end = piece.to;
    pieces->push_back(piece);
  }
  return !pieces->empty();
}

bool ReadStack(JsonScanner& json, const MethodOf& method_of, SplitStack* stack) {
  std::string context;
  if (!json.Consume('[') || !json.ReadText(&context)) return false;
  auto frames = ParseFrames(context, method_of);
  if (!frames || !json.Consume(',') || !ReadNumber(json, &stack->whole.weight)) return false;
  stack->whole.frames = std::move(*frames);
  return stack->whole.weight > 0 && ReadPieces(json, stack->whole.frames.size(), &stack->pieces) &&
         json.Consume(']');
}

std::string ContextOf(const Profile& profile, const Frames& frames) {
  std::string text;
  for (const Frame& frame : frames) {
    if (!text.empty()) text += '<';
    text += std::to_string(profile.MethodFileId(frame.method)) + ':' + std::to_string(frame.bci);
  }
  return text;
}

}  // namespace

int64_t SplitPart::weight() const {
  int64_t sum = 0;
  for (const SplitStack& stack : stacks) sum = SaturatingAdd(sum, stack.whole.weight);
  return sum;
}

int64_t SplitPart::added() const {
  int64_t sum = 0;
  for (const SplitStack& stack : stacks) {
    const auto more = static_cast<int64_t>(stack.pieces.size()) - 1;
    sum = SaturatingAdd(sum, SaturatingMultiply(stack.whole.weight, more));
  }
  return sum;
}

std::string SplitPart::Describe(size_t all_stacks, int64_t all) const {
  const double share = all > 0 ? 100 * static_cast<double>(weight()) / static_cast<double>(all) : 0;
  return fmt::format("{} of {}, with {:.1f} % of the weight, at {}", Grouped(stacks.size()),
                     Counted(all_stacks, "stack", "stacks"), share,
                     Counted(sites, "call", "calls"));
}

std::string SplitPart::ToJson(const Profile& profile) const {
  JsonBuilder json;
  json.Open('{').Field("sites", static_cast<int64_t>(sites)).Key("whole").Open('[');
  for (const SplitStack& stack : stacks) {
    json.Open('[').String(ContextOf(profile, stack.whole.frames)).Int(stack.whole.weight);
    for (const StackPiece& piece : stack.pieces)
      json.Int(static_cast<int64_t>(piece.from)).Int(static_cast<int64_t>(piece.to));
    json.Close(']');
  }
  return json.Close(']').Close('}').Take();
}

std::optional<SplitPart> SplitPart::Parse(std::string_view json, const MethodOf& method_of) {
  SplitPart part;
  int64_t sites = -1;
  bool has_stacks = false;
  const bool read = ParseObject(json, kSplitPart, [&](JsonScanner& in, const std::string& name) {
    if (name == "sites") return ReadNumber(in, &sites);
    if (name != "whole") return in.SkipValue();
    part.stacks.clear();
    has_stacks =
        in.ReadArray([&] { return ReadStack(in, method_of, &part.stacks.emplace_back()); });
    return has_stacks;
  });
  if (!read || sites < 0 || !has_stacks) return std::nullopt;
  part.sites = static_cast<size_t>(sites);
  return part;
}

SplitPart SplitPart::Of(const Profile& profile) {
  const auto json = AgentPart(profile, kSplitPart);
  if (!json) return {};
  std::unordered_map<int64_t, MethodIndex> methods;
  for (const MethodIndex method : MethodsOf(profile))
    methods.emplace(profile.MethodFileId(method), method);
  const auto method_of = [&](int64_t id) {
    const auto found = methods.find(id);
    return found == methods.end() ? kNoMethod : found->second;
  };
  return Parse(*json, method_of).value_or(SplitPart());
}

bool IsSplitPart(std::string_view json) {
  return SplitPart::Parse(json, [](int64_t) { return MethodIndex{0}; }).has_value();
}

std::vector<SampledStack> StacksOf(const Profile& profile) {
  std::vector<SampledStack> stacks;
  for (const EntryIndex entry : EntriesOf(profile, Table::kSamples)) {
    const int64_t weight = profile.EntryCount(Table::kSamples, entry);
    stacks.push_back({profile.Frames(profile.EntryContext(Table::kSamples, entry)), weight});
  }
  return stacks;
}

StackView ViewOf(const SampledStack& stack) { return {stack.frames, stack.weight}; }

StackView ViewOf(const SampledStack& stack, const StackPiece& piece) {
  return {FrameSpan(stack.frames).subspan(piece.from, piece.to - piece.from), stack.weight};
}

std::vector<StackView> WrittenStacks(const std::vector<SampledStack>& whole,
                                     const SplitPart& split) {
  ByFrames<int64_t> weights;  // of stacks that are split
  for (const SplitStack& stack : split.stacks) weights.emplace(stack.whole.frames, 0);
  StackPool written;
  for (const SampledStack& stack : whole) {
    const auto found = weights.find(stack.frames);
    if (found == weights.end()) {
      written.Add(ViewOf(stack));
    } else {
      found->second = stack.weight;
    }
  }
  for (const SplitStack& stack : split.stacks) {
    const int64_t weight = weights.at(stack.whole.frames);
    for (const StackPiece& piece : stack.pieces)
      written.Add({ViewOf(stack.whole, piece).frames, weight});
  }
  return written.Finish();
}

bool JoinPieces(SplitPart split, std::vector<SampledStack>& stacks) {
  StackPool pool;
  for (const SampledStack& stack : stacks) pool.Add(ViewOf(stack));
  for (const SplitStack& stack : split.stacks) {
    for (const StackPiece& piece : stack.pieces) {
      if (!pool.Take(ViewOf(stack.whole, piece))) return false;
    }
  }
  std::vector<SampledStack> joined;
  // The rest, in the order of `stacks`. A moved vector keeps its frames where they are.
  auto rest = pool.Finish();
  auto next = rest.begin();
  for (SampledStack& stack : stacks) {
    if (next == rest.end()) break;
    if (stack.frames.data() != next->frames.data()) continue;
    joined.push_back({std::move(stack.frames), next->weight});
    ++next;
  }
  for (SplitStack& stack : split.stacks) joined.push_back(std::move(stack.whole));
  stacks = std::move(joined);
  return true;
}

}  // namespace iprof
