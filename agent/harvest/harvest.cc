#include "agent/harvest/harvest.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "agent/harvest/class_naming.h"
#include "agent/harvest/complete_counts.h"
#include "agent/harvest/handle_reader.h"
#include "agent/harvest/harvest_limits.h"
#include "agent/harvest/method_decoder.h"
#include "agent/harvest/profiling_mode.h"
#include "agent/harvest/trivial_code.h"
#include "agent/hotspot/block_cache.h"
#include "agent/hotspot/metadata.h"
#include "agent/hotspot/method_data.h"
#include "writer/names/own_classes.h"

namespace iprof::hotspot {
namespace {

constexpr int kAttempts = 5;             // to read the list of classes while it changes
constexpr uint32_t kManyRounds = 1'000;  // of a loop whose method has no MethodData
constexpr uint64_t kMostDataBytes = 8 << 20;
constexpr uint32_t kMostRetRows = 1000;
constexpr int32_t kFirstWithoutExtraCell = 22;
// What the code of one method may take, read and kept.
constexpr uint64_t kMostCodeBytes = 4 << 20;

class Harvester {
 public:
  Harvester(const Memory& memory, const MetadataLayout& layout, const VmFlags& flags,
            int naming_jdk, const CodeChoice& code_choice, const UnchangedMemory* unchanged)
      : layout_(layout),
        flags_(flags),
        code_choice_(code_choice),
        unchanged_(unchanged),
        rule_(RuleForJdk(naming_jdk == 0 ? layout.major : naming_jdk)),
        program_(std::make_unique<HarvestedProgram>()),
        cache_(memory) {}

  Result<std::unique_ptr<HarvestedProgram>> Run() {
    program_->major = layout_.major;
    if (!ReadClasses()) return ChangesTooQuickly();
    LinkClasses();
    const std::vector<LambdaCopies> copies = NameClasses(*metadata_, listed_, rule_, *program_);
    ListMethodDatas();
    program_->has_archive =
        layout_.archive == 0 || cache_.Load<Address>(layout_.archive).value_or(0) != 0;
    FindRedefined();
    DecideTraining();
    HandleReader handles(*metadata_, ReferencesOf(flags_), class_numbers_, *program_,
                         listed_methods_);
    FindSuperseded(copies, handles);
    MethodDecoder decoder(*metadata_, class_numbers_, handles, *program_);
    DecideShape(decoder.shape());
    DecodeMethodDatas(decoder);
    RetryFailed(decoder);
    for (const uint32_t m : looped_) decoder.GuessCalls(AsListed(m));
    FindSmallThatNeverRan(decoder);
    FindUncounted(decoder);
    FindComplete(decoder);
    if (code_choice_.keeps) KeepCode(decoder);
    if (!LeaveOutUnloaded()) return ChangesTooQuickly();
    CountFailed();
    if (const Status refused = CheckLimits(program_->counts, WithoutProfiling(flags_));
        !refused.ok())
      return refused;
    program_->type_rows = decoder.shape().type_rows;
    program_->counts_to_the_end = CountsToTheEnd(flags_);
    program_->without_compiled_counts = WithoutCompiledCounts(flags_);
    program_->has_extra_cell = decoder.shape().has_extra_cell;
    return std::move(program_);
  }

 private:
  static Status ChangesTooQuickly() {
    return {Code::kIo, "has a list of classes that could not be read: it changes too quickly"};
  }

  // A class that is still listed at the end was loaded all the time, so its memory was its own.
  // What was read of any other class may be anything. (An equal class of an equal loader may be at
  // the same addresses by then, so all that is read is checked, too.)
  bool LeaveOutUnloaded() {
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      cache_.ForgetAll();
      TextStore texts;
      Metadata metadata(cache_, layout_, texts);
      const auto now = metadata.Classes();
      if (!now) continue;
      std::vector<bool> is_there(listed_.size());
      for (const ListedClass& klass : *now) {
        const uint32_t* c = class_numbers_.Find(klass.at);
        if (c == nullptr) continue;
        const ListedClass& before = listed_[*c];
        is_there[*c] = before.name == klass.name && before.loader == klass.loader;
      }
      for (uint32_t c = 0; c < listed_.size(); ++c) {
        if (!is_there[c]) LeaveOut(c);
      }
      return true;
    }
    return false;
  }

