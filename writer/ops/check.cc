#include "writer/ops/check.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "writer/base/grouped.h"
#include "writer/base/hash.h"
#include "writer/names/jdk_classes.h"
#include "writer/names/type_names.h"
#include "writer/ops/check_agent_section.h"
#include "writer/ops/check_code_ends.h"
#include "writer/ops/check_contexts.h"
#include "writer/ops/check_names.h"
#include "writer/ops/check_outcomes.h"
#include "writer/ops/check_stacks.h"
#include "writer/ops/check_successors.h"
#include "writer/profile/io/agent_section.h"
#include "writer/profile/io/code_part.h"
#include "writer/profile/io/context_form.h"
#include "writer/profile/io/format_version.h"
#include "writer/profile/io/harvest_note.h"
#include "writer/profile/io/profile_events.h"
#include "writer/profile/io/run_note.h"
#include "writer/profile/io/sampling_sum.h"
#include "writer/profile/io/split_part.h"

namespace iprof {
namespace {

constexpr int64_t kLargestBci = 65534;
constexpr int64_t kSmallestBci = std::numeric_limits<Bci>::min();  // a reader's smallest
constexpr int64_t kVoidId = 8;

constexpr std::string_view kStandardTypes[] = {
    "boolean", "byte", "short",  "char", "int",
    "float",   "long", "double", "void", "java.lang.Object"};

Place Member(Place place, std::string_view member, int64_t index = -1) {
  place.member = member;
  place.member_index = index;
  return place;
}

class Checker final : public ProfileEvents {
 public:
  Checker(const CheckOptions& options, const FindingHandler& on_finding)
      : options_(options), on_finding_(on_finding) {}

  const CheckCounts& counts() const { return counts_; }

  void Finish() {
    if (stopped_) return;
    ReportStandardIds();
    CheckStandardTypes();
    ReportOutcomes();
    CheckCodeEnds();
    CheckInclusive();
    CheckHarvest();
    counts_.image = image_.shares();
    CheckStacks();
    NoteJdks();
    NoteSamples();
    if (instance_of_seen_ && (version_.starts_with("0.") || version_.starts_with("1.0."))) {
      Report(Rule::kInstanceOfVersion, instance_of_place_, "version " + version_, "1.1.0 or later");
    }
  }

  bool OnVersion(std::string_view version, const Place& place) override {
    version_ = version;
    const Status status = CheckVersion(version);
    if (status.ok()) ReportStandardIds();
    if (status.ok()) {
      if (version.find_first_not_of("0123456789.") != std::string_view::npos) {
        Report(Rule::kVersion, place, Quoted(version), "three numbers, such as 1.0.0");
      }
      return true;
    }
    Report(Rule::kVersion, place, Quoted(version), "0.4.0 or 1.x: " + status.message());
    // In a file of another version, all further findings would only be consequences.
    stopped_ = status.code() == Code::kUnsupported;
    return !stopped_;
  }

  bool OnType(const TypeDecl& type) override {
    ++counts_.types;
    if (type.id < 0 || type.id > kMaxFileId) {
      Report(Rule::kTypeId, Member(type.place, "id"), std::to_string(type.id),
             "an id from 0 to 2^62");
    }
    if (!type_names_.emplace(type.id, std::string(type.name)).second) {
      Report(Rule::kTypeIdRepeated, Member(type.place, "id"),
             fmt::format("{} a second time", type.id), "each id once");
    }
    if (!names_.insert(std::string(type.name)).second) {
      Report(Rule::kTypeNameRepeated, Member(type.place, "name"),
             Quoted(type.name) + " a second time", "each name once");
    }
    CheckTypeName(type);
    return true;
  }

  bool OnMethod(const MethodDecl& method) override {
    ++counts_.methods;
    if (method.id < 0 || method.id > kMaxFileId) {
      Report(Rule::kMethodId, Member(method.place, "id"), std::to_string(method.id),
             "an id from 0 to 2^62");
    }
    if (method.name.empty()) {
      Report(Rule::kMethodName, Member(method.place, "name"), "an empty name", "a name");
    }
    const MethodNote note = NoteOn(method);
    const auto [noted, is_new] = methods_.emplace(method.id, note);
    if (!is_new) {
      Report(Rule::kMethodIdRepeated, Member(method.place, "id"),
             fmt::format("{} a second time", method.id), "each id once");
    }
    noted->second.signature = method.signature.size();
    noted->second.identity = CheckSignature(method);
    image_.AddMethod(method.id, ImageUseOf(method));
    return true;
  }

