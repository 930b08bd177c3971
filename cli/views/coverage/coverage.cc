#include "cli/views/coverage/coverage.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <unordered_map>

#include "agent/classfile/code.h"
#include "agent/classfile/code_tables.h"
#include "cli/views/report/class_listings.h"
#include "writer/base/utf8.h"
#include "writer/names/type_names.h"

namespace iprof {
namespace {

using classfile::ClassFile;
using classfile::Insn;
using classfile::MemberInfo;
using classfile::MethodCode;
using classfile::Reason;

constexpr uint16_t kAccEnum = 0x4000;
// A method with more blocks gets the largest count of a line's blocks, because which of them exclude each other takes
// memory for each pair.
constexpr size_t kMostBlocks = 8192;

// What a profile says of one method.
struct Recorded {
  int64_t calls = 0;
  BranchCounts branches;
  std::map<Bci, int64_t> seen;  // executions of calls, by their receivers
};

std::unordered_map<MethodIndex, Recorded> RecordedIn(const Profile& profile) {
  std::unordered_map<MethodIndex, Recorded> recorded;
  const auto of = [&](Table table, EntryIndex entry) -> std::pair<Recorded*, Bci> {
    const Frame frame = profile.InnermostFrame(profile.EntryContext(table, entry));
    return {frame.method == kNoMethod ? nullptr : &recorded[frame.method], frame.bci};
  };
  for (const EntryIndex entry : EntriesOf(profile, Table::kCalls)) {
    const auto [method, bci] = of(Table::kCalls, entry);
    if (method != nullptr)
      method->calls = SaturatingAdd(method->calls, profile.EntryCount(Table::kCalls, entry));
  }
  for (const EntryIndex entry : EntriesOf(profile, Table::kConditionals)) {
    const auto [method, bci] = of(Table::kConditionals, entry);
    if (method == nullptr) continue;
    for (const Successor& successor : profile.EntrySuccessors(entry)) {
      int64_t& count = method->branches[bci][successor.bci];
      count = SaturatingAdd(count, successor.count);
    }
  }
  for (const EntryIndex entry : EntriesOf(profile, Table::kVirtualInvokes)) {
    const auto [method, bci] = of(Table::kVirtualInvokes, entry);
    if (method == nullptr) continue;
    int64_t& count = method->seen[bci];
    count = SaturatingAdd(count, profile.EntryTotal(Table::kVirtualInvokes, entry));
  }
  return recorded;
}

// Which blocks can follow a block without going back in the code.
class Following {
 public:
  Following(const MethodFlow& flow, std::span<const BlockEdge> exceptions)
      : words_((flow.blocks.size() + 63) / 64), bits_(words_ * flow.blocks.size()) {
    std::vector<std::vector<uint32_t>> later(flow.blocks.size());
    for (const auto& edges : {std::span<const BlockEdge>(flow.edges), exceptions}) {
      for (const BlockEdge& edge : edges) {
        if (edge.to > edge.from) later[edge.from].push_back(edge.to);
      }
    }
    for (size_t b = flow.blocks.size(); b-- > 0;) {
      uint64_t* const mine = &bits_[b * words_];
      for (const uint32_t next : later[b]) {
        mine[next / 64] |= uint64_t{1} << (next % 64);
        const uint64_t* const its = &bits_[next * words_];
        for (size_t w = 0; w < words_; ++w) mine[w] |= its[w];
      }
    }
  }

  bool Follows(uint32_t from, uint32_t to) const {
    return (bits_[from * words_ + to / 64] >> (to % 64) & 1) != 0;
  }