  void LeaveOut(uint32_t c) {
    HarvestedClass& klass = program_->classes[c];
    klass.is_gone = true;
    klass.stable_name = {};
    ++program_->counts.unloaded_classes;
    for (uint32_t m = klass.first_method; m < klass.first_method + klass.methods; ++m) {
      HarvestedMethod& method = program_->methods[m];
      method.has_data = method.is_uncounted = false;
      method.branches.clear();
      method.types.clear();
      method.calls.clear();
      method.invocations = method.data_invocations = 0;
    }
  }

  // Reads classes and methods; again from the start if the lists changed while they were read.
  bool ReadClasses() {
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      cache_.ForgetAll();
      metadata_.emplace(cache_, layout_, program_->texts);
      const uint64_t left = Left();
      auto listed = metadata_->Classes();
      if (!listed) continue;
      list_bytes_ = left - Left();
      listed_ = std::move(*listed);
      ListMethods();
      return true;
    }
    return false;
  }

  void ListMethods() {
    constexpr size_t kExpected = 16;  // methods of a class
    constexpr size_t kSymbols = 8;    // that no class before it has
    metadata_->ReserveSymbols(listed_.size() * kSymbols);
    program_->classes.reserve(listed_.size());
    program_->methods.reserve(listed_.size() * kExpected);
    listed_methods_.reserve(listed_.size() * kExpected);
    for (const ListedClass& listed : listed_) {
      HarvestedClass klass;
      klass.loader = listed.loader;
      klass.access = listed.access;
      klass.is_array = !listed.is_instance;
      klass.first_method = static_cast<uint32_t>(program_->methods.size());
      if (listed.is_instance) {
        // A class that is just being loaded or unloaded has no methods that matter.
        for (ListedMethod& method :
             metadata_->MethodsOf(listed).value_or(std::vector<ListedMethod>())) {
          if (!method.is_old && !IsOwnMember(method.name)) AddMethod(method);
        }
      }
      klass.methods = static_cast<uint32_t>(program_->methods.size()) - klass.first_method;
      program_->classes.push_back(std::move(klass));
    }
  }

  void AddMethod(const ListedMethod& listed) {
    HarvestedMethod method;
    method.klass = static_cast<uint32_t>(program_->classes.size());
    method.name = listed.name;
    method.descriptor = listed.descriptor;
    method.access = listed.access;
    method.intrinsic = listed.intrinsic;
    method.invocations = listed.invocations;
    method.rounds_before_data = listed.back_edges;
    method.never_ran = IsUncalled(listed) && listed.code_size > kMostTrivialBytes;
    if (listed.data != 0 || listed.invocations > 0 || listed.back_edges >= kManyRounds)
      ran_.push_back(static_cast<uint32_t>(program_->methods.size()));
    program_->methods.push_back(std::move(method));
    listed_methods_.push_back(listed);
  }

  void LinkClasses() {
    class_numbers_.Reserve(listed_.size());
    for (uint32_t c = 0; c < listed_.size(); ++c) *class_numbers_.TryAdd(listed_[c].at).first = c;
    struct NameAndLoader {
      std::string_view name;
      Address loader;
      bool operator==(const NameAndLoader&) const = default;
    };
    struct Hash {
      size_t operator()(const NameAndLoader& key) const {
        return std::hash<std::string_view>()(key.name) ^ std::hash<Address>()(key.loader);
      }
    };
    std::unordered_set<NameAndLoader, Hash> seen;
    for (uint32_t c = 0; c < listed_.size(); ++c) {
      HarvestedClass& klass = program_->classes[c];
      klass.super = Find(listed_[c].super);
      if (listed_[c].is_instance) {
        for (const Address at : metadata_->InterfacesOf(listed_[c])) {
          const uint32_t interface = Find(at);
          if (interface != kNoClass) klass.interfaces.push_back(interface);
        }
      }
      // Redefinition puts the new methods into the class and the previous ones into another,
      // which is put into the list later.
      klass.is_previous_version = !seen.insert({listed_[c].name, listed_[c].loader}).second;
    }
  }