  bool OnTable(Table table, std::string_view key, const Place& place) override {
    if (table == Table::kInstanceOfs) {
      instance_of_seen_ = true;
      instance_of_place_ = place;
      instance_of_place_.section = TableKey(table);
      if (key != TableKey(table)) {
        Report(Rule::kInstanceOfSpelling, place, std::string(key), std::string(TableKey(table)));
      }
    }
    return true;
  }

  bool OnEntry(const EntryDecl& entry) override {
    ++counts_.entries;
    if (entry.ctx_ok) CheckContext(entry);
    if (entry.ctx_ok) code_ends_.Add(entry, CtxPlace(entry));
    if (entry.records_ok) CheckRecords(entry);
    if (entry.ctx_ok && entry.records_ok) {
      context_sums_.Add(entry, entry.place, PrefixesOf(entry.frames));
      image_.AddEntry(entry);
      AddEvents(entry);
      if (entry.table == Table::kSamples && entry.values.size() == 1)
        stack_sums_.Add(KeyOf(entry.frames), entry.values[0]);
    }
    return true;
  }

  bool OnUnknownKey(std::string_view key, std::string_view json, const Place& place) override {
    image_.AddKey(key, json);
    if (key == kAgentKey) {
      agent_section_.Add(kAgentKey, json);
      agent_section_place_ = place;
      agent_section_place_.section = kAgentKey;  // the reader's text is gone at the end
      CheckAgentSection(
          json, [&](Rule rule, std::string_view member, std::string found, std::string expected) {
            Report(rule, Member(place, member), std::move(found), std::move(expected));
          });
    }
    return true;
  }

  bool OnUnknownMember(std::string_view name, const Place& place) override {
    Report(Rule::kUnknownMember, place, "member " + Quoted(name), "members of the format");
    return true;
  }

  bool OnViolation(const Violation& violation) override {
    Report(Rule::kShape, violation.place, violation.found, violation.expected);
    return true;
  }

 private:
  // What the rules about samples need to know about a method.
  struct MethodNote {
    bool blocks = false;
    bool linkage = false;
    bool of_jdk = false;
    bool recorded = false;      // the part "code" has a place for it
    std::string_view identity;  // the ids of its signature, and its name
    size_t signature = 0;       // how many ids
  };

  void AddEvents(const EntryDecl& entry) {
    if (entry.table == Table::kCalls && !entry.values.empty()) {
      const auto calls = static_cast<double>(entry.values[0]);
      calls_ += calls;
      if (!entry.frames.empty()) calls_of_[entry.frames.front().method] += calls;
    }
    if (entry.table != Table::kConditionals) return;
    for (size_t at = 2; at < entry.values.size(); at += 3)
      branches_ += static_cast<double>(entry.values[at]);
  }

  void CheckHarvest() {
    CheckSureness();
    const auto part = agent_section_.Part(kHarvestPart);
    const auto note = part ? HarvestNote::Parse(*part) : std::nullopt;
    if (!note) return;
    const Place place = Member(agent_section_place_, kHarvestPart);
    if (!note->CanHold(calls_ + branches_)) {
      ++counts_.impossible;
      Report(Rule::kCountImpossible, place,
             fmt::format("{:.3g} calls and {:.3g} branches in {:.1f} s of processor time", calls_,
                         branches_, static_cast<double>(note->cpu_ms) / 1000),
             fmt::format("at most {:g} in a nanosecond; harvest again", kMostEventsPerNs));
    }
  }

  void CheckSureness() {
    const std::vector<Sureness> marks =
        SurenessInCodePart(agent_section_.Part(kCodePart).value_or(""));
    const std::vector<int64_t> recorded = RecordedMethods();
    if (marks.size() != recorded.size()) return;
    std::vector<std::pair<double, Sureness>> calls;
    for (size_t m = 0; m < marks.size(); ++m) {
      const auto found = calls_of_.find(recorded[m]);
      if (found != calls_of_.end()) calls.emplace_back(found->second, marks[m]);
    }
    const DoubtfulCalls doubts = DoubtfulOf(calls);
    if (doubts.share <= kMostDoubtful) return;
    Report(Rule::kFewExecutions, Member(agent_section_place_, kCodePart),
           fmt::format("{} most of {:.1f} % of all calls, estimated from {}",
                       Counted(doubts.methods, "method holds", "methods hold"), 100 * doubts.share,
                       Counted(doubts.executions, "execution", "executions")),
           "at most 10 %; let the program work longer, then record again");
  }