 private:
  size_t words_;
  std::vector<uint64_t> bits_;
};

int64_t LargestOf(const MethodFlow& flow, std::span<const uint32_t> blocks) {
  int64_t most = 0;
  for (const uint32_t b : blocks) most = std::max(most, flow.blocks[b].assumed);
  return most;
}

int64_t CountOf(const MethodFlow& flow, std::span<const uint32_t> blocks,
                const Following& following) {
  // Blocks that follow each other, directly or through others of the line, are one group.
  std::vector<size_t> group(blocks.size());
  std::iota(group.begin(), group.end(), size_t{0});
  for (size_t later = 1; later < blocks.size(); ++later) {
    for (size_t earlier = 0; earlier < later; ++earlier) {
      if (group[earlier] == group[later] || !following.Follows(blocks[earlier], blocks[later]))
        continue;
      const size_t joined = group[later];
      std::replace(group.begin(), group.end(), joined, group[earlier]);
    }
  }
  std::map<size_t, int64_t> most;
  for (size_t b = 0; b < blocks.size(); ++b)
    most[group[b]] = std::max(most[group[b]], flow.blocks[blocks[b]].assumed);
  int64_t sum = 0;
  for (const auto& [of, count] : most) sum = SaturatingAdd(sum, count);
  return sum;
}

class MethodReader {
 public:
  MethodReader(const MethodCode& code, const Recorded& recorded) : code_(code) {
    std::vector<ListedInstruction> listed;
    for (Insn i = 0; i < code.count(); ++i) listed.push_back(report::FlowOf(code, i));
    flow_ = CountFlow(listed, recorded.calls, recorded.branches, recorded.seen);
    block_of_.resize(code.count());
    for (uint32_t b = 0; b < flow_.blocks.size(); ++b) {
      for (size_t i = flow_.blocks[b].first; i < flow_.blocks[b].end; ++i) block_of_[i] = b;
    }
    FindLines();
    FindExceptions();
  }

  // Returns the number of lines of which nothing is known.
  size_t Write(CoveredMethod& to) const {
    size_t unknown = 0;
    std::map<int, std::vector<uint32_t>> blocks;
    std::map<int, CoveredLine> lines;
    for (Insn i = 0; i < code_.count(); ++i) {
      const uint32_t b = block_of_[i];
      if (OnlyReleases(flow_.blocks[b])) continue;
      const uint32_t missed = flow_.blocks[b].assumed == 0 ? 1 : 0;
      ++to.instructions;
      to.missed += missed;
      if (line_of_[i] == 0) continue;
      CoveredLine& line =
          lines.try_emplace(line_of_[i], CoveredLine{line_of_[i], 0, 0, 0}).first->second;
      ++line.instructions;
      line.missed += missed;
      std::vector<uint32_t>& mine = blocks[line_of_[i]];
      if (mine.empty() || mine.back() != b) mine.push_back(b);
    }
    std::optional<Following> following;
    for (auto& [number, line] : lines) {
      const std::vector<uint32_t>& mine = blocks[number];
      if (mine.size() > 1 && flow_.blocks.size() <= kMostBlocks && !following)
        following.emplace(flow_, exceptions_);
      line.count =
          mine.size() > 1 && following ? CountOf(flow_, mine, *following) : LargestOf(flow_, mine);
      const bool is_known = std::any_of(
          mine.begin(), mine.end(), [&](uint32_t b) { return flow_.blocks[b].count.has_value(); });
      if (!is_known) ++unknown;
      to.lines.push_back(line);
    }
    to.line = line_of_.empty() ? 0 : line_of_[0];
    WriteBranches(to);
    return unknown;
  }

 private:
  // Whether a block is what javac adds to a synchronized block: the handler that releases the lock and throws again. It stands in
  // the line of the closing brace.
  bool OnlyReleases(const FlowBlock& block) const {
    constexpr size_t kInstructions = 5;  // astore, aload, monitorexit, aload, athrow
    if (block.end - block.first != kInstructions) return false;
    const auto at = [&](size_t i) { return code_.at(static_cast<Insn>(block.first + i)); };
    return (at(0).flags & classfile::kIsHandler) != 0 && at(2).op == classfile::Op::monitorexit &&
           at(4).op == classfile::Op::athrow;
  }

  void FindLines() {
    std::map<uint32_t, int> starts;
    classfile::ReadLines(code_, [&](uint32_t bci, uint32_t line) {
      starts.insert_or_assign(bci, static_cast<int>(line));
    });
    line_of_.assign(code_.count(), 0);
    auto next = starts.begin();
    int line = 0;
    for (Insn i = 0; i < code_.count(); ++i) {
      for (; next != starts.end() && next->first <= code_.OffsetOf(i); ++next) line = next->second;
      line_of_[i] = line;
    }
  }