  // An archive that the JVM could not map was copied: then it is not known which classes are in it.
  bool MapsArchive() const {
    return unchanged_ != nullptr &&
           std::any_of(listed_.begin(), listed_.end(),
                       [&](const ListedClass& klass) { return unchanged_->Holds(klass.at); });
  }

  // How often a class was redefined; nullopt: that cannot be read. In an archive, the version of a pool means something else.
  std::optional<int32_t> RedefinitionsOf(const ListedClass& klass, bool maps_archive) const {
    const auto pool = cache_.Load<Address>(klass.at + layout_.instance.constants);
    if (!pool) return std::nullopt;
    if (maps_archive && unchanged_->Holds(*pool)) return 0;
    return cache_.Load<int32_t>(*pool + layout_.pool.version);
  }

  // HotSpot throws the counters of such classes away.
  void FindRedefined() {
    const bool maps_archive = MapsArchive();
    if (layout_.pool.version == 0 || (program_->has_archive && !maps_archive)) return;
    for (uint32_t c = 0; c < listed_.size(); ++c) {
      if (!listed_[c].is_instance || program_->classes[c].is_previous_version) continue;
      if (RedefinitionsOf(listed_[c], maps_archive).value_or(0) > 0)
        ++program_->counts.redefined_classes;
    }
  }

  void DecideTraining() {
    if (!program_->has_archive || !ReplaysTraining(flags_)) return;
    counts_on_ = MapsArchive();
    program_->is_trained = !counts_on_;
  }

  uint32_t Find(Address klass) const {
    const uint32_t* found = class_numbers_.Find(klass);
    return found == nullptr ? kNoClass : *found;
  }

  ReadMethodData AsListed(uint32_t m) const {
    return {.method = m,
            .listed = listed_methods_[m],
            .klass = listed_[program_->methods[m].klass].at,
            .words = {}};
  }

  // Of copies of a lambda, those that its instruction does not lead to. It led to them until its
  // class was redefined, or threads raced for it.
  void FindSuperseded(const std::vector<LambdaCopies>& all, HandleReader& handles) {
    for (const LambdaCopies& copies : all) {
      const auto pool = metadata_->ReadPool(copies.link.pool);
      if (!pool) continue;
      const auto now = handles.ClassesAt(*pool, copies.link.entry, copies.classes);
      if (now.size() != 1) continue;
      for (const uint32_t c : copies.classes) program_->classes[c].is_superseded = c != now.front();
    }
  }

  // HotSpot counted no call. That means nothing for intrinsics, for which the interpreter has code
  // without counters, too. Nor for trivial methods: a loop without MethodData may be compiled code
  // all the same, and compilers inline these without counting.
  static bool IsUncalled(const ListedMethod& listed) {
    return listed.invocations == 0 && !listed.has_unknown_counters && listed.data == 0 &&
           listed.intrinsic == 0;
  }

  // What may be trivial is looked at only where it matters: in the classes of loops whose calls are
  // guessed.
  void FindSmallThatNeverRan(MethodDecoder& decoder) {
    uint32_t last = kNoClass;
    for (const uint32_t looped : looped_) {
      const uint32_t c = program_->methods[looped].klass;
      if (std::exchange(last, c) == c) continue;
      const HarvestedClass& klass = program_->classes[c];
      for (uint32_t m = klass.first_method; m < klass.first_method + klass.methods; ++m) {
        const ListedMethod& listed = listed_methods_[m];
        if (IsUncalled(listed) && listed.code_size > 0 && listed.code_size <= kMostTrivialBytes)
          program_->methods[m].never_ran = decoder.HasTrivialCode(AsListed(m)) == false;
      }
    }
  }

