#include "writer/records/context_entries.h"

#include <algorithm>

#include "writer/names/type_names.h"

namespace iprof {
namespace {

constexpr int kBitsOfBci = 16;

CallerNumber NumberOf(const ContextSamples::Caller& caller) {
  return CallerNumber{caller.method} << kBitsOfBci | static_cast<CallerNumber>(caller.bci);
}

bool HasAny(std::span<const int64_t> counts) {
  return std::any_of(counts.begin(), counts.end(), [](int64_t count) { return count > 0; });
}

}  // namespace

ContextEntries::ContextEntries(const ContextSamples* samples, Profile& profile)
    : samples_(samples), profile_(profile) {
  if (samples == nullptr) return;
  for (const ContextSamples::Site& site : samples->sites) {
    uint64_t stacks = 0;
    for (const ContextSamples::Stack& stack : site.stacks) stacks += stack.count;
    figures_.stacks += stacks;
    const ContextSamples::Method& method = samples->methods[site.method];
    const auto types = SignatureOf(method.descriptor);
    if (!types || stacks > UINT32_MAX) continue;  // only in a damaged file
    std::string key = ToUtf8(method.type);
    for (const std::string& type : *types) key.append("\n").append(ToUtf8(type));
    sites_[key.append("\n").append(ToUtf8(method.name))].push_back(&site);
  }
}

std::string ContextEntries::KeyOf(MethodIndex method) const {
  std::string key;
  for (const TypeIndex type : profile_.Signature(method))
    key.append(profile_.TypeName(type)).append("\n");
  return key.append(profile_.MethodName(method));
}

// The entries of one method follow each other.
const ContextSamples::Site* ContextEntries::Find(MethodIndex method, Bci bci, bool is_call) {
  if (sites_.empty()) return nullptr;
  if (last_ != method) {
    const auto found = sites_.find(KeyOf(method));
    last_ = method;
    of_last_ = found == sites_.end() ? nullptr : &found->second;
  }
  if (of_last_ == nullptr) return nullptr;
  const auto site = std::find_if(of_last_->begin(), of_last_->end(), [&](const auto* one) {
    return one->bci == bci && one->is_call == is_call;
  });
  return site == of_last_->end() ? nullptr : *site;
}

std::optional<MethodIndex> ContextEntries::MethodOf(uint32_t number) {
  const auto [known, is_new] = methods_.try_emplace(number);
  if (!is_new) return known->second;
  const ContextSamples::Method& method = samples_->methods[number];
  const auto types = SignatureOf(method.descriptor);
  if (!types || method.type.empty()) return std::nullopt;
  std::vector<TypeIndex> signature{profile_.AddType(ToUtf8(method.type))};
  for (const std::string& type : *types) signature.push_back(profile_.AddType(ToUtf8(type)));
  known->second = profile_.AddMethod(ToUtf8(method.name), signature);
  return known->second;
}

// `whole` is the position without callers.
ContextIndex ContextEntries::ContextOf(ContextIndex whole, std::span<const CallerNumber> callers) {
  std::vector<Frame> frames{profile_.InnermostFrame(whole)};
  for (const CallerNumber caller : callers) {
    const auto method = MethodOf(static_cast<uint32_t>(caller >> kBitsOfBci));
    if (!method) break;
    frames.push_back({*method, static_cast<Bci>(caller & ((1 << kBitsOfBci) - 1))});
  }
  return profile_.AddContext(frames);
}

template <typename NumberOfOutcome, typename Write>
void ContextEntries::Split(const ContextSamples::Site& site, ContextIndex whole,
                           std::span<const int64_t> exact, NumberOfOutcome number_of, Write write) {
  std::vector<OutcomeStack> stacks;
  for (const ContextSamples::Stack& stack : site.stacks) {
    const std::optional<uint32_t> number = number_of(stack.outcome);
    if (!number) continue;
    OutcomeStack& made = stacks.emplace_back(OutcomeStack{*number, stack.count, {}});
    for (const ContextSamples::Caller& caller : stack.callers)
      made.callers.push_back(NumberOf(caller));
  }
  uint64_t written = 0;
  for (const ContextCounts& context : SplitByCallers(exact, stacks)) {
    if (!HasAny(context.counts)) continue;
    if (!context.callers.empty()) ++written;
    write(ContextOf(whole, context.callers), context.counts);
  }
  figures_.entries += written;
  if (written > 0) ++figures_.sites;
}

void ContextEntries::AddReceivers(MethodIndex method, Bci bci, std::span<const TypeCount> counts) {
  const ContextIndex whole = profile_.AddContext(kNoContext, method, bci);
  const ContextSamples::Site* const site = Find(method, bci, true);
  if (site == nullptr) {
    profile_.AddTypeCounts(Table::kVirtualInvokes, whole, counts);
    return;
  }
  std::vector<int64_t> exact;
  std::unordered_map<std::string_view, uint32_t> numbers;
  for (const TypeCount& count : counts) {
    numbers.emplace(profile_.TypeName(count.type), static_cast<uint32_t>(exact.size()));
    exact.push_back(count.count);
  }
  Split(
      *site, whole, exact,
      [&](uint32_t type) -> std::optional<uint32_t> {
        const auto found = numbers.find(ToUtf8(samples_->types[type]));
        return found == numbers.end() ? std::nullopt : std::optional(found->second);
      },
      [&](ContextIndex context, const std::vector<int64_t>& parts) {
        std::vector<TypeCount> part;
        for (size_t i = 0; i < parts.size(); ++i)
          if (parts[i] > 0) part.push_back({counts[i].type, parts[i]});
        std::stable_sort(part.begin(), part.end(),
                         [](const TypeCount& a, const TypeCount& b) { return a.count > b.count; });
        profile_.AddTypeCounts(Table::kVirtualInvokes, context, part);
      });
}

void ContextEntries::AddSuccessors(MethodIndex method, Bci bci,
                                   std::span<const Successor> successors) {
  const ContextIndex whole = profile_.AddContext(kNoContext, method, bci);
  const ContextSamples::Site* const site = Find(method, bci, false);
  if (site == nullptr) {
    profile_.AddSuccessors(whole, successors);
    return;
  }
  std::vector<int64_t> exact;
  for (const Successor& successor : successors) exact.push_back(successor.count);
  Split(
      *site, whole, exact,
      [&](uint32_t target) -> std::optional<uint32_t> {
        for (uint32_t i = 0; i < successors.size(); ++i)
          if (successors[i].bci == static_cast<int64_t>(target)) return i;
        return std::nullopt;
      },
      [&](ContextIndex context, const std::vector<int64_t>& parts) {
        std::vector<Successor> part(successors.begin(), successors.end());
        for (size_t i = 0; i < parts.size(); ++i) part[i].count = parts[i];
        profile_.AddSuccessors(context, part);
      });
}

}  // namespace iprof