  void FindExceptions() {
    std::set<std::pair<uint32_t, uint32_t>> pairs;
    for (const classfile::ExceptionEntry& entry : code_.exceptions()) {
      for (Insn i = entry.from; i < entry.to; i = static_cast<Insn>(flow_.blocks[block_of_[i]].end))
        pairs.emplace(block_of_[i], block_of_[entry.handler]);
    }
    for (const auto& [from, to] : pairs) exceptions_.push_back({from, to, std::nullopt, 0});
  }

  void WriteBranches(CoveredMethod& to) const {
    for (size_t e = 0; e < flow_.edges.size();) {
      const uint32_t from = flow_.edges[e].from;
      CoveredBranch branch{
          line_of_[flow_.blocks[from].end - 1], flow_.blocks[from].assumed > 0, {}};
      for (; e < flow_.edges.size() && flow_.edges[e].from == from; ++e)
        branch.ways.push_back(flow_.edges[e].assumed);
      if (branch.ways.size() > 1) to.branches.push_back(std::move(branch));
    }
  }

  const MethodCode& code_;
  MethodFlow flow_;
  std::vector<uint32_t> block_of_;     // by instruction
  std::vector<int> line_of_;           // by instruction; 0: none
  std::vector<BlockEdge> exceptions_;  // from a protected block to a handler
};

class Reading {
 public:
  Reading(const Profile& profile, const CoverageOptions& options)
      : profile_(profile), options_(options), recorded_(RecordedIn(profile)) {
    for (const auto& [method, recorded] : recorded_) {
      if (recorded.calls > 0)
        packages_.emplace(PackageOf(profile.TypeName(profile.DeclaringType(method))));
    }
  }

  Coverage Run(const classpath::ClassPath& classes) {
    for (const std::string& internal_name : classes.Names()) {
      const std::string name = ClassNameOf(internal_name);
      if (!options_.every_package && !packages_.contains(std::string(PackageOf(name)))) continue;
      if (options_.wants && !options_.wants(name)) continue;
      const Result<std::optional<classpath::FoundClass>> found = classes.Find(internal_name);
      if (found.ok() && *found && (*found)->is_jdk) continue;
      if (!found.ok() || !*found || !ReadClass(internal_name, (*found)->bytes))
        ++coverage_.unreadable;
    }
    return std::move(coverage_);
  }

 private:
  static std::string ClassNameOf(std::string_view internal_name) {
    std::string name = NormalizeUtf8(internal_name);
    std::replace(name.begin(), name.end(), '/', '.');
    return name;
  }

  bool ReadClass(const std::string& internal_name, const classpath::Bytes& bytes) {
    classfile::Arena memory(4096);
    ClassFile file;
    if (file.Parse(bytes, memory) != Reason::kOk) return false;
    if ((file.access() & classfile::kAccSynthetic) != 0) return true;
    CoveredClass made{NormalizeUtf8(internal_name), report::SourceFileOf(file), {}, {}};
    const auto type = profile_.FindType(ClassNameOf(internal_name));
    for (const MemberInfo& member : file.methods()) {
      if (member.code_offset != 0 && !IsMadeByCompiler(file, member))
        ReadMethod(file, member, type, made);
    }
    if (made.methods.empty()) return true;
    if (std::all_of(made.methods.begin(), made.methods.end(),
                    [](const CoveredMethod& method) { return method.lines.empty(); }))
      ++coverage_.without_lines;
    FindSource(made);
    coverage_.classes.push_back(std::move(made));
    return true;
  }

  static bool IsMadeByCompiler(const ClassFile& file, const MemberInfo& member) {
    const std::string_view name = file.NameOf(member);
    if ((member.access & classfile::kAccSynthetic) != 0) return !name.starts_with("lambda$");
    if ((file.access() & kAccEnum) == 0) return false;
    const std::string_view descriptor = file.DescriptorOf(member);
    return (name == "values" && descriptor.starts_with("()[")) ||
           (name == "valueOf" && descriptor.starts_with("(Ljava/lang/String;)L"));
  }

  // It only passes the constant's name and number on.
  static bool IsPlainConstructorOfEnum(const ClassFile& file, const MemberInfo& member,
                                       const MethodCode& code) {
    constexpr uint32_t kInstructions = 5;
    return (file.access() & kAccEnum) != 0 && code.count() == kInstructions &&
           file.NameOf(member) == "<init>" && file.DescriptorOf(member) == "(Ljava/lang/String;I)V";
  }

