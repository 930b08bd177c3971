#include "writer/profile/io/reader.h"

#include <algorithm>
#include <limits>
#include <map>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "writer/base/hash.h"
#include "writer/profile/branch_outcomes.h"
#include "writer/profile/io/agent_section.h"
#include "writer/profile/io/code_part.h"
#include "writer/profile/io/context_form.h"
#include "writer/profile/io/format_version.h"
#include "writer/profile/io/position_part.h"
#include "writer/profile/io/profile_events.h"
#include "writer/profile/io/split_part.h"

namespace iprof {
namespace {

constexpr uint32_t kNone = UINT32_MAX;

struct IdHash {
  size_t operator()(int64_t id) const {
    static const uint64_t seed = ProcessHashSeed();
    return MixHash(static_cast<uint64_t>(id), seed);
  }
};

// Maps file ids to indices. Ids are mostly dense, so most are kept in an array, which grows with
// the number of ids and not with their values. The others are in a hash table.
class IdMap {
 public:
  uint32_t Find(int64_t id) const {
    if (static_cast<uint64_t>(id) < dense_.size()) {
      if (const uint32_t index = dense_[static_cast<size_t>(id)]; index != kNone) return index;
    }
    if (sparse_.empty()) return kNone;
    const auto found = sparse_.find(id);
    return found == sparse_.end() ? kNone : found->second;
  }
  void Add(int64_t id, uint32_t index) {
    ++size_;
    const auto at = static_cast<uint64_t>(id);
    if (at < 4096 + 4 * size_) {
      if (at >= dense_.size())
        dense_.resize(std::max(static_cast<size_t>(at) + 1, dense_.size() * 2), kNone);
      dense_[static_cast<size_t>(at)] = index;
    } else {
      sparse_[id] = index;
    }
  }

 private:
  std::vector<uint32_t> dense_;
  std::unordered_map<int64_t, uint32_t, IdHash> sparse_;
  size_t size_ = 0;
};

std::string Spelled(int64_t value) { return std::to_string(value); }

// Builds the model, and stops at the first violation that the model cannot represent.
class ModelBuilder final : public ProfileEvents {
 public:
  ModelBuilder(std::string_view name, SampleLabels labels) : name_(name), labels_(labels) {}

  const Status& status() const { return status_; }

  // Call after the last event.
  void Finish() {
    for (const auto& [context, lists] : other_shapes_) {
      const std::vector<std::span<const Successor>> spans(lists.begin(), lists.end());
      profile_.AddSuccessors(context, SumOfSuccessors(spans));
    }
    for (const auto& [context, count] : WholeSamples())
      profile_.AddCount(Table::kSamples, context, count);
  }
  Profile& profile() { return profile_; }
  std::string_view name() const { return name_; }

  bool OnVersion(std::string_view version, const Place& place) override {
    if (Status status = CheckVersion(version); !status.ok()) {
      status_ =
          Status(status.code(), std::string(name_) + ": byte " + std::to_string(place.offset) +
                                    ", " + JsonPath(place) + ": " + status.message());
      return false;
    }
    profile_.set_version(std::string(version));
    return true;
  }

  bool OnType(const TypeDecl& type) override {
    if (!CheckNewId(type.id, types_, type.place)) return false;
    types_.Add(type.id, static_cast<uint32_t>(profile_.AddTypeWithId(type.name, type.id)));
    return true;
  }

  bool OnMethod(const MethodDecl& method) override {
    if (!CheckNewId(method.id, methods_, method.place)) return false;
    if (method.signature.size() < 2) {
      return Refuse(MemberPlace(method.place, "signature"),
                    std::to_string(method.signature.size()) + " type ids",
                    "the declaring type, the return type and the parameters");
    }
    signature_.clear();
    for (size_t i = 0; i < method.signature.size(); ++i) {
      const uint32_t type = types_.Find(method.signature[i]);
      if (type == kNone) {
        return Refuse(MemberPlace(method.place, "signature", static_cast<int64_t>(i)),
                      Spelled(method.signature[i]), "the id of a declared type");
      }
      signature_.push_back(TypeIndex{type});
    }
    methods_.Add(method.id, static_cast<uint32_t>(
                                profile_.AddMethodWithId(method.name, signature_, method.id)));
    return true;
  }