  // By id.
  std::vector<int64_t> RecordedMethods() const {
    std::vector<int64_t> recorded;
    for (const auto& [id, note] : methods_) {
      if (note.recorded) recorded.push_back(id);
    }
    std::sort(recorded.begin(), recorded.end());
    return recorded;
  }

  static std::string Quoted(std::string_view text) {
    return text.size() > 100 ? fmt::format("\"{}...\"", text.substr(0, 100))
                             : fmt::format("\"{}\"", text);
  }

  void Report(Rule rule, const Place& place, std::string found, std::string expected) {
    if (InfoOf(rule).doubtful && !options_.strict) return;
    Report({rule, place.offset, JsonPath(place), std::move(found), std::move(expected)});
  }

  void Report(const Finding& finding) {
    if (finding.doubtful() && !options_.strict) return;
    ++(finding.doubtful() ? counts_.doubts : counts_.errors);
    on_finding_(finding);
  }

  void CheckTypeName(const TypeDecl& type) {
    const Place place = Member(type.place, "name");
    if (type.name.empty()) {
      Report(Rule::kTypeName, place, "an empty name", "a class's name");
      return;
    }
    const auto standard =
        std::find(std::begin(kStandardTypes), std::end(kStandardTypes), type.name);
    const auto wanted = standard - std::begin(kStandardTypes);
    const bool is_standard_name = standard != std::end(kStandardTypes);
    const bool is_standard_id = type.id >= 0 && type.id < std::ssize(kStandardTypes);
    if (is_standard_name) standard_seen_.insert(wanted);
    if (is_standard_name && wanted != type.id) {
      NoteStandardId(Member(type.place, "id"), fmt::format("{} with id {}", type.name, type.id),
                     fmt::format("id {}", wanted));
    } else if (is_standard_id && !is_standard_name) {
      NoteStandardId(place, fmt::format("{} with id {}", Quoted(type.name), type.id),
                     std::string(kStandardTypes[static_cast<size_t>(type.id)]));
    }
    if (const std::string why = WrongClassNameForm(type.name); !why.empty()) {
      Report(Rule::kTypeNameForm, place, Quoted(type.name), why);
    }
    if (IsUnstableLambdaName(type.name)) {
      Report(Rule::kTypeNameUnstable, place, Quoted(type.name),
             "a name that is computed from what the lambda does");
    }
  }

  // An error in files of version 1, doubtful in older ones. So it is kept until the version
  // is known.
  void NoteStandardId(const Place& place, std::string found, std::string expected) {
    standard_ids_.push_back({Rule::kTypeStandardId, place.offset, JsonPath(place), std::move(found),
                             std::move(expected)});
    if (!version_.empty()) ReportStandardIds();
  }

  void ReportStandardIds() {
    const bool old = version_.starts_with("0.");
    for (Finding& finding : standard_ids_) {
      if (old) finding.rule = Rule::kTypeStandardElsewhere;
      Report(finding);
    }
    standard_ids_.clear();
  }

  void ReportOutcomes() {
    if (outcomes_.empty()) return;
    outcomes_.Report(image_.section().Part(kCodePart).value_or(""), RecordedMethods(),
                     [this](const Finding& finding) { Report(finding); });
  }

  void NoteJdks() {
    RunList list;
    if (const auto part = image_.section().Part(kProvenancePart)) list.AddJson(*part);
    for (const RunNote& run : list.Runs()) {
      if (!run.jvm_version.empty()) counts_.jdks.push_back(run.jvm_version);
    }
    std::sort(counts_.jdks.begin(), counts_.jdks.end());
    counts_.jdks.erase(std::unique(counts_.jdks.begin(), counts_.jdks.end()), counts_.jdks.end());
  }

  void NoteSamples() {
    const ImageShare::Part samples = counts_.image.Of(kNewestImageTarget).Of(Table::kSamples);
    // A signal is in each piece of its stack.
    const auto split = image_.section().Part(kSplitPart);
    const auto part =
        split ? SplitPart::Parse(*split, [](int64_t) { return MethodIndex{0}; }) : std::nullopt;
    const int64_t added = part ? part->added() : 0;
    const int64_t weight = added < samples.weight ? samples.weight - added : samples.weight;
    counts_.sample_signals = SignalsBehind(weight, image_.section().Part(kSamplingPart));
  }

