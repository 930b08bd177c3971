#include "cli/files/edges/profile_records.h"

#include <algorithm>

#include "agent/instrument/table/code_hash.h"
#include "cli/views/report/class_listings.h"
#include "writer/names/generated_names.h"
#include "writer/names/type_names.h"
#include "writer/profile/branch_outcomes.h"
#include "writer/profile/code_hashes.h"
#include "writer/profile/io/run_note.h"
#include "writer/profile/sample_threads.h"

namespace iprof::cli {
namespace {

uint64_t Unsigned(int64_t count) { return static_cast<uint64_t>(std::max<int64_t>(count, 0)); }

// How many objects an entry does not list, by the note on its position.
uint64_t Unlisted(int64_t listed, uint16_t rest) {
  if (rest == 0 || rest >= PositionNotes::kWhole) return 0;
  return static_cast<uint64_t>(static_cast<double>(listed) * rest / (PositionNotes::kWhole - rest));
}

// The newest JVM of the runs; 0: not known.
int RecordedJdk(const Profile& profile) {
  const std::vector<RunNote> runs = RunList::Of(profile).Runs();
  return runs.empty() ? 0 : classpath::FeatureRelease(runs.back().jvm_version);
}

bool HasCode(const classfile::MemberInfo& member) { return member.code_offset != 0; }

}  // namespace

ProfileRecords::ProfileRecords(const Profile& profile, const classpath::ClassPath& classes)
    : profile_(profile) {
  ReadProfile();
  AddClasses(classes);
  for (const ClassRecord& c : made_) sorted_.push_back(&c);
  std::ranges::sort(sorted_, {}, [](const ClassRecord* c) { return c->name; });
}

bool ProfileRecords::GetRecord(const ClassRecord& /*klass*/, const CountedMethod& method,
                               MethodRecord* record) const {
  *record = records_[method.record].record;
  return true;
}

void ProfileRecords::ReadProfile() {
  for (const MethodIndex method : MethodsOf(profile_)) {
    if (!NamesNoMethod(profile_, method))
      methods_[profile_.DeclaringType(method)].push_back(method);
  }
  for (const EntryIndex entry : EntriesOf(profile_, Table::kCalls)) {
    const Frame at = profile_.InnermostFrame(profile_.EntryContext(Table::kCalls, entry));
    known_[at.method].calls = profile_.EntryCount(Table::kCalls, entry);
  }
  for (const EntryIndex entry : EntriesOf(profile_, Table::kConditionals)) {
    const Frame at = profile_.InnermostFrame(profile_.EntryContext(Table::kConditionals, entry));
    const std::span<const Successor> successors = profile_.EntrySuccessors(entry);
    const std::vector<int64_t> outcomes = OutcomesOf(successors);
    auto& counts = known_[at.method].branches[at.bci];
    for (size_t i = 0; i < successors.size(); ++i) {
      int64_t& count = counts[outcomes[i]];
      count = SaturatingAdd(count, successors[i].count);
    }
  }
  for (const EntryIndex entry : EntriesOf(profile_, Table::kVirtualInvokes)) {
    const Frame at = profile_.InnermostFrame(profile_.EntryContext(Table::kVirtualInvokes, entry));
    known_[at.method].receivers[at.bci] = entry;
  }
}

void ProfileRecords::AddClasses(const classpath::ClassPath& classes) {
  std::set<std::string> seen;
  std::vector<std::string> waiting;  // those before `next` are done
  std::vector<TypeIndex> without_file;
  for (const TypeIndex type : TypesOf(profile_)) {
    const std::string_view name = profile_.TypeName(type);
    const GeneratedName generated = ReadGeneratedName(ProfileName(name));
    if (generated.kind == GeneratedKind::kLambda || generated.kind == GeneratedKind::kLambda23)
      hosts_.emplace(generated.host);
  }
  for (const std::string& host : hosts_) waiting.push_back(host);
  for (const TypeIndex type : TypesOf(profile_)) waiting.emplace_back(profile_.TypeName(type));
  for (size_t next = 0; next < waiting.size(); ++next) {
    const std::string name = waiting[next];
    if (name.empty() || name.starts_with('[') || !seen.insert(name).second) continue;
    const auto found = classes.Find(name);
    std::string super;
    if (found.ok() && *found) {
      super = AddClass(name, (*found)->bytes);
    } else if (const auto type = profile_.FindType(name); type && methods_.contains(*type)) {
      without_file.push_back(*type);
    }
    waiting.push_back(std::move(super));
  }
  for (const TypeIndex type : without_file) AddWithoutFile(type);
  for (uint32_t number = 0; number < sites_.size(); ++number) AddObjects(number, sites_[number]);
}

std::string ProfileRecords::AddClass(std::string_view name, const classpath::Bytes& bytes) {
  class_memory_.Reset();
  classfile::ClassFile file;
  if (file.Parse(bytes, class_memory_) != classfile::Reason::kOk) return {};
  ClassRecord& c = made_.emplace_back();
  c.name = c.Keep(file.name());
  c.super_name = c.Keep(file.super_name());
  c.access = file.access();
  instrument::ClassCallees callees(c, true);
  const auto type = profile_.FindType(name);
  for (const classfile::MemberInfo& member : file.methods()) {
    const std::string_view method_name = file.NameOf(member);
    const std::string_view descriptor = file.DescriptorOf(member);
    const auto method = type ? Find(*type, method_name, descriptor) : std::nullopt;
    CountedMethod& made = AddMethod(c, method_name, descriptor, method.value_or(kNoMethod));
    made.access = member.access;
    made.intrinsic_candidate = instrument::IsIntrinsicCandidate(file, member);
    if (!HasCode(member)) {
      made.counters = 0;  // as in the agent: no call runs code of it
    } else if (method && known_[*method].calls > 0) {
      AddCode(c, file, member, callees);
    }
  }
  if (hosts_.contains(name)) NoteLambdas(file);
  return ToUtf8(TypeNameOf(Descriptor("L" + std::string(file.super_name()) + ";")).value_or(""));
}

void ProfileRecords::NoteLambdas(const classfile::ClassFile& file) {
  const auto unboxing = instrument::UnboxingOfJdk(RecordedJdk(profile_));
  for (const NamingRule rule : {NamingRule::k17, NamingRule::k23, NamingRule::k25}) {
    for (const instrument::LambdaSite& site : instrument::ReadLambdaSites(file, rule, unboxing)) {
      auto code = instrument::LambdaCodeOf(file.name(), site, rule);
      if (!code) continue;
      for (std::string_view* text : {&code->method, &code->descriptor, &code->callee.owner,
                                     &code->callee.name, &code->callee.descriptor})
        *text = texts_.Keep(*text);
      std::string name = code->class_name;
      lambdas_.emplace(std::move(name), std::move(*code));
    }
  }
}

void ProfileRecords::AddWithoutFile(TypeIndex type) {
  ClassRecord& c = made_.emplace_back();
  c.name = c.Keep(InternalNameOf(profile_.TypeName(type)));
  c.super_name = "java/lang/Object";
  const auto lambda = lambdas_.find(std::string(c.name));
  if (lambda == lambdas_.end()) {
    ++classes_without_file_;
    without_super_.insert(type);
  }
  for (const MethodIndex method : methods_.at(type)) {
    const std::span<const TypeIndex> signature = profile_.Signature(method);
    std::string descriptor = "(";
    for (const TypeIndex parameter : signature.subspan(2))
      descriptor += DescriptorOf(profile_.TypeName(parameter));
    descriptor += ")" + DescriptorOf(profile_.TypeName(signature[1]));
    const CountedMethod& made = AddMethod(c, profile_.MethodName(method), descriptor, method);
    if (lambda == lambdas_.end() || lambda->second.method != made.name ||
        lambda->second.descriptor != made.descriptor)
      continue;
    c.callees.push_back(lambda->second.callee);
    AddCall(c, static_cast<Bci>(lambda->second.bci), 0, known_[method].calls);
  }
}

CountedMethod& ProfileRecords::AddMethod(ClassRecord& c, std::string_view name,
                                         std::string_view descriptor, MethodIndex method) {
  CountedMethod& made = c.methods.emplace_back();
  made.name = c.Keep(name);
  made.descriptor = c.Keep(descriptor);
  made.counters = 1;
  made.first = CounterIndex{static_cast<uint32_t>(counters_.size())};
  made.record = static_cast<uint32_t>(records_.size());
  Record& record = records_.emplace_back();
  record.method = method;
  record.record.derivation.counter_count = 1;
  const auto known = known_.find(method);
  counters_.push_back(known == known_.end() ? 0 : Unsigned(known->second.calls));
  return made;
}

// Adds the call sites of the method that was added last.
void ProfileRecords::AddCode(ClassRecord& c, const classfile::ClassFile& file,
                             const classfile::MemberInfo& member,
                             instrument::ClassCallees& callees) {
  method_memory_.Reset();
  classfile::MethodCode code;
  if (code.Decode(file, member, method_memory_) != classfile::Reason::kOk) return;
  const MethodIndex method = records_.back().method;
  classfile::SymbolicCode symbolic;
  const uint64_t recorded = profile_.CodeHash(method);
  if (recorded != 0 && !IsSameCode(KeptCodeHash(instrument::CodeHash(code, symbolic)), recorded)) {
    ++methods_with_other_code_;
    return;
  }
  const Known& known = known_.at(method);
  std::vector<ListedInstruction> instructions;
  for (classfile::Insn i = 0; i < code.count(); ++i)
    instructions.push_back(report::FlowOf(code, i));
  const std::vector<BlockExecutions> blocks =
      CountBlocks(instructions, known.calls, known.branches);
  auto next = blocks.begin();
  std::optional<int64_t> executions;
  for (classfile::Insn i = 0; i < code.count(); ++i) {
    if (next != blocks.end() && next->bci == instructions[i].bci) executions = (next++)->count;
    const classfile::Op op = code.at(i).op;
    if (executions.value_or(0) <= 0 || !IsInvoke(op) || op == classfile::Op::invokedynamic)
      continue;
    const uint32_t callee = callees.NumberOf(code, i);
    if (callee != instrument::CalleeNumbers::kNotWanted)
      AddCall(c, instructions[i].bci, callee, *executions);
  }
}

void ProfileRecords::AddCall(ClassRecord& c, Bci bci, uint32_t callee, int64_t executions) {
  CountedMethod& method = c.methods.back();
  Record& record = records_.back();
  const auto at = static_cast<uint32_t>(bci);
  record.record.calls.push_back({at, callee, method.counters++});
  record.record.derivation.counter_count = method.counters;
  counters_.push_back(Unsigned(executions));
  const std::map<Bci, EntryIndex>& receivers = known_.at(record.method).receivers;
  const auto seen = receivers.find(bci);
  if (seen == receivers.end()) return;
  ++method.sites;
  c.sites.push_back({static_cast<uint32_t>(c.methods.size() - 1), at,
                     static_cast<uint32_t>(sites_.size()), SiteKind::kReceiver});
  sites_.push_back({&c, callee, record.method, bci, seen->second});
}

void ProfileRecords::AddObjects(uint32_t number, const Site& site) {
  const Callee& callee = site.klass->callees[site.callee];
  int64_t listed = 0;
  uint64_t lost = 0;
  for (const TypeCount& each : profile_.EntryTypeCounts(Table::kVirtualInvokes, site.entry)) {
    listed = SaturatingAdd(listed, each.count);
    const bool is_known = !without_super_.contains(each.type) ||
                          Find(each.type, callee.name, callee.descriptor).has_value();
    if (is_known) {
      types_.Add(number, profile_.TypeName(each.type), Unsigned(each.count));
    } else {
      lost += Unsigned(each.count);
    }
  }
  types_.AddLost(number, lost + Unlisted(listed, profile_.notes().RestOf(site.method, site.bci)));
}

std::optional<MethodIndex> ProfileRecords::Find(TypeIndex type, std::string_view name,
                                                std::string_view descriptor) const {
  return methods_.contains(type) ? report::FindMethod(profile_, type, name, descriptor)
                                 : std::nullopt;
}

}  // namespace iprof::cli
