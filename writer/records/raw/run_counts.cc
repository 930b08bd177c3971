#include "writer/records/raw/run_counts.h"

#include <algorithm>
#include <utility>

#include "writer/profile/io/agent_section.h"
#include "writer/profile/io/estimate_note.h"

namespace iprof {
namespace {

// If not all estimated methods are known, the others may be estimated, too.
void AddSureness(const EstimatedMethods& estimated, Profile& profile) {
  const bool are_known = estimated.unnamed + estimated.lost == 0;
  if (estimated.calls.empty() && are_known) return;
  for (const MethodIndex method : MethodsOf(profile)) {
    const auto found = estimated.calls.find(profile.DescribeMethod(method));
    if (found != estimated.calls.end() && found->second.calls > 0) {
      profile.AddSureness(method, Sureness::EstimatedFrom(found->second.executions));
    } else if (!are_known) {
      profile.AddSureness(method, Sureness::Unknown());
    }
  }
}

}  // namespace

void AddCounts(const AssemblyResult& assembly, RunNote* note) {
  const auto number = [](uint64_t count) { return static_cast<int64_t>(count); };
  note->exactness = {.exact = number(assembly.methods_exact),
                     .within_k = number(assembly.methods_bounded),
                     .unknown = number(assembly.methods_unknown + assembly.methods_estimated +
                                       assembly.methods_replaced),
                     .largest_k = number(assembly.largest_k)};
  note->Lose("branches", assembly.branches_left_out);
  note->Lose("sites", assembly.sites_left_out);
  note->Lose("monitors", assembly.monitors_lost);
  note->Lose("negative_counts", assembly.clamps);
  note->Lose("damaged_records", assembly.damaged_records);
  note->Lose("methods_changed_by_others", assembly.positions_dropped);
  note->Lose("method_versions", assembly.versions_dropped);
  note->Lose("estimates", assembly.estimated.lost);
  note->Lose("estimates_without_name", assembly.estimated.unnamed);
}

void NoteEstimates(const AssemblyResult& assembly, Profile& profile) {
  AddSureness(assembly.estimated, profile);
  if (assembly.replaced_calls.empty() && assembly.estimated.calls.empty()) return;
  EstimateNote note;
  const auto add = [&](const std::string& method, uint64_t calls) {
    int64_t& sum = note.calls[method];
    sum = SaturatingAdd(sum, static_cast<int64_t>(std::min<uint64_t>(calls, INT64_MAX)));
  };
  for (const auto& [method, calls] : assembly.replaced_calls) add(method, calls);
  for (const auto& [method, estimate] : assembly.estimated.calls) add(method, estimate.calls);
  SetAgentPart(profile, kEstimatesPart, note.ToJson());
}

void AddCounts(const AssemblyResult& assembly, SnapshotNote* note) {
  const uint64_t others = assembly.methods_bounded + assembly.methods_unknown +
                          assembly.methods_estimated + assembly.methods_replaced;
  note->methods_exact = note->at_rest ? NumberInNote(assembly.methods_exact) : 0;
  note->methods_within_k = NumberInNote(note->at_rest ? others : others + assembly.methods_exact);
}

void NoteCountingGoesOn(RunNote* note) {
  if (!note->exactness) return;
  RunExactness& exactness = *note->exactness;
  exactness.within_k += std::exchange(exactness.exact, 0);
  exactness.largest_k = 0;
}

}  // namespace iprof
