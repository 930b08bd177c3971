#include "writer/profile/io/estimate_note.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <unordered_set>

#include "writer/base/grouped.h"
#include "writer/profile/io/agent_section.h"
#include "writer/profile/io/json_builder.h"
#include "writer/profile/io/json_object.h"

namespace iprof {
namespace {

constexpr size_t kMostBytes = size_t{64} << 20;

std::unordered_set<std::string> MethodsWithCalls(const Profile& profile) {
  std::unordered_set<std::string> names;
  for (const EntryIndex entry : EntriesOf(profile, Table::kCalls)) {
    const Frame frame = profile.InnermostFrame(profile.EntryContext(Table::kCalls, entry));
    if (frame.method != kNoMethod) names.insert(profile.DescribeMethod(frame.method));
  }
  return names;
}

std::unordered_set<std::string> DeclaredMethods(const Profile& profile) {
  std::unordered_set<std::string> names;
  for (const MethodIndex method : MethodsOf(profile)) names.insert(profile.DescribeMethod(method));
  return names;
}

}  // namespace

std::string EstimateNote::ToJson() const {
  JsonBuilder json;
  json.Open('{').Key("calls").Open('{');
  for (const auto& [method, count] : calls) json.Field(method, count);
  return json.Close('}').Close('}').Take();
}

std::optional<EstimateNote> EstimateNote::Parse(std::string_view json) {
  if (json.size() > kMostBytes) return std::nullopt;
  EstimateNote note;
  bool has_calls = false;
  const bool read =
      ParseObject(json, kEstimatesPart, [&](JsonScanner& in, const std::string& name) {
        if (name != "calls") return in.SkipValue();
        has_calls = true;
        return ReadObject(in, [&](const std::string& method) {
          int64_t count = 0;
          if (!in.ReadWhole(&count) || count < 0) return false;
          int64_t& sum = note.calls[method];
          sum = SaturatingAdd(sum, count);
          return true;
        });
      });
  if (!read || !has_calls) return std::nullopt;
  return note;
}

void EstimateNote::Unite(const EstimateNote& other) {
  for (const auto& [method, count] : other.calls) {
    int64_t& sum = calls[method];
    sum = SaturatingAdd(sum, count);
  }
}

void EstimateNote::Multiply(int64_t weight) {
  for (auto& [method, count] : calls) {
    if (__builtin_mul_overflow(count, weight, &count)) count = std::numeric_limits<int64_t>::max();
  }
}

size_t EstimateNote::methods() const {
  return static_cast<size_t>(
      std::count_if(calls.begin(), calls.end(), [](const auto& call) { return call.second > 0; }));
}

double EstimateNote::ShareOf(int64_t all) const {
  int64_t estimated = 0;
  for (const auto& [method, count] : calls) estimated = SaturatingAdd(estimated, count);
  return all <= 0 ? 0 : std::min(static_cast<double>(estimated) / static_cast<double>(all), 1.0);
}

std::string EstimateNote::Describe(int64_t all) const {
  if (methods() == 0) return {};
  return fmt::format("{:.1f} % of all calls, in {} not counted all the time", 100 * ShareOf(all),
                     Counted(methods(), "method that was", "methods that were"));
}

void TrimEstimates(Profile& profile, const Profile& whole) {
  const AgentSection section = AgentSection::Of(profile);
  const auto json = section.Part(kEstimatesPart);
  std::optional<EstimateNote> note = json ? EstimateNote::Parse(*json) : std::nullopt;
  if (!note) return;
  const std::unordered_set<std::string> names =
      whole.entry_count(Table::kCalls) > 0 ? MethodsWithCalls(profile) : DeclaredMethods(profile);
  const size_t erased =
      std::erase_if(note->calls, [&](const auto& call) { return !names.contains(call.first); });
  if (erased > 0) SetAgentPart(profile, kEstimatesPart, note->ToJson());
}

}  // namespace iprof