  void CheckStandardTypes() {
    for (std::ptrdiff_t id = 0; id < std::ssize(kStandardTypes); ++id) {
      if (standard_seen_.contains(id)) continue;
      Place place;
      place.section = "types";
      Report(Rule::kTypeStandardMissing, place,
             fmt::format("no type {}", kStandardTypes[static_cast<size_t>(id)]),
             fmt::format("it to be declared with id {}", id));
    }
  }

  // Returns its identity.
  std::string_view CheckSignature(const MethodDecl& method) {
    if (method.signature.size() < 2) {
      Report(Rule::kMethodSignatureLength, Member(method.place, "signature"),
             fmt::format("{} type ids", method.signature.size()),
             "the declaring type, the return type and the parameters");
    }
    for (size_t i = 0; i < method.signature.size(); ++i) {
      const int64_t id = method.signature[i];
      const Place place = Member(method.place, "signature", static_cast<int64_t>(i));
      if (!type_names_.contains(id)) {
        Report(Rule::kMethodSignatureType, place, std::to_string(id), "the id of a declared type");
      } else if ((i == 0 && id >= 0 && id <= kVoidId) || (i >= 2 && id == kVoidId)) {
        Report(Rule::kMethodSignatureVoid, place, type_names_.at(id),
               i == 0 ? "a class as the declaring type" : "a parameter's type");
      }
    }
    std::string identity;
    for (const int64_t id : method.signature) identity += std::to_string(id) + ",";
    identity += method.name;
    const auto [kept, is_new] = method_identities_.insert(std::move(identity));
    if (!is_new) {
      Report(Rule::kMethodRepeated, method.place,
             fmt::format("{} with this declaring type and signature a second time",
                         Quoted(method.name)),
             "each method once");
    }
    return *kept;
  }

  // A method's name and the types of its signature.
  std::string TextOf(int64_t method) const {
    const auto found = methods_.find(method);
    if (found == methods_.end()) return {};
    std::string_view rest = found->second.identity;
    std::string types;
    for (size_t i = 0; i < found->second.signature; ++i) {
      const size_t end = rest.find(',');
      const auto type = type_names_.find(std::strtoll(rest.data(), nullptr, 10));
      types += ' ';
      if (type != type_names_.end()) types += type->second;
      rest.remove_prefix(end + 1);
    }
    return std::string(rest) + types;
  }

  void CheckCodeEnds() {
    const auto code = agent_section_.Part(kCodePart);
    if (!code) return;
    code_ends_.Check(
        *code, [&](int64_t method) { return TextOf(method); },
        [&](const Place& place, std::string found, std::string expected) {
          Report(Rule::kContextBeyondEnd, place, std::move(found), std::move(expected));
        });
  }

  void CheckInclusive() {
    const auto contexts = agent_section_.Part(kContextsPart);
    if (!contexts || !IsInclusivePart(*contexts)) return;
    context_sums_.Check([&](const Place& place, std::string found, std::string expected) {
      Report(Rule::kContextInclusive, place, std::move(found), std::move(expected));
    });
  }

  void CheckStacks() {
    const auto part = agent_section_.Part(kSplitPart);
    if (!part) return;
    std::string found = stack_sums_.Check(
        *part, [&](std::span<const RawFrame> frames) { return KeyOf(frames); },
        [&](int64_t id) { return type_names_.contains(id); },
        [&](int64_t id) { return methods_.contains(id); });
    if (found.empty()) return;
    Report(Rule::kAgentSection, Member(agent_section_place_, kSplitPart), std::move(found),
           "whole stacks that fit samplingProfiles; without, they are ignored");
  }

  MethodNote NoteOn(const MethodDecl& method) const {
    MethodNote note;
    if (method.signature.empty()) return note;
    const auto declaring = type_names_.find(method.signature[0]);
    if (declaring == type_names_.end()) return note;
    note.blocks = IsBlockingMethod(declaring->second, method.name);
    note.linkage = IsLinkageClass(ProfileName(declaring->second));
    note.of_jdk = IsJdkClass(declaring->second);
    return note;
  }

  MethodUse ImageUseOf(const MethodDecl& method) {
    names_of_signature_.clear();
    for (const int64_t id : method.signature) {
      const auto name = type_names_.find(id);
      names_of_signature_.push_back(name == type_names_.end() ? std::string_view()
                                                              : std::string_view(name->second));
    }
    const std::span<const std::string_view> names(names_of_signature_);
    if (names.empty()) return MethodUse({}, method.name, {});
    return MethodUse(names[0], method.name, names.subspan(std::min<size_t>(2, names.size())));
  }

