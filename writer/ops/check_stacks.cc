#include "writer/ops/check_stacks.h"

#include <fmt/core.h>

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "writer/profile/io/split_part.h"

namespace iprof {
namespace {

// What is wrong with the names; empty: nothing. Adds their ids.
std::string CheckNames(const HiddenNames& names, const StackSums::IsDeclared& is_type,
                       const StackSums::IsDeclared& is_method,
                       std::unordered_set<int64_t>* methods) {
  std::unordered_set<int64_t> types;
  for (const HiddenNames::Type& type : names.types) {
    if (is_type(type.id) || !types.insert(type.id).second)
      return fmt::format("type {} a second time", type.id);
  }
  for (const HiddenNames::Method& method : names.methods) {
    if (is_method(method.id) || !methods->insert(method.id).second)
      return fmt::format("method {} a second time", method.id);
    for (const int64_t type : method.signature) {
      if (!is_type(type) && !types.contains(type))
        return fmt::format("type {}, which is not declared", type);
    }
  }
  return {};
}

std::string Spelled(std::span<const RawFrame> frames) {
  std::string text;
  for (const RawFrame& frame : frames)
    text += fmt::format("{}{}:{}", text.empty() ? "" : "<", frame.method, frame.bci);
  return text;
}

}  // namespace

void StackSums::Add(const ContextKey& key, int64_t weight) {
  int64_t& sum = weights_[key];
  sum = SaturatingAdd(sum, weight);
}

std::string StackSums::Check(std::string_view part, const KeyOfFrames& key_of,
                             const IsDeclared& is_type, const IsDeclared& is_method) {
  if (!IsSplitPart(part)) return {};
  std::unordered_set<int64_t> hidden;
  const auto names = HiddenNames::Parse(part);
  if (std::string wrong = CheckNames(*names, is_type, is_method, &hidden); !wrong.empty())
    return wrong;
  std::vector<int64_t> ids;  // by the index that stands for the id here
  std::unordered_map<int64_t, MethodIndex> known;
  int64_t undeclared = -1;
  const auto split = SplitPart::Parse(part, [&](int64_t id) {
    if (!is_method(id) && !hidden.contains(id)) {
      undeclared = id;
      return kNoMethod;
    }
    const auto [place, is_new] =
        known.try_emplace(id, MethodIndex{static_cast<uint32_t>(ids.size())});
    if (is_new) ids.push_back(id);
    return place->second;
  });
  if (!split) return fmt::format("method {}, which is not declared", undeclared);
  std::vector<RawFrame> frames;
  for (const SplitStack& stack : split->stacks) {
    for (const StackPiece& piece : stack.pieces) {
      const StackView view = ViewOf(stack.whole, piece);
      frames.clear();
      for (size_t i = 0; i < view.frames.size(); ++i)
        frames.push_back({ids[static_cast<size_t>(view.At(i).method)], view.At(i).bci});
      int64_t& weight = weights_[key_of(frames)];
      if (weight < view.weight) return fmt::format("{} left of {}", weight, Spelled(frames));
      weight -= view.weight;
    }
  }
  return {};
}

}  // namespace iprof
