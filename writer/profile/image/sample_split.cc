#include "writer/profile/image/sample_split.h"

#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "writer/profile/image/image_note.h"
#include "writer/profile/image/image_share.h"
#include "writer/profile/image/image_use.h"
#include "writer/profile/image/sampled_calls.h"
#include "writer/profile/image/site_receivers.h"
#include "writer/profile/io/agent_section.h"
#include "writer/profile/sample_threads.h"

namespace iprof {
namespace {

struct Precedes {
  bool operator()(const Frame& a, const Frame& b) const {
    return std::tie(a.method, a.bci) < std::tie(b.method, b.bci);
  }
};
using Sites = std::set<Frame, Precedes>;

// What an image build can use of a stack.
struct CutSample {
  SampledStack stack;
  StackPiece kept;
};

// The outermost piece ends at the first call of a site, the innermost one begins behind the last.
std::vector<StackPiece> PiecesOf(const CutSample& sample, const Sites& sites) {
  const StackPiece& kept = sample.kept;
  if (kept.from == kept.to) return {};
  size_t first = kept.from;
  size_t last = kept.from;
  for (size_t at = kept.from + 1; at < kept.to; ++at) {
    if (!sites.contains(sample.stack.frames[at])) continue;
    if (first == kept.from) first = at;
    last = at;
  }
  if (first == kept.from) return {kept};
  return {{kept.from, first, kept.at_0}, {last, kept.to}};
}

// Of other programs' profiles it is not known.
bool HasExactReceivers(const Profile& profile) {
  const AgentSection section = AgentSection::Of(profile);
  return section.form() == AgentSection::Form::kReadable && !section.Part(kHarvestPart);
}

std::optional<ImageTarget> TargetOfCut(const Profile& profile) {
  const auto note = ImageNote::Of(profile);
  if (!note) return std::nullopt;
  if (note->filtered || SplitPart::CompleteOf(profile)) return note->target;
  return std::nullopt;
}

// `uses` is empty if nothing is to be cut. The stack has no frame of a thread.
StackCut CutWith(std::span<const Frame> frames, const std::vector<MethodUse>& uses,
                 std::optional<ImageTarget> target) {
  if (!target) return {0, frames.size(), false};
  std::vector<const MethodUse*> of_frames;
  of_frames.reserve(frames.size());
  for (const Frame& frame : frames) of_frames.push_back(&uses[static_cast<size_t>(frame.method)]);
  return CutStack(of_frames, *target);
}

std::vector<CutSample> CutSamples(const Profile& profile, const std::vector<MethodUse>& uses,
                                  std::optional<ImageTarget> target) {
  std::vector<CutSample> samples;
  for (SampledStack& stack : StacksOf(profile)) {
    const StackCut cut = CutWith(stack.frames, uses, target);
    const bool moves = cut.first_at_0 && stack.frames[cut.first].bci != 0;
    samples.push_back({std::move(stack), {cut.first, cut.last, moves}});
  }
  return samples;
}

// What is written if stacks are cut at these sites. Equal pieces are not added up, which is the same for calls.
std::vector<StackView> PiecesAt(const std::vector<CutSample>& samples, const Sites& sites) {
  std::vector<StackView> written;
  for (const CutSample& sample : samples) {
    if (sample.stack.weight == 0) continue;
    for (const StackPiece& piece : PiecesOf(sample, sites))
      written.push_back(ViewOf(sample.stack, piece));
  }
  return written;
}

// The calls at which stacks have to be cut so that samples do not contradict the receivers.
Sites FindSites(const SiteReceivers& receivers, const std::vector<CutSample>& samples) {
  Sites sites;
  // Pieces change which contexts are hot, so that other calls may disagree.
  for (size_t before = SIZE_MAX; before != sites.size();) {
    before = sites.size();
    const auto is_site = [&](Frame frame) {
      return receivers.Matters(frame) && !sites.contains(frame);
    };
    std::vector<Frame> found;
    VisitHotCalls(PiecesAt(samples, sites), is_site, [&](const HotCall& call) {
      const bool agrees = receivers.Agrees(call.chain.front(), call.callees);
      if (!agrees) found.push_back(call.chain.front());
      return agrees;
    });
    sites.insert(found.begin(), found.end());
  }
  return sites;
}

// Stacks with equal callers follow each other. File ids are the same in the profile that is read.
void Sort(const Profile& profile, std::vector<SplitStack>& stacks) {
  const auto precedes = [&](const Frame& a, const Frame& b) {
    return std::tuple(profile.MethodFileId(a.method), a.bci) <
           std::tuple(profile.MethodFileId(b.method), b.bci);
  };
  std::ranges::sort(stacks, [&](const SplitStack& a, const SplitStack& b) {
    return std::lexicographical_compare(a.whole.frames.rbegin(), a.whole.frames.rend(),
                                        b.whole.frames.rbegin(), b.whole.frames.rend(), precedes);
  });
}

// Finds types and methods that only whole stacks name, and that the image does not have.
class HiddenSearch {
 public:
  HiddenSearch(const Profile& profile, const std::vector<MethodUse>& uses, ImageTarget target)
      : profile_(profile),
        uses_(uses),
        target_(target),
        methods_named_(profile.method_count()),
        types_named_(profile.type_count()) {}