  void FindUncounted(MethodDecoder& decoder) {
    for (const uint32_t m : ran_) {
      HarvestedMethod& method = program_->methods[m];
      const ListedMethod& listed = listed_methods_[m];
      if (program_->classes[method.klass].is_previous_version || listed.data != 0 ||
          method.invocations < kFewestToCompile || listed.code_size > kMostTrivialBytes)
        continue;
      method.is_uncounted =
          listed.code_size == 0 || decoder.HasTrivialCode(AsListed(m)).value_or(false);
    }
  }

  void FindComplete(MethodDecoder& decoder) {
    const CompilerLimits limits = CompilerLimits::Of(flags_);
    if (!limits.are_known || program_->is_trained || program_->counts.trained > 0 ||
        !layout_.level || !AreTiersKnown(SeenTiers(listed_methods_, [&](Address code) {
          return cache_.Load<uint8_t>(code + *layout_.level);
        })))
      return;
    const std::vector<bool> complete =
        hotspot::FindComplete(*program_, listed_methods_, FindReplaced(), limits,
                              [&](uint32_t m, const VisitCall& visit) {
                                return decoder.ForEachCall(AsListed(m), visit);
                              });
    for (uint32_t m = 0; m < complete.size(); ++m) program_->methods[m].is_complete = complete[m];
  }

  // The classes that were redefined, or that may have been.
  std::vector<bool> FindReplaced() const {
    const bool maps_archive = MapsArchive();
    std::vector<bool> replaced(listed_.size(), layout_.pool.version == 0);
    for (uint32_t c = 0; c < listed_.size(); ++c) {
      if (!listed_[c].is_instance || replaced[c]) continue;
      replaced[c] = program_->classes[c].is_previous_version ||
                    RedefinitionsOf(listed_[c], maps_archive).value_or(1) > 0;
    }
    return replaced;
  }

  void ListMethodDatas() {
    for (const uint32_t m : ran_) {
      const HarvestedMethod& method = program_->methods[m];
      if (program_->classes[method.klass].is_previous_version) continue;
      if (listed_methods_[m].data == 0) {
        if (method.invocations > 0) ++program_->counts.without_data;
        if (listed_methods_[m].back_edges >= kManyRounds) looped_.push_back(m);
        continue;
      }
      read_.push_back(AsListed(m));
    }
  }

  // One after the other in the same memory, except the voters, whose words were read already.
  void DecodeMethodDatas(MethodDecoder& decoder) {
    std::vector<uint64_t> words;
    for (size_t i = 0; i < read_.size(); ++i) {
      ReadMethodData& data = read_[i];
      if (!IsVoter(i)) {
        data.words.swap(words);
        ReadWords(data);
      }
      if (!Decode(decoder, data)) {
        failed_.push_back(&data);
      } else if (IsVoter(i)) {
        std::vector<uint64_t>().swap(data.words);
      } else {
        data.words.swap(words);
      }
    }
  }

  bool Decode(MethodDecoder& decoder, ReadMethodData& data) {
    const Training training = SubtractTraining(data, decoder.shape());
    if (training == Training::kUnknown || training == Training::kIsAll) {
      HarvestedMethod& method = program_->methods[data.method];
      method.data_invocations = method.back_edges = 0;
      data.is_of_training = true;
      ++(training == Training::kIsAll ? program_->counts.trained
                                      : program_->counts.trained_unknown);
      return true;
    }
    const char* const fault = decoder.Decode(data);
    if (fault != nullptr) data.fault = fault;
    if (fault == nullptr && training == Training::kSubtracted) ++program_->counts.trained;
    return fault == nullptr;
  }

  enum class Training : uint8_t {
    kNone,
    kSubtracted,
    kIsAll,    // nothing was counted in this run
    kUnknown,  // what it brought cannot be read, or does not fit
  };