  void CheckContext(const EntryDecl& entry) {
    const Place place = CtxPlace(entry);
    auto& seen = contexts_[static_cast<size_t>(entry.table)];
    if (entry.table == Table::kMonitors) {
      if (entry.frames.size() != 1 || entry.frames[0].method != 0 || entry.frames[0].bci != 0) {
        Report(Rule::kMonitorContext, place, Quoted(entry.ctx), "0:0");
      }
      if (!seen.empty()) {
        Report(Rule::kMonitorEntries, entry.place, "another entry", "exactly one");
      }
      seen.insert(KeyOf(entry.frames));
      return;
    }
    if (!seen.insert(KeyOf(entry.frames)).second) {
      Report(Rule::kContextRepeated, place, Quoted(entry.ctx) + " a second time",
             "each context once");
    }
    const auto innermost = methods_.find(entry.frames[0].method);
    if (entry.table != Table::kSamples && innermost != methods_.end())
      innermost->second.recorded = true;
    if (entry.table == Table::kCalls && entry.frames[0].bci != 0) {
      Report(Rule::kCallContextBci, place, Quoted(entry.ctx), "bci 0 in the first frame");
    }
    bool blocks = false;
    bool linkage = false;
    bool of_jdk = false;
    for (const RawFrame& frame : entry.frames) {
      const auto method = methods_.find(frame.method);
      if (method == methods_.end()) {
        Report(Rule::kContextMethod, place, fmt::format("method {}", frame.method),
               "the id of a declared method");
      } else {
        blocks |= method->second.blocks;
        linkage |= method->second.linkage;
        of_jdk |= method->second.of_jdk;
      }
      if (frame.bci > kLargestBci) {
        Report(Rule::kContextBci, place, fmt::format("bci {}", frame.bci),
               fmt::format("at most {}", kLargestBci));
      } else if (frame.bci < kSmallestBci) {
        Report(Rule::kContextBci, place, fmt::format("bci {}", frame.bci),
               fmt::format("at least {}", kSmallestBci));
      } else if (frame.bci < 0) {
        Report(Rule::kContextBciNegative, place, fmt::format("bci {}", frame.bci), "0 or more");
      }
    }
    if (of_jdk) ++counts_.jdk_entries;
    if (entry.table == Table::kSamples && blocks) {
      Report(Rule::kSampleBlocked, place, "a stack that waits", "a stack on a processor");
    }
    if (entry.table == Table::kSamples && linkage) {
      Report(Rule::kSampleLinkage, place, "frames of hidden linkage classes",
             "frames of methods that an image has");
    }
  }

  void CheckRecords(const EntryDecl& entry) {
    const size_t length = entry.values.size();
    switch (RecordKindOf(entry.table)) {
      case RecordKind::kCount:
        if (length != 1) {
          Report(Rule::kRecordLength, RecordsPlace(entry), fmt::format("{} integers", length),
                 "exactly one count");
        }
        for (size_t i = 0; i < length; ++i) CheckCount(entry, i);
        break;
      case RecordKind::kSuccessors:
        if (length % 3 != 0 || length == 0) {
          Report(Rule::kRecordLength, RecordsPlace(entry), fmt::format("{} integers", length),
                 "triples (bci, index, count)");
          break;
        }
        for (size_t i = 2; i < length; i += 3) CheckCount(entry, i);
        CheckSuccessors(entry.values, entry.frames.empty() ? -1 : entry.frames[0].bci,
                        [&](Rule rule, size_t at, std::string found, std::string expected) {
                          const Place place = RecordsPlace(entry, static_cast<int64_t>(at));
                          if (rule != Rule::kBranchOutcomes)
                            return Report(rule, place, std::move(found), std::move(expected));
                          outcomes_.Add(entry.frames[0].method,
                                        {rule, place.offset, JsonPath(place), std::move(found),
                                         std::move(expected)});
                        });
        break;
      case RecordKind::kTypeCounts:
        if (length % 2 != 0) {
          Report(Rule::kRecordLength, RecordsPlace(entry), fmt::format("{} integers", length),
                 "pairs (type id, count)");
          break;
        }
        CheckTypeCounts(entry);
        break;
    }
  }