  void Run(const std::vector<CutSample>& unsplit, SplitPart& split) {
    NameWritten(unsplit, split);
    std::vector<bool> is_hidden(profile_.method_count());
    for (const SplitStack& stack : split.stacks) {
      for (const Frame& frame : stack.whole.frames) {
        const auto at = static_cast<size_t>(frame.method);
        is_hidden[at] = !methods_named_[at] && !AreCallsUsable(uses_[at].For(target_));
      }
    }
    std::vector<bool> types_hidden(profile_.type_count());
    for (const MethodIndex method : MethodsOf(profile_)) {
      const bool hides = is_hidden[static_cast<size_t>(method)];
      if (hides) split.hidden_methods.push_back(method);
      for (const TypeIndex type : profile_.Signature(method))
        (hides ? types_hidden : types_named_)[static_cast<size_t>(type)] = true;
    }
    for (const TypeIndex type : TypesOf(profile_)) {
      const auto at = static_cast<size_t>(type);
      constexpr int64_t kLastStandardType = 9;
      if (types_named_[at] || !types_hidden[at] || profile_.TypeFileId(type) <= kLastStandardType)
        continue;
      if (FindMachinery(profile_.TypeName(type), {}) != nullptr) split.hidden_types.push_back(type);
    }
  }

 private:
  void NameFrames(std::span<const Frame> frames) {
    for (const Frame& frame : frames) methods_named_[static_cast<size_t>(frame.method)] = true;
  }

  void NameWritten(const std::vector<CutSample>& unsplit, const SplitPart& split) {
    for (const Table table : kAllTables) {
      if (table != Table::kSamples) NameEntries(table);
    }
    for (const CutSample& sample : unsplit) NameFrames(sample.stack.frames);
    for (const SplitStack& stack : split.stacks) {
      for (const StackPiece& piece : stack.pieces) NameFrames(ViewOf(stack.whole, piece).frames);
    }
  }

  void NameEntries(Table table) {
    for (const EntryIndex entry : EntriesOf(profile_, table)) {
      profile_.ForEachFrame(profile_.EntryContext(table, entry), [&](Frame frame) {
        if (frame.method != kNoMethod) methods_named_[static_cast<size_t>(frame.method)] = true;
      });
      if (RecordKindOf(table) != RecordKind::kTypeCounts) continue;
      for (const TypeCount& count : profile_.EntryTypeCounts(table, entry))
        types_named_[static_cast<size_t>(count.type)] = true;
    }
  }

  const Profile& profile_;
  const std::vector<MethodUse>& uses_;
  const ImageTarget target_;
  std::vector<bool> methods_named_;  // by what is written
  std::vector<bool> types_named_;
};

// Moves the samples that are not written whole into the part.
void MoveSplit(const Sites& sites, std::vector<CutSample>& samples, SplitPart& split) {
  split.sites = sites.size();
  std::erase_if(samples, [&](CutSample& sample) {
    if (sample.stack.weight == 0) return true;
    std::vector<StackPiece> pieces = PiecesOf(sample, sites);
    const StackPiece all{0, sample.stack.frames.size()};
    if (pieces.size() == 1 && pieces.front() == all) return false;
    split.stacks.push_back({std::move(sample.stack), std::move(pieces)});
    return true;
  });
}

// Without the threads of the samples.
SplitPart SplitStacks(const Profile& profile) {
  SplitPart split;
  const std::optional<ImageTarget> target = TargetOfCut(profile);
  const bool is_exact = HasExactReceivers(profile);
  if (profile.entry_count(Table::kSamples) == 0 || (!target && !is_exact)) return split;
  std::vector<MethodUse> uses;
  if (target) {
    uses = UsesOfMethods(profile);
    split.complete = SplitPart::CompleteOf(profile);
  }
  std::vector<CutSample> samples = CutSamples(profile, uses, target);
  Sites sites;
  if (is_exact) sites = FindSites(SiteReceivers::Of(profile), samples);
  MoveSplit(sites, samples, split);
  Sort(profile, split.stacks);
  if (target) HiddenSearch(profile, uses, *target).Run(samples, split);
  return split;
}

}  // namespace

SplitPart SplitSamples(const Profile& profile) {
  SplitPart split = SplitStacks(profile);
  split.NoteThreads(profile);
  return split;
}

std::vector<StackCut> CutsOfSamples(const Profile& profile) {
  const std::optional<ImageTarget> target = TargetOfCut(profile);
  const ThreadFrames threads(profile);
  std::vector<MethodUse> uses;
  if (target) uses = UsesOfMethods(profile);
  std::vector<StackCut> cuts;
  for (const EntryIndex entry : EntriesOf(profile, Table::kSamples)) {
    std::vector<Frame> frames = profile.Frames(profile.EntryContext(Table::kSamples, entry));
    threads.TakeFrom(frames);
    cuts.push_back(CutWith(frames, uses, target));
  }
  return cuts;
}

int64_t SamplesForBuild(const Profile& profile) {
  const std::vector<StackCut> cuts = CutsOfSamples(profile);
  int64_t sum = 0;
  for (const EntryIndex entry : EntriesOf(profile, Table::kSamples)) {
    if (cuts[static_cast<size_t>(entry)].empty()) continue;
    sum = SaturatingAdd(sum, profile.EntryCount(Table::kSamples, entry));
  }
  return sum;
}

void AddSplitPart(Profile& profile) {
  const SplitPart split = SplitSamples(profile);
  if (split.is_needed()) SetAgentPart(profile, kSplitPart, split.ToJson(profile));
}

bool HasWholeStacks(const Profile& profile) {
  if (profile.entry_count(Table::kSamples) == 0) return true;
  if (const auto complete = SplitPart::CompleteOf(profile)) return *complete;
  const auto note = ImageNote::Of(profile);
  return !note || !note->filtered;
}

}  // namespace iprof
