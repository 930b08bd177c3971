#include "writer/profile/io/split_part.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <limits>
#include <span>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "writer/base/grouped.h"
#include "writer/base/time_period.h"
#include "writer/profile/io/agent_section.h"
#include "writer/profile/io/json_builder.h"
#include "writer/profile/io/json_object.h"
#include "writer/profile/io/stacks_by_frames.h"

namespace iprof {
namespace {

using Frames = std::vector<Frame>;

using FrameSpan = std::span<const Frame>;

// Stacks in the order of their first appearance. What was added must stay.
class StackPool {
 public:
  void Add(StackView stack) {
    const auto [known, is_new] = places_.try_emplace(stack, stacks_.size());
    if (is_new) {
      stacks_.push_back(stack);
      return;
    }
    int64_t& sum = stacks_[known->second].weight;
    sum = SaturatingAdd(sum, stack.weight);
  }
  // False if there is not as much.
  bool Take(StackView stack) {
    const auto known = places_.find(stack);
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

// Reads stacks one after the other, because each can share frames with the one before.
class StackReader {
 public:
  StackReader(JsonScanner& json, const MethodOf& method_of) : json_(json), method_of_(method_of) {}

  bool Read(const std::vector<SplitStack>& before, SplitStack* stack) {
    std::string context;
    if (!json_.Consume('[') || !json_.ReadText(&context)) return false;
    FrameSpan shared;
    if (!before.empty()) shared = before.back().whole.frames;
    if (!ReadFrames(context, shared, &stack->whole.frames)) return false;
    if (!json_.Consume(',') || !json_.ReadWhole(&stack->whole.weight)) return false;
    return stack->whole.weight > 0 && ReadPieces(stack->whole.frames.size(), &stack->pieces) &&
           json_.Consume(']');
  }

 private:
  bool ReadFrames(std::string_view text, FrameSpan before, Frames* frames) {
    do {
      if (!frames->empty() && Take(text, '*')) {
        size_t shared = 0;
        if (!TakeNumber(text, &shared) || shared == 0 || shared > before.size()) return false;
        shared_ += shared;
        if (shared_ > kMostShared || !text.empty()) return false;
        const FrameSpan outermost = before.last(shared);
        frames->insert(frames->end(), outermost.begin(), outermost.end());
        return true;
      }
      int64_t id = 0;
      Bci bci = 0;
      if (!TakeNumber(text, &id) || !Take(text, ':') || !TakeNumber(text, &bci)) return false;
      const MethodIndex method = method_of_(id);
      if (method == kNoMethod) return false;
      frames->push_back({method, bci});
    } while (Take(text, '<'));
    return text.empty();
  }

  // Where the pieces begin and end: ascending, inside the stack.
  bool ReadPieces(size_t frames, std::vector<StackPiece>* pieces) {
    size_t end = 0;
    while (json_.Consume(',')) {
      int64_t from = 0;
      int64_t to = 0;
      if (!json_.ReadWhole(&from) || !json_.Consume(',') || !json_.ReadWhole(&to)) return false;
      const bool at_0 = from < 0;
      if (at_0) from = -(from + 1);
      if (to < 0) return false;
      const StackPiece piece{static_cast<size_t>(from), static_cast<size_t>(to), at_0};
      if (piece.from < end || piece.from >= piece.to || piece.to > frames) return false;
      end = piece.to;
      pieces->push_back(piece);
    }
    return true;
  }

  JsonScanner& json_;
  const MethodOf& method_of_;
  size_t shared_ = 0;
};

bool ReadNumber(JsonScanner& json, int64_t* number) {
  return json.ReadWhole(number) && *number >= 0;
}

bool ReadShare(JsonScanner& json, StackShares* shares) {
  int64_t label = 0;
  int64_t weight = 0;
  if (!ReadNumber(json, &label) || !json.Consume(',') || !ReadNumber(json, &weight)) return false;
  shares->shares.emplace_back(static_cast<size_t>(label), weight);
  return true;
}

bool ReadThreads(JsonScanner& json, StackShares* shares) {
  int64_t stack = 0;
  if (!json.Consume('[') || !ReadNumber(json, &stack)) return false;
  shares->stack = static_cast<size_t>(stack);
  while (json.Consume(',')) {
    if (!ReadShare(json, shares)) return false;
  }
  return json.Consume(']');
}

bool ReadPeriods(JsonScanner& json, StackShares* shares) {
  if (json.Consume('[')) {
    if (json.Consume(']')) return true;
    do {
      if (!ReadShare(json, shares)) return false;
    } while (json.Consume(','));
    return json.Consume(']');
  }
  int64_t period = 0;
  if (!ReadNumber(json, &period)) return false;
  shares->shares.emplace_back(static_cast<size_t>(period), StackShares::kAll);
  return true;
}

bool ReadRows(JsonScanner& json, std::vector<StackShares>* rows) {
  rows->clear();
  size_t row = 0;
  return json.ReadArray([&] {
    StackShares shares{row++, {}};
    if (!ReadPeriods(json, &shares)) return false;
    if (!shares.shares.empty()) rows->push_back(std::move(shares));
    return true;
  });
}

// Whether the list has all labels that stacks have, and no stack is there twice.
bool AreLabelsWhole(const std::vector<StackShares>& stacks, size_t labels) {
  size_t next = 0;
  return std::ranges::all_of(stacks, [&](const StackShares& of) {
    const bool is_next = of.stack >= next;
    next = of.stack + 1;
    return is_next &&
           std::ranges::all_of(of.shares, [&](const auto& share) { return share.first < labels; });
  });
}

bool ArePeriods(const std::vector<int64_t>& seconds) {
  return std::ranges::all_of(seconds, BeginsPeriod) &&
         std::ranges::adjacent_find(seconds, std::greater_equal<>()) == seconds.end();
}

// How many of the outermost frames are the same.
size_t SharedFrames(FrameSpan a, FrameSpan b) {
  const auto [end, other] = std::mismatch(a.rbegin(), a.rend(), b.rbegin(), b.rend());
  return static_cast<size_t>(end - a.rbegin());
}

// The contexts of stacks, one after the other.
class ContextWriter {
 public:
  explicit ContextWriter(const Profile& profile) : profile_(profile) {}

  std::string Next(const Frames& frames) {
    size_t shared = std::min(SharedFrames(frames, before_), frames.size() - 1);
    if (shared > kMostShared - shared_) shared = 0;
    shared_ += shared;
    std::string text;
    for (const Frame& frame : FrameSpan(frames).first(frames.size() - shared)) {
      if (!text.empty()) text += '<';
      text += std::to_string(profile_.MethodFileId(frame.method)) + ':' + std::to_string(frame.bci);
    }
    if (shared > 0) text += "<*" + std::to_string(shared);
    before_ = frames;
    return text;
  }

 private:
  const Profile& profile_;
  FrameSpan before_;
  size_t shared_ = 0;
};

bool ReadType(JsonScanner& json, HiddenNames::Type* type) {
  return json.Consume('[') && ReadNumber(json, &type->id) && json.Consume(',') &&
         json.ReadText(&type->name) && json.Consume(']');
}

bool ReadMethod(JsonScanner& json, HiddenNames::Method* method) {
  if (!json.Consume('[') || !ReadNumber(json, &method->id) || !json.Consume(',')) return false;
  if (!json.ReadText(&method->name)) return false;
  while (json.Consume(',')) {
    if (!ReadNumber(json, &method->signature.emplace_back())) return false;
  }
  return method->signature.size() >= 2 && json.Consume(']');
}

bool ReadComplete(JsonScanner& json, std::optional<bool>* complete) {
  std::string value;
  if (!json.SkipValue(&value)) return false;
  *complete = value == "true";
  return **complete || value == "false";
}

void WriteHidden(JsonBuilder& json, const SplitPart& split, const Profile& profile) {
  if (!split.hidden_types.empty()) {
    json.Key("types").Open('[');
    for (const TypeIndex type : split.hidden_types) {
      json.Open('[').Int(profile.TypeFileId(type)).String(profile.TypeName(type)).Close(']');
    }
    json.Close(']');
  }
  if (split.hidden_methods.empty()) return;
  json.Key("methods").Open('[');
  for (const MethodIndex method : split.hidden_methods) {
    json.Open('[').Int(profile.MethodFileId(method)).String(profile.MethodName(method));
    for (const TypeIndex type : profile.Signature(method)) json.Int(profile.TypeFileId(type));
    json.Close(']');
  }
  json.Close(']');
}

void WriteThreads(JsonBuilder& json, const SplitPart& split) {
  if (split.of_threads.empty()) return;
  json.Key("threads").Open('[');
  for (const std::string& name : split.threads) json.String(name);
  json.Close(']').Key("of").Open('[');
  for (const StackShares& of : split.of_threads) {
    json.Open('[').Int(static_cast<int64_t>(of.stack));
    for (const auto& [thread, weight] : of.shares)
      json.Int(static_cast<int64_t>(thread)).Int(weight);
    json.Close(']');
  }
  json.Close(']');
}

void WritePeriods(JsonBuilder& json, const SplitPart& split) {
  if (split.of_periods.empty()) return;
  json.Key("seconds").Open('[');
  for (const int64_t second : split.seconds) json.Int(second);
  json.Close(']').Key("during").Open('[');
  size_t row = 0;
  for (const StackShares& of : split.of_periods) {
    for (; row < of.stack; ++row) json.Open('[').Close(']');
    ++row;
    if (of.shares.size() == 1 && of.shares[0].second == StackShares::kAll) {
      json.Int(static_cast<int64_t>(of.shares[0].first));
      continue;
    }
    json.Open('[');
    for (const auto& [period, weight] : of.shares)
      json.Int(static_cast<int64_t>(period)).Int(weight);
    json.Close(']');
  }
  json.Close(']');
}

}  // namespace

SplitPart::Share SplitPart::With(size_t pieces) const {
  Share share;
  for (const SplitStack& stack : stacks) {
    if (stack.pieces.size() != pieces) continue;
    ++share.stacks;
    share.weight = SaturatingAdd(share.weight, stack.whole.weight);
  }
  return share;
}

int64_t SplitPart::added() const {
  int64_t sum = 0;
  for (const SplitStack& stack : stacks) {
    if (stack.pieces.empty()) continue;
    const auto more = static_cast<int64_t>(stack.pieces.size()) - 1;
    sum = SaturatingAdd(sum, SaturatingMultiply(stack.whole.weight, more));
  }
  return sum;
}

std::string SplitPart::Describe(Share share, Share all) {
  const double part =
      all.weight > 0 ? 100 * static_cast<double>(share.weight) / static_cast<double>(all.weight)
                     : 0;
  return fmt::format("{} of {}, with {:.1f} % of the weight", Grouped(share.stacks),
                     Counted(all.stacks, "stack", "stacks"), part);
}

std::string SplitPart::ToJson(const Profile& profile) const {
  JsonBuilder json;
  json.Open('{').Field("sites", static_cast<int64_t>(sites));
  if (complete) json.Key("complete").Bool(*complete);
  WriteHidden(json, *this, profile);
  json.Key("whole").Open('[');
  ContextWriter contexts(profile);
  for (const SplitStack& stack : stacks) {
    json.Open('[').String(contexts.Next(stack.whole.frames)).Int(stack.whole.weight);
    for (const StackPiece& piece : stack.pieces) {
      const auto from = static_cast<int64_t>(piece.from);
      json.Int(piece.at_0 ? -from - 1 : from).Int(static_cast<int64_t>(piece.to));
    }
    json.Close(']');
  }
  json.Close(']');
  WriteThreads(json, *this);
  WritePeriods(json, *this);
  return json.Close('}').Take();
}

std::optional<SplitPart> SplitPart::Parse(std::string_view json, const MethodOf& method_of) {
  SplitPart part;
  int64_t sites = -1;
  bool has_stacks = false;
  const bool read = ParseObject(json, kSplitPart, [&](JsonScanner& in, const std::string& name) {
    if (name == "sites") return ReadNumber(in, &sites);
    if (name == "complete") return ReadComplete(in, &part.complete);
    if (name == "threads")
      return in.ReadArray([&] { return in.ReadText(&part.threads.emplace_back()); });
    if (name == "of")
      return in.ReadArray([&] { return ReadThreads(in, &part.of_threads.emplace_back()); });
    if (name == "seconds")
      return in.ReadArray([&] { return ReadNumber(in, &part.seconds.emplace_back()); });
    if (name == "during") return ReadRows(in, &part.of_periods);
    if (name != "whole") return in.SkipValue();
    part.stacks.clear();
    StackReader reader(in, method_of);
    has_stacks = in.ReadArray([&] {
      SplitStack stack;
      const bool is_stack = reader.Read(part.stacks, &stack);
      part.stacks.push_back(std::move(stack));
      return is_stack;
    });
    return has_stacks;
  });
  const bool is_whole = AreLabelsWhole(part.of_threads, part.threads.size()) &&
                        AreLabelsWhole(part.of_periods, part.seconds.size()) &&
                        ArePeriods(part.seconds);
  if (!read || sites < 0 || !has_stacks || !is_whole) return std::nullopt;
  part.sites = static_cast<size_t>(sites);
  return part;
}

std::optional<HiddenNames> HiddenNames::Parse(std::string_view json) {
  HiddenNames names;
  const bool read = ParseObject(json, kSplitPart, [&](JsonScanner& in, const std::string& name) {
    if (name == "types")
      return in.ReadArray([&] { return ReadType(in, &names.types.emplace_back()); });
    if (name == "methods")
      return in.ReadArray([&] { return ReadMethod(in, &names.methods.emplace_back()); });
    return in.SkipValue();
  });
  return read ? std::optional(std::move(names)) : std::nullopt;
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

std::optional<bool> SplitPart::CompleteOf(const Profile& profile) {
  const auto json = AgentPart(profile, kSplitPart);
  if (!json) return std::nullopt;
  std::optional<bool> complete;
  const bool read = ParseObject(*json, kSplitPart, [&](JsonScanner& in, const std::string& name) {
    return name == "complete" ? ReadComplete(in, &complete) : in.SkipValue();
  });
  return read ? complete : std::nullopt;
}

bool IsSplitPart(std::string_view json) {
  return HiddenNames::Parse(json).has_value() &&
         SplitPart::Parse(json, [](int64_t) { return MethodIndex{0}; }).has_value();
}

StackView ViewOf(const SampledStack& stack) { return {stack.frames, stack.weight}; }

StackView ViewOf(const SampledStack& stack, const StackPiece& piece) {
  return {FrameSpan(stack.frames).subspan(piece.from, piece.to - piece.from), stack.weight,
          piece.at_0};
}

std::vector<StackView> WrittenStacks(const std::vector<SampledStack>& whole,
                                     const SplitPart& split) {
  ByFrames<int64_t> weights;  // of stacks that are split
  for (const SplitStack& stack : split.stacks) weights.emplace(ViewOf(stack.whole), 0);
  StackPool written;
  for (const SampledStack& stack : whole) {
    const auto found = weights.find(ViewOf(stack));
    if (found == weights.end()) {
      written.Add(ViewOf(stack));
    } else {
      found->second = stack.weight;
    }
  }
  for (const SplitStack& stack : split.stacks) {
    const int64_t weight = weights.at(ViewOf(stack.whole));
    for (const StackPiece& piece : stack.pieces) {
      StackView view = ViewOf(stack.whole, piece);
      view.weight = weight;
      written.Add(view);
    }
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