  bool OnEntry(const EntryDecl& entry) override {
    ContextIndex context = kNoContext;
    if (!Resolve(entry, &context)) return false;
    const auto values = entry.values;
    switch (RecordKindOf(entry.table)) {
      case RecordKind::kCount:
        if (values.size() != 1) return WrongLength(entry, "exactly one count");
        if (!CheckCount(entry, 0)) return false;
        if (entry.table == Table::kSamples) {
          samples_.emplace_back(context, values[0]);
        } else {
          profile_.AddCount(entry.table, context, values[0]);
        }
        return true;
      case RecordKind::kSuccessors:
        if (values.size() % 3 != 0) return WrongLength(entry, "triples (bci, index, count)");
        successors_.clear();
        successors_.reserve(values.size() / 3);
        for (size_t i = 0; i < values.size(); i += 3) {
          if (!CheckCount(entry, i + 2)) return false;
          successors_.push_back({values[i], values[i + 1], values[i + 2]});
        }
        if (!profile_.TryAddSuccessors(context, successors_)) {
          other_shapes_[context].push_back(successors_);
        }
        return true;
      case RecordKind::kTypeCounts:
        if (values.size() % 2 != 0) return WrongLength(entry, "pairs (type id, count)");
        type_counts_.clear();
        for (size_t i = 0; i < values.size(); i += 2) {
          const uint32_t type = types_.Find(values[i]);
          if (type == kNone) {
            return Refuse(RecordsPlace(entry, static_cast<int64_t>(i)), Spelled(values[i]),
                          "the id of a declared type");
          }
          if (!CheckCount(entry, i + 1)) return false;
          type_counts_.push_back({TypeIndex{type}, values[i + 1]});
        }
        profile_.AddTypeCounts(entry.table, context, type_counts_);
        return true;
    }
    return false;
  }

  bool OnUnknownKey(std::string_view key, std::string_view json, const Place&) override {
    profile_.SetExtra(key, json);
    return true;
  }

  bool OnViolation(const Violation& violation) override {
    status_ = Status(Code::kBadInput, FormatViolation(name_, violation));
    return false;
  }

 private:
  using Samples = std::vector<std::pair<ContextIndex, int64_t>>;

  // The samples with their whole stacks. A part that does not fit is removed.
  Samples WholeSamples() {
    const auto json = AgentPart(profile_, kSplitPart);
    if (!json) return std::move(samples_);
    const auto names = HiddenNames::Parse(*json);
    // Until the pieces are found, a hidden method has an index behind those of all others.
    const size_t known = profile_.method_count();
    std::optional<SplitPart> split;
    if (names && CanDeclare(*names)) split = ParseSplit(*json, *names, known);
    const bool has_labels = split && labels_ != SampleLabels::kNone &&
                            !(split->of_threads.empty() && split->of_periods.empty());
    // Stacks take memory.
    if (split && split->stacks.empty() && !has_labels) return std::move(samples_);
    std::vector<SampledStack> stacks;
    for (const auto& [context, count] : samples_)
      stacks.push_back({profile_.Frames(context), count});
    const SplitPart labels = split ? LabelsOf(*split) : SplitPart();
    if (!split || !JoinPieces(*std::move(split), stacks)) {
      RemoveAgentPart(profile_, kSplitPart);
      return std::move(samples_);
    }
    const std::vector<MethodIndex> declared = Declare(*names);
    for (SampledStack& stack : stacks) {
      for (Frame& frame : stack.frames) {
        const auto at = static_cast<size_t>(frame.method);
        if (at >= known) frame.method = declared[at - known];
      }
    }
    JoinThreads(labels, labels_, stacks, profile_);
    Samples whole;
    for (const SampledStack& stack : stacks)
      whole.emplace_back(profile_.AddContext(stack.frames), stack.weight);
    return whole;
  }

  std::optional<SplitPart> ParseSplit(std::string_view part, const HiddenNames& names,
                                      size_t known) const {
    std::unordered_map<int64_t, uint32_t, IdHash> hidden;
    for (const HiddenNames::Method& method : names.methods)
      hidden.emplace(method.id, static_cast<uint32_t>(known + hidden.size()));
    return SplitPart::Parse(part, [&](int64_t id) {
      const auto found = hidden.find(id);
      return MethodIndex{found == hidden.end() ? methods_.Find(id) : found->second};
    });
  }

  // Takes them out of the part.
  static SplitPart LabelsOf(SplitPart& split) {
    return {.threads = std::move(split.threads),
            .of_threads = std::move(split.of_threads),
            .seconds = std::move(split.seconds),
            .of_periods = std::move(split.of_periods)};
  }

  bool CanDeclare(const HiddenNames& names) const {
    const auto is_new = [](int64_t id, const IdMap& ids, std::unordered_set<int64_t>& seen) {
      return id >= 0 && id <= kMaxFileId && ids.Find(id) == kNone && seen.insert(id).second;
    };
    std::unordered_set<int64_t> types;
    std::unordered_set<int64_t> methods;
    for (const HiddenNames::Type& type : names.types) {
      if (!is_new(type.id, types_, types)) return false;
    }
    return std::ranges::all_of(names.methods, [&](const HiddenNames::Method& method) {
      return is_new(method.id, methods_, methods) &&
             std::ranges::all_of(method.signature, [&](int64_t id) {
               return types_.Find(id) != kNone || types.contains(id);
             });
    });
  }