  // Takes what an AOT cache brought out of a MethodData. HotSpot uses the one in the archive itself.
  Training SubtractTraining(ReadMethodData& data, const DataShape& shape) {
    const Address at = data.listed.data;
    if (!counts_on_ || !data.is_readable || !unchanged_->Holds(at)) return Training::kNone;
    const auto& layout = layout_.data;
    const auto owner = unchanged_->Load<Address>(at + layout.method);
    const auto size = unchanged_->Load<int32_t>(at + layout.data_size);
    const auto invocations = unchanged_->Load<uint32_t>(at + layout.invocations);
    const auto back_edges = unchanged_->Load<uint32_t>(at + layout.back_edges);
    if (!owner || !invocations || !back_edges ||
        size != static_cast<int32_t>(data.words.size() * 8))
      return Training::kUnknown;
    std::vector<uint64_t> earlier(data.words.size());
    if (!unchanged_->Read(at + layout.data, earlier.data(), earlier.size() * 8))
      return Training::kUnknown;
    // All of the archive moves together, if at all.
    const uint64_t moved = data.listed.at - *owner;
    if (archive_moved_.value_or(moved) != moved) return Training::kUnknown;
    HarvestedMethod& method = program_->methods[data.method];
    const uint64_t invocations_then = *invocations >> layout_.counters.shift;
    const uint64_t back_edges_then = *back_edges >> layout_.counters.shift;
    if (method.data_invocations < invocations_then || method.back_edges < back_edges_then)
      return Training::kUnknown;
    const auto has_counts = SubtractMethodData(data.words, earlier, shape, moved);
    if (!has_counts) return Training::kUnknown;
    archive_moved_ = moved;
    method.data_invocations -= invocations_then;
    method.back_edges -= back_edges_then;
    data.weight -= invocations_then + back_edges_then;
    const bool counted = *has_counts || method.data_invocations != 0 || method.back_edges != 0;
    return counted ? Training::kSubtracted : Training::kIsAll;
  }

  // Every nth, because MethodDatas are in the order of loaders, and those of one loader may be alike.
  bool IsVoter(size_t number) const { return number % (read_.size() / kVoters + 1) == 0; }

  void ReadWords(ReadMethodData& data) {
    const Address at = data.listed.data;
    const auto& layout = layout_.data;
    data.words.clear();
    HarvestedMethod& method = program_->methods[data.method];
    data.weight = method.invocations;
    const auto owner = cache_.Load<Address>(at + layout.method);
    const auto size = cache_.Load<int32_t>(at + layout.data_size);
    const auto invocations = cache_.Load<uint32_t>(at + layout.invocations);
    const auto back_edges = cache_.Load<uint32_t>(at + layout.back_edges);
    data.is_readable = owner == data.listed.at && size && invocations && back_edges && *size >= 0 &&
                       *size % 8 == 0 && static_cast<uint64_t>(*size) <= kMostDataBytes;
    if (!data.is_readable) return;
    method.data_invocations = *invocations >> layout_.counters.shift;
    method.back_edges = *back_edges >> layout_.counters.shift;
    data.weight += method.data_invocations + method.back_edges;
    const auto bytes = static_cast<size_t>(*size);
    // A size that is wrong must not take its memory: see whether there is an end.
    data.is_readable =
        bytes == 0 || cache_.Load<uint64_t>(at + layout.data + bytes - 8).has_value();
    if (!data.is_readable) return;
    data.words.resize(bytes / 8);
    data.is_readable = cache_.Read(at + layout.data, data.words.data(), bytes);
    if (!data.is_readable) data.words = {};
  }

  void DecideShape(DataShape& shape) {
    shape.type_rows = static_cast<uint32_t>(
        std::min<uint64_t>(flags_.Number("TypeProfileWidth").value_or(2), kMostTypeRows));
    shape.ret_rows = static_cast<uint32_t>(
        std::min<uint64_t>(flags_.Number("BciProfileWidth").value_or(2), kMostRetRows));
    std::vector<std::span<const uint64_t>> samples;
    for (size_t i = 0; i < read_.size(); ++i) {
      if (!IsVoter(i)) continue;
      ReadWords(read_[i]);
      samples.push_back(read_[i].words);
    }
    shape.has_extra_cell = VoteForExtraCell(samples, shape, layout_.major < kFirstWithoutExtraCell);
  }