  void ReadMethod(const ClassFile& file, const MemberInfo& member,
                  const std::optional<TypeIndex>& type, CoveredClass& to) {
    static const Recorded kNothing;
    classfile::Arena memory(4096);
    MethodCode code;
    if (code.Decode(file, member, memory) != Reason::kOk) return;
    if (IsPlainConstructorOfEnum(file, member, code)) return;
    CoveredMethod made{NormalizeUtf8(file.NameOf(member)),
                       NormalizeUtf8(file.DescriptorOf(member)),
                       0,
                       0,
                       0,
                       0,
                       {},
                       {}};
    const Recorded* recorded = &kNothing;
    const auto method =
        type ? report::FindMethod(profile_, *type, file.NameOf(member), file.DescriptorOf(member))
             : std::nullopt;
    if (method) {
      if (report::HasOtherCode(code, profile_.CodeHash(*method))) {
        ++coverage_.other_code;
        return;
      }
      if (const auto found = recorded_.find(*method); found != recorded_.end())
        recorded = &found->second;
    }
    made.calls = recorded->calls;
    coverage_.unknown_lines += MethodReader(code, *recorded).Write(made);
    coverage_.lines += made.lines.size();
    to.methods.push_back(std::move(made));
  }

  void FindSource(CoveredClass& made) {
    if (made.source_file.empty()) return;
    const size_t slash = made.name.rfind('/');
    const std::string package = made.name.substr(0, slash == std::string::npos ? 0 : slash + 1);
    made.source_path = package + made.source_file;
    if (options_.sources == nullptr) return;
    const auto [at, is_new] = paths_.try_emplace(made.source_path);
    if (is_new) {
      at->second = options_.sources->PathOf(made.name, made.source_file);
      if (!at->second) ++coverage_.without_sources;
    }
    if (at->second) made.source_path = *at->second;
  }

  const Profile& profile_;
  const CoverageOptions& options_;
  const std::unordered_map<MethodIndex, Recorded> recorded_;
  std::set<std::string, std::less<>> packages_;
  std::unordered_map<std::string, std::optional<std::string>> paths_;
  Coverage coverage_;
};

}  // namespace

int64_t LineCount(const MethodFlow& flow, std::span<const uint32_t> blocks,
                  std::span<const BlockEdge> exceptions) {
  return CountOf(flow, blocks, Following(flow, exceptions));
}

Coverage CoverageOf(const Profile& profile, const classpath::ClassPath& classes,
                    const CoverageOptions& options) {
  return Reading(profile, options).Run(classes);
}

void CoveredFile::Add(const CoveredClass& of) { classes_.push_back(&of); }

std::vector<CoveredLine> CoveredFile::Lines() const {
  std::map<int, CoveredLine> lines;
  for (const CoveredClass* const each : classes_) {
    std::map<int, int64_t> by_constructors;
    for (const CoveredMethod& method : each->methods) {
      for (const CoveredLine& line : method.lines) {
        CoveredLine& all =
            lines.try_emplace(line.line, CoveredLine{line.line, 0, 0, 0}).first->second;
        all.instructions += line.instructions;
        all.missed += line.missed;
        int64_t count = line.count;
        if (method.name == "<init>")
          count = by_constructors[line.line] = SaturatingAdd(by_constructors[line.line], count);
        all.count = std::max(all.count, count);
      }
    }
  }
  std::vector<CoveredLine> made;
  for (const auto& [number, line] : lines) made.push_back(line);
  return made;
}

std::vector<CoveredPackage> PackagesOf(const Coverage& coverage) {
  std::map<std::string,
           std::pair<std::vector<const CoveredClass*>, std::map<std::string, CoveredFile>>>
      packages;
  for (const CoveredClass& each : coverage.classes) {
    const size_t slash = each.name.rfind('/');
    auto& [classes, files] = packages[each.name.substr(0, slash == std::string::npos ? 0 : slash)];
    classes.push_back(&each);
    if (!each.source_file.empty()) files[each.source_file].Add(each);
  }
  std::vector<CoveredPackage> made;
  for (auto& [name, content] : packages) {
    made.push_back({name, std::move(content.first), {}});
    for (auto& [file, lines] : content.second)
      made.back().files.emplace_back(file, std::move(lines));
  }
  return made;
}

}  // namespace iprof