  void CheckCount(const EntryDecl& entry, size_t i) {
    const int64_t count = entry.values[i];
    const Place place = RecordsPlace(entry, static_cast<int64_t>(i));
    if (count < 0) {
      Report(Rule::kCountNegative, place, std::to_string(count), "a count of 0 or more");
    } else if (count == 0 && entry.table != Table::kConditionals) {
      Report(Rule::kCountZero, place, "0", "a count above 0, or no entry");
    }
  }

  void CheckTypeCounts(const EntryDecl& entry) {
    bool any_positive = false;
    bool any_wrong = false;
    std::unordered_set<int64_t> seen;
    for (size_t i = 0; i < entry.values.size(); i += 2) {
      const int64_t type = entry.values[i];
      const int64_t count = entry.values[i + 1];
      const Place place = RecordsPlace(entry, static_cast<int64_t>(i));
      if (!type_names_.contains(type)) {
        Report(Rule::kRecordType, place, std::to_string(type), "the id of a declared type");
      }
      if (!seen.insert(type).second) {
        Report(Rule::kReceiverRepeated, place, fmt::format("type {} a second time", type),
               "each type once");
      }
      CheckCount(entry, i + 1);
      any_positive |= count > 0;
      any_wrong |= count <= 0;
      if (i >= 2 && entry.values[i - 1] < count) {
        Report(Rule::kReceiverOrder, place, fmt::format("{} after {}", count, entry.values[i - 1]),
               "the largest count first");
      }
    }
    // Zero or negative counts have already been reported; only an empty record remains to
    // be reported.
    if (entry.table == Table::kVirtualInvokes && !any_positive && !any_wrong) {
      Report(Rule::kReceiverSum, RecordsPlace(entry), "no receiver",
             "counts that sum up to more than 0");
    }
  }

  // A key for the frames, not for the file's spelling: 07:0 equals 7:0. 128 bits represent a
  // context that may have megabytes. The seed differs from process to process, so that no file can
  // be made to have equal keys.
  ContextKey KeyOf(std::span<const RawFrame> frames) const {
    ContextKey key{MixHash(seed_, frames.size()), seed_};
    for (const RawFrame& frame : frames) {
      const uint64_t word =
          MixHash(static_cast<uint64_t>(frame.method), static_cast<uint64_t>(frame.bci) + seed_);
      key.first = MixHash(key.first ^ word, seed_);
      key.second = MixHash(key.second + word, ~seed_);
    }
    return key;
  }

  std::vector<ContextKey> PrefixesOf(std::span<const RawFrame> frames) const {
    std::vector<ContextKey> prefixes;
    for (size_t length = 1; length <= frames.size(); ++length)
      prefixes.push_back(KeyOf(frames.first(length)));
    return prefixes;
  }

  const CheckOptions& options_;
  const FindingHandler& on_finding_;
  CheckCounts counts_;
  bool stopped_ = false;
  std::string version_;
  std::unordered_map<int64_t, std::string> type_names_;
  std::unordered_set<std::string> names_;
  std::unordered_set<std::ptrdiff_t> standard_seen_;
  std::unordered_map<int64_t, MethodNote> methods_;
  std::unordered_set<std::string> method_identities_;
  uint64_t seed_ = ProcessHashSeed();
  std::array<std::unordered_set<ContextKey, ContextKeyHash>, kTableCount> contexts_;
  std::vector<Finding> standard_ids_;  // found before the version
  OutcomeFindings outcomes_;
  FileShares image_;
  CodeEnds code_ends_;
  ContextSums context_sums_;
  StackSums stack_sums_;
  AgentSection agent_section_;
  Place agent_section_place_;
  double calls_ = 0, branches_ = 0;
  std::unordered_map<int64_t, double> calls_of_;  // by method
  std::vector<std::string_view> names_of_signature_;
  bool instance_of_seen_ = false;
  Place instance_of_place_;
};

}  // namespace

Result<CheckCounts> CheckProfile(ByteSource& source, std::string_view name,
                                 const CheckOptions& options, const FindingHandler& on_finding) {
  Checker checker(options, on_finding);
  Status parsed = ParseProfile(source, name, checker);
  if (!parsed.ok()) return parsed;
  checker.Finish();
  return checker.counts();
}

Result<CheckCounts> CheckProfileText(std::string_view text, const CheckOptions& options,
                                     const FindingHandler& on_finding) {
  StringSource source(text);
  return CheckProfile(source, "text", options, on_finding);
}

}  // namespace iprof