  // What failed was perhaps being changed while it was read.
  void RetryFailed(MethodDecoder& decoder) {
    std::vector<ReadMethodData*> again = std::move(failed_);
    failed_.clear();
    for (ReadMethodData* data : again) {
      cache_.Forget(data->listed.data, layout_.data.fixed_size + data->words.size() * 8);
      cache_.Forget(data->listed.code, layout_.code.size + data->listed.code_size);
      cache_.Forget(data->listed.at, 128);
      decoder.ForgetPool();
      ReadWords(*data);
      if (!Decode(decoder, *data)) failed_.push_back(data);
    }
  }

  uint64_t Left() const {
    return code_choice_.limit == nullptr ? UINT64_MAX : code_choice_.limit->left();
  }

  void KeepCode(MethodDecoder& decoder) {
    // The list of classes is read once more, and may have grown.
    const uint64_t reserve = 2 * list_bytes_ + kMostCodeBytes;
    for (uint32_t c = 0; c < listed_.size(); ++c) {
      const HarvestedClass& klass = program_->classes[c];
      if (klass.stable_name.empty() || klass.is_array || klass.is_previous_version) continue;
      for (uint32_t m = klass.first_method; m < klass.first_method + klass.methods; ++m) {
        if (listed_methods_[m].code_size == 0) continue;
        if (!code_choice_.keeps(klass, program_->methods[m])) continue;
        if (Left() < reserve) {
          ++program_->counts.without_code;
          continue;
        }
        const uint64_t kept = decoder.KeepCode(AsListed(m));
        if (code_choice_.limit != nullptr) code_choice_.limit->Charge(kept);
      }
    }
  }

  // MethodDatas of classes that the JVM unloaded during the read count neither as read nor as failed.
  void CountFailed() {
    HarvestCounts& counts = program_->counts;
    const auto is_gone = [&](const ReadMethodData& data) {
      return program_->classes[program_->methods[data.method].klass].is_gone;
    };
    for (const ReadMethodData& data : read_) {
      if (is_gone(data)) continue;
      if (data.is_of_training) {
        counts.without_data += program_->methods[data.method].invocations > 0 ? 1 : 0;
        continue;
      }
      ++counts.method_datas;
      counts.counts += data.weight;
    }
    for (const ReadMethodData* data : failed_) {
      if (is_gone(*data)) continue;
      ++counts.failed;
      counts.failed_counts += data->weight;
      constexpr size_t kMostExamples = 20;
      if (counts.failed_examples.size() == kMostExamples) continue;
      const HarvestedMethod& method = program_->methods[data->method];
      counts.failed_examples.push_back(fmt::format("{}.{}{}: {}",
                                                   program_->classes[method.klass].name,
                                                   method.name, method.descriptor, data->fault));
    }
  }

  const MetadataLayout& layout_;
  const VmFlags& flags_;
  const CodeChoice& code_choice_;
  const UnchangedMemory* unchanged_;
  bool counts_on_ = false;                 // in MethodDatas of an AOT cache, whose file is known
  std::optional<uint64_t> archive_moved_;  // how far from where the archive's file says
  uint64_t list_bytes_ = 0;                // what the list of classes took of the limit
  const NamingRule rule_;
  std::unique_ptr<HarvestedProgram> program_;
  BlockCache cache_;
  std::optional<Metadata> metadata_;
  std::vector<ListedClass> listed_;
  std::vector<ListedMethod> listed_methods_;  // by number of the method
  NumberMap<uint32_t> class_numbers_;
  std::vector<uint32_t>
      ran_;  // methods with a MethodData, with calls, or with many rounds of a loop
  std::vector<ReadMethodData> read_;  // by number of the method
  std::vector<uint32_t> looped_;      // methods without MethodData
  std::vector<ReadMethodData*> failed_;
};

}  // namespace

Result<std::unique_ptr<HarvestedProgram>> HarvestProgram(const Memory& memory,
                                                         const MetadataLayout& layout,
                                                         const VmFlags& flags, int naming_jdk,
                                                         const CodeChoice& code_choice,
                                                         const UnchangedMemory* unchanged) {
  return Harvester(memory, layout, flags, naming_jdk, code_choice, unchanged).Run();
}

}  // namespace iprof::hotspot