  // The types and methods that only the stacks in the part name. Returns the methods.
  std::vector<MethodIndex> Declare(const HiddenNames& names) {
    for (const HiddenNames::Type& type : names.types)
      types_.Add(type.id, static_cast<uint32_t>(profile_.AddTypeWithId(type.name, type.id)));
    std::vector<MethodIndex> declared;
    for (const HiddenNames::Method& method : names.methods) {
      signature_.clear();
      for (const int64_t id : method.signature) signature_.push_back(TypeIndex{types_.Find(id)});
      declared.push_back(profile_.AddMethodWithId(method.name, signature_, method.id));
    }
    return declared;
  }

  static Place MemberPlace(Place place, std::string_view member, int64_t index = -1) {
    place.member = member;
    place.member_index = index;
    return place;
  }
  bool Refuse(const Place& place, std::string found, const char* expected) {
    return OnViolation({place, std::move(found), expected});
  }
  bool WrongLength(const EntryDecl& entry, const char* expected) {
    return Refuse(RecordsPlace(entry), std::to_string(entry.values.size()) + " integers", expected);
  }
  bool CheckCount(const EntryDecl& entry, size_t i) {
    return entry.values[i] >= 0 || Refuse(RecordsPlace(entry, static_cast<int64_t>(i)),
                                          Spelled(entry.values[i]), "a count of 0 or more");
  }
  bool CheckNewId(int64_t id, const IdMap& ids, const Place& place) {
    if (id < 0 || id > kMaxFileId) {
      return Refuse(MemberPlace(place, "id"), Spelled(id), "an id from 0 to 2^62");
    }
    return ids.Find(id) == kNone ||
           Refuse(MemberPlace(place, "id"), Spelled(id) + " a second time", "each id once");
  }

  bool Resolve(const EntryDecl& entry, ContextIndex* context) {
    if (entry.table == Table::kMonitors && entry.frames.size() == 1 &&
        entry.frames[0].method == 0 && entry.frames[0].bci == 0) {
      *context = profile_.AddMonitorContext();
      return true;
    }
    for (size_t i = entry.frames.size(); i-- > 0;) {
      const RawFrame& frame = entry.frames[i];
      const uint32_t method = methods_.Find(frame.method);
      if (method == kNone) {
        return Refuse(CtxPlace(entry), "method " + Spelled(frame.method),
                      "the id of a declared method");
      }
      if (frame.bci < std::numeric_limits<Bci>::min() ||
          frame.bci > std::numeric_limits<Bci>::max()) {
        return Refuse(CtxPlace(entry), "bci " + Spelled(frame.bci), "a bci of 32 bits");
      }
      *context = profile_.AddContext(*context, MethodIndex{method}, static_cast<Bci>(frame.bci));
    }
    return true;
  }

  std::string_view name_;
  SampleLabels labels_;
  Profile profile_;
  Status status_;
  IdMap types_;
  IdMap methods_;
  std::vector<TypeIndex> signature_;
  std::vector<Successor> successors_;
  std::vector<TypeCount> type_counts_;
  // For contexts that a file has twice, which is a mistake, with successors of another shape. They
  // are added all at once: added one by one, each would take as long as all before it.
  std::map<ContextIndex, std::vector<std::vector<Successor>>> other_shapes_;
  Samples samples_;  // in the order of the file
};

Result<Profile> Finish(Status parsed, ModelBuilder& builder) {
  if (!builder.status().ok()) return builder.status();
  if (!parsed.ok()) return parsed;
  builder.Finish();
  LoadCodeHashes(builder.profile());
  LoadPositionNotes(builder.profile());
  if (!IsInclusive(builder.profile())) return std::move(builder.profile());
  Result<Profile> disjoint = ToDisjoint(builder.profile());
  if (disjoint.ok()) return disjoint;
  return Status(disjoint.status().code(),
                std::string(builder.name()) + ": " + disjoint.status().message());
}

}  // namespace

Result<Profile> ReadProfile(ByteSource& source, std::string_view name, SampleLabels labels) {
  ModelBuilder builder(name, labels);
  Status parsed = ParseProfile(source, name, builder);
  return Finish(std::move(parsed), builder);
}

Result<Profile> ReadProfileWith(ProfileParser parser, ByteSource& source, std::string_view name) {
  ModelBuilder builder(name, SampleLabels::kThreadsAndPeriods);
  Status parsed = parser(source, name, builder);
  return Finish(std::move(parsed), builder);
}

Result<Profile> ReadProfileFile(const std::string& path) {
  ModelBuilder builder(path == "-" ? std::string_view("standard input") : std::string_view(path),
                       SampleLabels::kThreadsAndPeriods);
  Status parsed = ParseProfileFile(path, builder);
  return Finish(std::move(parsed), builder);
}

Result<Profile> ReadProfileText(std::string_view text, std::string_view name) {
  StringSource source(text);
  return ReadProfile(source, name);
}

}  // namespace iprof
