// LoadingProgram: a program for tests, which loads and unloads classes, counts, and knows its own truth.
//
// It stands for the agent: it gives numbers of counters, sites and pairs to classes, uses those of
// unloaded classes again, and hands everything to a RawWriter as the agent does. The truth is noted
// apart from all that, by the names of methods.
//
// Guarantees: the same seed gives the same program. Threads: one. Failure: none but std::bad_alloc.
#pragma once

#include <algorithm>
#include <functional>
#include <list>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "writer/profile/model.h"
#include "writer/records/method_record.h"
#include "writer/records/raw/raw_writer.h"

namespace iprof {

// Everything in a profile that the program below knows, as sorted lines.
inline std::string TextOf(const Profile& profile) {
  std::vector<std::string> lines;
  for (const Table table : kAllTables) {
    for (const EntryIndex entry : EntriesOf(profile, table)) {
      std::string line(TableKey(table));
      profile.ForEachFrame(profile.EntryContext(table, entry), [&](const Frame& frame) {
        line += " " + profile.DescribeMethod(frame.method) + ":" + std::to_string(frame.bci);
      });
      line += " =";
      std::vector<std::string> counts;
      if (table == Table::kCalls || table == Table::kSamples) {
        counts.push_back(std::to_string(profile.EntryCount(table, entry)));
      } else if (table == Table::kConditionals) {
        for (const Successor& s : profile.EntrySuccessors(entry))
          counts.push_back(std::to_string(s.bci) + ":" + std::to_string(s.count));
      } else {
        for (const TypeCount& t : profile.EntryTypeCounts(table, entry))
          counts.push_back(std::string(profile.TypeName(t.type)) + ":" + std::to_string(t.count));
      }
      std::sort(counts.begin(), counts.end());
      for (const std::string& count : counts) line += " " + count;
      lines.push_back(line + "\n");
    }
  }
  std::sort(lines.begin(), lines.end());
  std::string text;
  for (const std::string& line : lines) text += line;
  return text;
}

class LoadingProgram {
 public:
  static constexpr int64_t kStartNs = int64_t{1'700'000'000} * 1'000'000'000;

  explicit LoadingProgram(uint32_t seed) : run_{.high = seed, .low = kStartNs}, random_(seed) {}

  static RawHeader Header() {
    return {.agent_version = "1.0-test", .assembly = {}, .target_jdk = 21, .image = false};
  }

  // Loads a class with that many methods.
  void Load(size_t methods) {
    Class& klass = classes_.emplace_back();
    klass.serial = serial_++;
    // Some names come again, with the same code: a class that is loaded a second time.
    klass.name = "test/C" + std::to_string(random_() % 7 == 0 ? klass.serial / 2 : klass.serial);
    while (!loaded_names_.insert(klass.name).second) klass.name += "x";
    klass.record.name = klass.record.Keep(klass.name);
    klass.record.super_name = klass.record.Keep("java/lang/Object");
    klass.record.hash = {klass.serial, 7};
    for (size_t m = 0; m < methods; ++m) AddMethod(&klass, m);
    to_add_.push_back([&klass](RawWriter& writer) { writer.AddClass(klass.serial, klass.record); });
  }

  void Unload(size_t number) {
    auto klass = std::next(classes_.begin(), static_cast<ptrdiff_t>(number));
    UnloadedCounts counts;
    uint32_t counter = 0;
    uint32_t site = 0;
    for (const CountedMethod& method : klass->record.methods) {
      for (uint32_t c = 0; c < method.counters; ++c, ++counter) {
        uint64_t& value = counters_[static_cast<uint32_t>(method.first) + c];
        if (value > 0) counts.counters.emplace_back(counter, std::exchange(value, 0));
      }
      for (uint32_t s = 0; s < method.sites; ++s, ++site)
        TakeSite(method.first_site + s, site, &counts);
      free_.push_back({static_cast<uint32_t>(method.first), method.first_site});
    }
    loaded_names_.erase(klass->name);
    gone_.push_back({klass->serial, counts});
    if (!counts.empty())
      kept_.splice(kept_.end(), classes_, klass);
    else
      forgotten_.splice(forgotten_.end(), classes_, klass);
    to_add_.push_back([serial = gone_.back().first, counts](RawWriter& writer) {
      writer.AddUnloaded(serial, counts);
    });
  }

  // Runs methods of loaded classes.
  void Run(size_t calls) {
    for (; calls > 0 && !classes_.empty(); --calls) {
      Class& klass =
          *std::next(classes_.begin(), static_cast<ptrdiff_t>(random_() % classes_.size()));
      const size_t m = random_() % klass.record.methods.size();
      const CountedMethod& method = klass.record.methods[m];
      const uint64_t entries = 1 + random_() % 1000;
      const uint64_t taken = random_() % (entries + 1);
      const auto first = static_cast<uint32_t>(method.first);
      counters_[first] += entries;
      counters_[first + 1] += taken;
      Truth& truth = truth_[MethodName(klass, m)];
      truth.entries += entries;
      truth.taken += taken;
      const std::string type = "test.T" + std::to_string(random_() % 5);
      pairs_[PairOf(method.first_site, type)] += entries;
      truth.types[type] += entries;
      if (random_() % 4 == 0) Sample(klass, m);
    }
  }

  void Step() {
    for (size_t loads = random_() % 4; loads > 0; --loads) Load(1 + random_() % 3);
    Run(20);
    while (classes_.size() > 6) Unload(random_() % classes_.size());
    if (random_() % 3 == 0 && !classes_.empty()) Unload(0);
    Run(5);
  }

  // Adds what is new since the last call.
  void AddTo(RawWriter& writer) {
    for (const auto& add : to_add_) add(writer);
    to_add_.clear();
  }

  // Adds everything, to a file that is new.
  void AddAllTo(RawWriter& writer) {
    to_add_.clear();
    for (const auto* list : {&classes_, &kept_}) {
      for (const Class& klass : *list) writer.AddClass(klass.serial, klass.record);
    }
    for (const auto& [serial, counts] : gone_) {
      if (!counts.empty()) writer.AddUnloaded(serial, counts);
    }
    for (const auto& [key, number] : pair_numbers_) writer.AddPair(number, key.first, key.second);
    for (const auto& [name, number] : method_numbers_)
      writer.AddMethod(number, {.type = name.first, .name = name.second, .descriptor = "(I)I"});
    for (const auto& [frames, number] : stack_numbers_) AddStackTo(writer, number, frames);
  }

  RawPublication Publish(RawWriter& writer) {
    AddTo(writer);
    std::vector<RawPart> parts = {{"sampling", sampling_}};
    if (!provenance_.empty()) parts.push_back({"provenance", provenance_});
    return writer.Publish({.run = run_,
                           .time_ns = kStartNs + ++time_,
                           .counters = counters_,
                           .pairs = pairs_,
                           .stacks = stacks_,
                           .parts = parts});
  }

  // The profile of the moment, made of nothing but the truth.
  std::string TruthText() const {
    Profile profile;
    profile.AddStandardTypes();
    for (const auto& [name, truth] : truth_) {
      const MethodIndex method = MethodIn(profile, name);
      const ContextIndex entry = profile.AddContext(kNoContext, method, 0);
      profile.AddCount(Table::kCalls, entry, Signed(truth.entries));
      const Successor successors[] = {{10, 0, Signed(truth.taken)},
                                      {4, 1, Signed(truth.entries - truth.taken)}};
      profile.AddSuccessors(profile.AddContext(kNoContext, method, 1), successors);
      for (const auto& [type, count] : truth.types) {
        const TypeCount counted{profile.AddType(type), Signed(count)};
        profile.AddTypeCounts(Table::kVirtualInvokes, profile.AddContext(kNoContext, method, 5),
                              {&counted, 1});
      }
    }
    for (const auto& [names, weight] : sampled_) {
      std::vector<Frame> frames;
      for (const auto& name : names) frames.push_back({MethodIn(profile, name), 3});
      profile.AddCount(Table::kSamples, profile.AddContext(frames), Signed(weight));
    }
    return TextOf(profile);
  }

  size_t loaded() const { return classes_.size(); }
  RunId run() const { return run_; }
  // Its profiles say of which run they are.
  void Tell() {
    provenance_ = R"({"runs":[{"run":")" + run_.Text() +
                  R"(","program":"told.jar","start":"2023-11-14T22:13:20.000Z"}]})";
  }
  std::vector<uint64_t>& counters() { return counters_; }

 private:
  using Name = std::pair<std::string, std::string>;  // type, method
  struct Class {
    uint32_t serial = 0;
    std::string name;
    ClassRecord record;
  };
  struct Truth {
    uint64_t entries = 0;
    uint64_t taken = 0;
    std::map<std::string, uint64_t> types;
  };

  static int64_t Signed(uint64_t count) { return static_cast<int64_t>(count); }

  static Name MethodName(const Class& klass, size_t method) {
    std::string type = klass.name;
    std::replace(type.begin(), type.end(), '/', '.');
    return {type, std::string(klass.record.methods[method].name)};
  }

  static MethodIndex MethodIn(Profile& profile, const Name& name) {
    const TypeIndex number = profile.AddType("int");
    const TypeIndex signature[] = {profile.AddType(name.first), number, number};
    return profile.AddMethod(name.second, signature);
  }

  // static int mN(int), with an if at bci 1, whose fall-through is derived, and a call at bci 5.
  void AddMethod(Class* klass, size_t number) {
    ClassRecord& record = klass->record;
    MethodRecord code;
    code.derivation.counter_count = 2;
    code.derivation.operands = {Operand::Plus(0), Operand::Minus(1)};
    code.derivation.step_end = {2};
    code.certificate.kind = Exactness::kBounded;
    code.certificate.live_frames_matter = true;
    code.branches = {{1, BranchKind::kIf, 2}};
    code.successors = {{10, 1}, {4, 2}};
    CountedMethod method;
    method.name = record.Keep("m" + std::to_string(number));
    method.descriptor = record.Keep("(I)I");
    method.access = 0x0008;
    method.record = static_cast<uint32_t>(record.records.size());
    method.rewritten = true;
    method.code_hash = 77 + number;  // the same in all versions of a class
    method.counters = 2;
    method.sites = 1;
    if (free_.empty()) {
      method.first = CounterIndex{static_cast<uint32_t>(counters_.size())};
      method.first_site = sites_++;
      counters_.resize(counters_.size() + 2);
    } else {
      method.first = CounterIndex{free_.back().first};
      method.first_site = free_.back().second;
      free_.pop_back();
    }
    EncodeMethodRecord(code, &record.records);
    record.sites.push_back(
        {static_cast<uint32_t>(record.methods.size()), 5, method.first_site, SiteKind::kReceiver});
    record.methods.push_back(method);
  }

  void TakeSite(uint32_t site, uint32_t number, UnloadedCounts* counts) {
    UnloadedCounts::Site taken{.number = number, .types = {}};
    for (const auto& [key, pair] : pair_numbers_) {
      if (key.first != site || pairs_[pair] == 0) continue;
      taken.types.emplace_back(key.second, std::exchange(pairs_[pair], 0));
    }
    if (!taken.types.empty()) counts->sites.push_back(std::move(taken));
  }

  uint32_t PairOf(uint32_t site, const std::string& type) {
    const auto number = static_cast<uint32_t>(pair_numbers_.size());
    const auto [known, is_new] = pair_numbers_.try_emplace({site, type}, number);
    if (is_new) {
      pairs_.push_back(0);
      to_add_.push_back([=](RawWriter& writer) { writer.AddPair(number, site, type); });
    }
    return known->second;
  }

  uint32_t MethodNumber(const Name& name) {
    const auto number = static_cast<uint32_t>(method_numbers_.size());
    const auto [known, is_new] = method_numbers_.try_emplace(name, number);
    if (is_new) {
      to_add_.push_back([=](RawWriter& writer) {
        writer.AddMethod(number, {.type = name.first, .name = name.second, .descriptor = "(I)I"});
      });
    }
    return known->second;
  }

  static void AddStackTo(RawWriter& writer, uint32_t number, const std::vector<uint32_t>& methods) {
    std::vector<RawStackFrame> frames;
    for (const uint32_t method : methods) frames.push_back({method, 3, 12});
    writer.AddStack(number, frames, false);
  }

  void Sample(const Class& klass, size_t method) {
    std::vector<Name> names;
    std::vector<uint32_t> frames;
    const size_t depth = 1 + random_() % 3;
    for (size_t frame = 0; frame < depth; ++frame) {
      names.push_back(MethodName(klass, (method + frame) % klass.record.methods.size()));
      frames.push_back(MethodNumber(names.back()));
    }
    const auto number = static_cast<uint32_t>(stack_numbers_.size());
    const auto [known, is_new] = stack_numbers_.try_emplace(frames, number);
    if (is_new) {
      stacks_.push_back(0);
      to_add_.push_back([=](RawWriter& writer) { AddStackTo(writer, number, frames); });
    }
    ++stacks_[known->second];
    ++sampled_[names];
    sampling_ = "{\"signals\":" + std::to_string(++signals_) + "}";
  }

  RunId run_;
  std::string provenance_;
  std::mt19937 random_;
  std::list<Class> classes_;  // loaded
  std::list<Class> kept_;     // unloaded, with counts
  std::list<Class> forgotten_;
  std::set<std::string> loaded_names_;
  std::vector<std::pair<uint32_t, UnloadedCounts>> gone_;
  std::vector<std::pair<uint32_t, uint32_t>> free_;  // a method's first counter, site
  std::vector<uint64_t> counters_;
  std::vector<uint64_t> pairs_;
  std::vector<uint64_t> stacks_;
  std::map<std::pair<uint32_t, std::string>, uint32_t> pair_numbers_;
  std::map<Name, uint32_t> method_numbers_;
  std::map<std::vector<uint32_t>, uint32_t> stack_numbers_;
  std::vector<std::function<void(RawWriter&)>> to_add_;
  std::map<Name, Truth> truth_;
  std::map<std::vector<Name>, uint64_t> sampled_;
  std::string sampling_ = "{}";
  uint64_t signals_ = 0;
  uint32_t serial_ = 0;
  uint32_t sites_ = 0;
  int64_t time_ = 0;
};

}  // namespace iprof
