#include "cli/views/report/report_data.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

#include "cli/views/report/call_edges.h"
#include "cli/views/report/flame_times.h"
#include "cli/views/report/profile_facts.h"
#include "cli/views/report/report_events.h"
#include "cli/views/report/report_model.h"
#include "writer/names/jdk_classes.h"
#include "writer/ops/diff.h"
#include "writer/profile/io/event_part.h"
#include "writer/profile/io/json_builder.h"

namespace iprof {
namespace {

constexpr size_t kMostOutcomes = 12;  // of a site
constexpr size_t kMostEdges = 12;     // callers, callees
constexpr size_t kMostMonitors = 20;
constexpr size_t kMostThreads = 50;  // with a flame graph of their own
constexpr size_t kMostChanges = 400;
constexpr size_t kBytesOfEdge = 14;     // about
constexpr size_t kBytesPerFrame = 150;  // of the page, for each frame of the flame graph at most
constexpr size_t kMostRefused = 20;   // methods whose bytecode does not fit, before no more is read
constexpr double kShareOfCode = 0.4;  // of what the flame graph leaves

class Writing {
 public:
  Writing(std::span<const ReportInput> inputs, const ReportOptions& options)
      : inputs_(inputs), options_(options) {
    for (const ReportInput& input : inputs)
      model_.Add(input.labelled != nullptr ? *input.labelled : *input.profile);
    model_.Finish();
    rank_of_.assign(model_.names().method_count(), -1);
  }

  std::string Run() {
    json_.Open('{').Field("version", int64_t{1}).Field("tool", options_.tool);
    json_.Key("profiles").Open('[');
    for (const ReportInput& input : inputs_) WriteProfileFacts(input.file, *input.profile, json_);
    json_.Close(']');
    const size_t most_frames = options_.most_bytes / kBytesPerFrame;
    if (inputs_.size() == 1) WriteEvents(most_frames / 4);
    const std::vector<ThreadFlames> threads = FlamesOfThreads();
    const std::vector<FlameFrame> frames =
        model_.flames().Cut(threads.empty() ? most_frames : most_frames / 2, model_.names());
    ChooseMethods(frames, threads);
    json_.Key("flame");
    WriteFlames(frames);
    const std::set<uint32_t>& periods = model_.periods();
    if (!periods.empty()) {
      WriteSeconds(periods, json_.Key("seconds"));
      WriteTimes(frames, periods, json_.Key("times"));
    }
    WriteThreads(threads);
    WriteMethods();
    WriteMonitors();
    if (inputs_.size() > 1) WriteChanges();
    if (!options_.fits.empty()) WriteFits();
    WriteTypes();
    WriteCut(frames);
    json_.Close('}');
    return json_.Take();
  }

 private:
  const Profile& names() const { return model_.names(); }

  void WriteEvents(size_t most_frames) {
    const EventTables events = EventsOf(*inputs_[0].profile);
    if (events.empty()) return;
    json_.Key("events");
    WriteReportEvents(events, most_frames, json_);
  }

  // --- Values.

  void Write(const Counts& counts, JsonBuilder& json) const {
    if (inputs_.size() == 1) {
      json.Int(counts[0]);
    } else {
      json.Open('[').Int(counts[0]).Int(counts[1]).Close(']');
    }
  }

  int64_t NumberOf(TypeIndex type) {
    const auto [at, is_new] = number_of_type_.try_emplace(static_cast<uint32_t>(type),
                                                          static_cast<int64_t>(types_.size()));
    if (is_new) types_.push_back(type);
    return at->second;
  }

  // 0: not known.
  int64_t LineOf(MethodIndex method, Bci bci) const {
    return names().notes().LineOf(method, bci).value_or(0);
  }

  int64_t RankOf(MethodIndex method) const {
    return method == kNoMethod ? -1 : rank_of_[static_cast<size_t>(method)];
  }

  struct ThreadFlames {
    std::string name;
    int64_t samples;
    std::vector<FlameFrame> frames;
  };

  // Of the threads with the most samples. Half of the frames are theirs, each has as many.
  std::vector<ThreadFlames> FlamesOfThreads() const {
    std::vector<std::pair<std::string, const FlameTree*>> largest;
    for (const auto& [name, flames] : model_.flames_of_threads())
      largest.emplace_back(name, &flames);
    std::stable_sort(largest.begin(), largest.end(), [](const auto& a, const auto& b) {
      return SumOf(a.second->total()) > SumOf(b.second->total());
    });
    largest.resize(std::min(largest.size(), kMostThreads));
    std::vector<ThreadFlames> threads;
    for (const auto& [name, flames] : largest) {
      const size_t most = options_.most_bytes / kBytesPerFrame / 2 / largest.size();
      threads.push_back({name, SumOf(flames->total()), flames->Cut(most, names())});
    }
    return threads;
  }

  // --- What is shown.

  // The methods of drawn frames are shown in any case, at least with their sums; of all methods, the most important ones that
  // fit are shown with all details.
  void ChooseMethods(const std::vector<FlameFrame>& frames,
                     const std::vector<ThreadFlames>& threads) {
    std::vector<bool> drawn(names().method_count(), false);
    size_t all_frames = 0;
    size_t bytes_of_times = 0;
    const auto add = [&](const std::vector<FlameFrame>& some) {
      all_frames += some.size();
      for (const FlameFrame& frame : some) {
        if (frame.method != kNoMethod) drawn[static_cast<size_t>(frame.method)] = true;
        bytes_of_times += 3 + (frame.times.size() > 1 ? 8 * frame.times.size() : 0);
      }
    };
    add(frames);
    for (const ThreadFlames& thread : threads) add(thread.frames);
    const double share = options_.listings == nullptr ? 1 : 1 - kShareOfCode;
    if (model_.periods().empty()) bytes_of_times = 0;
    size_t used = json_.size() + bytes_of_times + all_frames * (inputs_.size() == 1 ? 22 : 40);
    for (const ReportMethod& method : model_.methods()) {
      if (drawn[static_cast<size_t>(method.method)]) used += CostOfSums(method);
    }
    const size_t left = options_.most_bytes - std::min(options_.most_bytes, used);
    const auto most = static_cast<size_t>(static_cast<double>(left) * share);
    size_t bytes = most;
    for (const ReportMethod& method : model_.methods()) {
      const bool is_drawn = drawn[static_cast<size_t>(method.method)];
      const size_t cost = CostOfDetails(method) + (is_drawn ? 0 : CostOfSums(method));
      const bool fits = cost <= bytes;
      if (!fits && !is_drawn) continue;
      if (fits) bytes -= cost;
      rank_of_[static_cast<size_t>(method.method)] = static_cast<int64_t>(shown_.size());
      shown_.push_back({&method, fits});
    }
    code_bytes_ = left - most + bytes;
  }

  // About how many bytes a method takes. Names of types are counted where they appear first.
  size_t CostOfSums(const ReportMethod& method) {
    size_t cost = names().MethodName(method.method).size() + 20 + 5 * BytesOfCount();
    for (const TypeIndex type : names().Signature(method.method)) cost += CostOfType(type);
    return cost;
  }
  size_t CostOfDetails(const ReportMethod& method) {
    size_t cost = 15 + method.positions.size() * (10 + 2 * BytesOfCount());
    size_t callees = method.callees.size();
    for (const ReportSite& site : method.sites) {
      if (site.table == Table::kVirtualInvokes) callees += site.outcomes.size();
      cost += 16 + BytesOfCount();
      for (size_t o = 0; o < std::min(site.outcomes.size(), kMostOutcomes); ++o) {
        cost += BytesOfCount() + 5;
        if (site.table != Table::kConditionals)
          cost += CostOfType(TypeIndex{static_cast<uint32_t>(site.outcomes[o].key)});
      }
    }
    return cost + (std::min(method.callers.size(), kMostEdges) + std::min(callees, kMostEdges)) *
                      kBytesOfEdge;
  }
  size_t CostOfType(TypeIndex type) {
    if (paid_.empty()) paid_.resize(names().type_count());
    size_t cost = 5;
    if (!paid_[static_cast<size_t>(type)]) cost += names().TypeName(type).size() + 3;
    paid_[static_cast<size_t>(type)] = true;
    return cost;
  }
  size_t BytesOfCount() const { return inputs_.size() == 1 ? 5 : 12; }

  // --- The flame graph.

  void WriteThreads(const std::vector<ThreadFlames>& threads) {
    if (threads.empty()) return;
    json_.Key("threads").Open('[');
    for (const ThreadFlames& thread : threads) {
      json_.Open('[').String(thread.name).Int(thread.samples);
      WriteFlames(thread.frames);
      if (!model_.periods().empty()) WriteTimes(thread.frames, model_.periods(), json_);
      json_.Close(']');
    }
    json_.Close(']');
  }

  void WriteFlames(const std::vector<FlameFrame>& frames) {
    json_.Open('[');
    for (const FlameFrame& frame : frames) {
      json_.Int(frame.depth).Int(RankOf(frame.method));
      Write(frame.weight, json_);
      const int64_t line = frame.method == kNoMethod ? 0 : LineOf(frame.method, frame.bci);
      json_.Int(line > 0 ? line : int64_t{-1} - frame.bci);
      Write(frame.weight_at_bci, json_);
      json_.Int(frame.frames);
    }
    json_.Close(']');
  }

  // --- Methods.

  void WriteMethods() {
    std::vector<const ReportMethod*> methods;
    for (const Shown& shown : shown_) methods.push_back(shown.method);
    CallEdges edges(names(), methods, inputs_.size());
    const std::vector<std::string> codes = WriteCodes(edges);
    std::string rows;
    for (size_t rank = 0; rank < shown_.size(); ++rank) {
      const auto& [method, has_details] = shown_[rank];
      JsonBuilder row(JsonBuilder::For::kPage);
      row.Open('[').String(names().MethodName(method->method)).Open('[');
      for (const TypeIndex type : names().Signature(method->method)) row.Int(NumberOf(type));
      row.Close(']').Open('[');
      for (const Counts& counts :
           {method->calls, method->self, method->total, method->branches, method->receivers})
        Write(counts, row);
      const Sureness sureness = names().SurenessOf(method->method);
      if (sureness.is_present()) row.String(sureness.Mark());
      row.Close(']');
      if (has_details) WriteDetails(*method, edges, row);
      if (!codes[rank].empty()) row.Raw(codes[rank]);
      row.Close(']');
      if (!rows.empty()) rows += ',';
      rows += row.text();
    }
    json_.Key("methods").Open('[').Raw(rows).Close(']');
  }

  // The bytecode of each shown method; empty where there is none. Also notes who calls whom, as the call sites show it.
  std::vector<std::string> WriteCodes(CallEdges& edges) {
    std::vector<std::string> codes(shown_.size());
    for (size_t rank = 0; rank < shown_.size(); ++rank) {
      const auto& [method, has_details] = shown_[rank];
      std::optional<MethodListing> listing;
      if (has_details && options_.listings != nullptr && refused_ < kMostRefused)
        listing = options_.listings->Find(names(), method->method);
      const size_t calls = edges.AddSites(*method, listing ? &*listing : nullptr);
      code_bytes_ -= std::min(code_bytes_, 2 * calls * kBytesOfEdge);
      if (listing) codes[rank] = CodeOf(*method, *listing);
    }
    return codes;
  }

  void WriteDetails(const ReportMethod& method, const CallEdges& edges, JsonBuilder& row) {
    WriteSites(method, row);
    row.Open('[');
    for (const ReportPosition& position : method.positions) {
      row.Open('[').Int(position.bci).Int(LineOf(method.method, position.bci));
      Write(position.self, row);
      Write(position.total, row);
      row.Close(']');
    }
    row.Close(']');
    WriteEdges(edges.CallersOf(method), row);
    WriteEdges(edges.CalleesOf(method), row);
  }

  void WriteSites(const ReportMethod& method, JsonBuilder& row) {
    row.Open('[');
    for (const ReportSite& site : method.sites) {
      row.Open('[').Int(static_cast<int64_t>(site.table)).Int(site.bci);
      row.Int(LineOf(method.method, site.bci));
      Write(site.total, row);
      row.Open('[');
      const size_t shown = std::min(site.outcomes.size(), kMostOutcomes);
      for (size_t o = 0; o < shown; ++o) {
        const ReportSite::Outcome& outcome = site.outcomes[o];
        row.Int(site.table == Table::kConditionals
                    ? outcome.key
                    : NumberOf(TypeIndex{static_cast<uint32_t>(outcome.key)}));
        Write(outcome.count, row);
      }
      row.Close(']').Int(static_cast<int64_t>(site.outcomes.size() - shown));
      const std::string_view callee = names().notes().CalleeOf(method.method, site.bci);
      if (!callee.empty()) row.String(callee);
      row.Close(']');
    }
    row.Close(']');
  }

  void WriteEdges(const std::vector<ReportEdge>& edges, JsonBuilder& row) {
    row.Open('[');
    size_t written = 0;
    for (const ReportEdge& edge : edges) {
      const int64_t other = RankOf(edge.other);
      if (other < 0) continue;
      if (++written > kMostEdges) break;
      row.Open('[').Int(other);
      Write(edge.samples, row);
      Write(edge.calls, row);
      row.Close(']');
    }
    row.Close(']');
  }

  // Empty if it does not fit.
  std::string CodeOf(const ReportMethod& method, const MethodListing& listing) {
    JsonBuilder code(JsonBuilder::For::kPage);
    code.Open('{').FieldIfAny("file", listing.source_file).Key("lines").Open('[');
    for (const auto& [bci, line] : listing.lines) code.Int(bci).Int(line);
    code.Close(']').Key("code").Open('[');
    for (const ListedInstruction& instruction : listing.instructions) {
      code.Open('[').Int(instruction.bci).String(instruction.mnemonic).String(instruction.operand);
      const int64_t callee = RankOfText(instruction.callee);
      if (!instruction.targets.empty() || callee >= 0) {
        code.Open('[');
        for (const Bci target : instruction.targets) code.Int(target);
        code.Close(']').Int(callee);
      }
      code.Close(']');
    }
    code.Close(']').Key("blocks").Open('[');
    WriteBlocks(method, listing, code);
    code.Close(']');
    const size_t without_source = code.size();
    if (without_source > code_bytes_) {
      ++refused_;
      return {};
    }
    code_bytes_ -= without_source;
    ++with_code_;
    WriteSource(listing, code);
    return code.Close('}').Take();
  }

  // Executions of each block; in a comparison, those of the new profile.
  void WriteBlocks(const ReportMethod& method, const MethodListing& listing, JsonBuilder& code) {
    for (const BlockExecutions& block : BlocksOf(method, listing, inputs_.size() - 1)) {
      code.Int(block.bci);
      block.count ? code.Int(*block.count) : code.Raw("null");
    }
  }

  void WriteSource(const MethodListing& listing, JsonBuilder& code) {
    if (listing.source.empty()) return;
    size_t bytes = 0;
    for (const std::string& line : listing.source) bytes += line.size() + 4;
    if (source_bytes_ + bytes > options_.most_bytes) {
      ++sources_left_out_;
      return;
    }
    source_bytes_ += bytes;
    code.Field("first_line", listing.first_line).Key("source").Open('[');
    for (const std::string& line : listing.source) code.String(line);
    code.Close(']');
  }

  int64_t RankOfText(const std::string& method) {
    if (method.empty()) return -1;
    if (rank_of_text_.empty()) {
      for (size_t rank = 0; rank < shown_.size(); ++rank)
        rank_of_text_[names().DescribeMethod(shown_[rank].method->method)] =
            static_cast<int64_t>(rank);
    }
    const auto found = rank_of_text_.find(method);
    return found == rank_of_text_.end() ? -1 : found->second;
  }

  // --- The rest.

  void WriteMonitors() {
    json_.Key("monitors").Open('[');
    const auto& monitors = model_.monitors();
    for (size_t m = 0; m < std::min(monitors.size(), kMostMonitors); ++m) {
      json_.Int(NumberOf(TypeIndex{static_cast<uint32_t>(monitors[m].key)}));
      Write(monitors[m].count, json_);
    }
    json_.Close(']').Field("all_monitors", static_cast<int64_t>(monitors.size()));
  }

  void WriteChanges() {
    const ProfileDiff diff = DiffProfiles(*inputs_[0].profile, *inputs_[1].profile);
    json_.Key("changes").Open('[');
    for (size_t i = 0; i < std::min(diff.items.size(), kMostChanges); ++i) {
      const DiffItem& item = diff.items[i];
      const Frame frame =
          item.place == kNoContext ? Frame{item.method, 0} : diff.united.InnermostFrame(item.place);
      json_.Open('[').Int(static_cast<int64_t>(item.table)).Int(static_cast<int64_t>(item.scope));
      json_.Int(frame.method == kNoMethod ? -1
                                          : RankOfText(diff.united.DescribeMethod(frame.method)));
      json_.String(item.context).Int(frame.bci);
      json_.Share(item.importance).Share(item.movement);
      json_.Open('[').Share(item.share_a).Share(item.share_b).Close(']');
      json_.Open('[').Int(item.total_a).Int(item.total_b).Close(']').Open('[');
      for (size_t o = 0; o < std::min(item.outcomes.size(), kMostOutcomes); ++o) {
        const DiffOutcome& outcome = item.outcomes[o];
        json_.Open('[')
            .String(outcome.name)
            .Share(outcome.share_a)
            .Share(outcome.share_b)
            .Close(']');
      }
      json_.Close(']').Close(']');
    }
    json_.Close(']').Field("all_changes", static_cast<int64_t>(diff.items.size()));
  }

  void WriteFits() {
    json_.Key("fits").Open('[');
    for (size_t f = 0; f < std::min(options_.fits.size(), kMostPackages); ++f) {
      const ClassFit& fit = options_.fits[f];
      json_.String(fit.package.empty() ? "(default)" : fit.package);
      json_.Int(fit.weight).Int(fit.relevant).Int(fit.applicable);
    }
    json_.Close(']').Field("all_fits", static_cast<int64_t>(options_.fits.size()));
  }

  void WriteTypes() {
    json_.Key("types").Open('[');
    for (const TypeIndex type : types_) json_.String(names().TypeName(type));
    json_.Close(']').Key("jdk").Open('[');
    for (size_t number = 0; number < types_.size(); ++number) {
      if (IsJdkClass(names().TypeName(types_[number]))) json_.Int(static_cast<int64_t>(number));
    }
    json_.Close(']');
  }

  void WriteCut(const std::vector<FlameFrame>& frames) {
    std::array<Counts, kTableCount> shown{};
    const auto add = [&](Table table, const Counts& counts) {
      for (size_t side = 0; side < kMostSides; ++side)
        AddTo(shown[static_cast<size_t>(table)], side, counts[side]);
    };
    size_t with_details = 0;
    for (const auto& [method, has_details] : shown_) {
      if (!has_details) continue;
      ++with_details;
      add(Table::kCalls, method->calls);
      add(Table::kConditionals, method->branches);
      add(Table::kVirtualInvokes, method->receivers);
      add(Table::kSamples, method->self);
    }
    size_t drawn = 0;
    Counts undrawn{};
    for (const FlameFrame& frame : frames) {
      if (frame.method != kNoMethod) {
        ++drawn;
        continue;
      }
      for (size_t side = 0; side < kMostSides; ++side) AddTo(undrawn, side, frame.weight[side]);
    }
    json_.Key("cut").Open('{');
    json_.Field("methods", static_cast<int64_t>(with_details))
        .Field("all_methods", static_cast<int64_t>(model_.methods().size()))
        .Field("frames", static_cast<int64_t>(drawn))
        .Field("all_frames", static_cast<int64_t>(model_.flames().frame_count()));
    json_.Field("most_edges", static_cast<int64_t>(kMostEdges));
    json_.Key("undrawn").Share(LargestShare(undrawn, model_.flames().total()));
    json_.Key("shares").Open('{');
    for (const Table table :
         {Table::kCalls, Table::kConditionals, Table::kVirtualInvokes, Table::kSamples}) {
      const Counts total = model_.TotalOf(table);
      if (!IsZero(total))
        json_.Key(TableKey(table)).Share(LargestShare(shown[static_cast<size_t>(table)], total));
    }
    json_.Close('}');
    json_.Key("asked_for_code").Bool(options_.listings != nullptr);
    json_.Field("with_code", static_cast<int64_t>(with_code_))
        .Field("sources_left_out", static_cast<int64_t>(sources_left_out_))
        .Close('}');
  }

  std::span<const ReportInput> inputs_;
  const ReportOptions& options_;
  ReportModel model_;
  JsonBuilder json_{JsonBuilder::For::kPage};
  struct Shown {
    const ReportMethod* method;
    bool has_details;
  };
  std::vector<Shown> shown_;
  std::vector<int64_t> rank_of_;  // in shown_, by MethodIndex; -1: not shown
  std::map<std::string, int64_t> rank_of_text_;
  std::vector<TypeIndex> types_;
  std::unordered_map<uint32_t, int64_t> number_of_type_;
  std::vector<bool> paid_;  // types whose name is counted already
  size_t code_bytes_ = 0;   // left for bytecode
  size_t refused_ = 0;      // methods whose bytecode did not fit
  size_t source_bytes_ = 0;
  size_t with_code_ = 0;
  size_t sources_left_out_ = 0;
};

}  // namespace

std::string WriteReportData(std::span<const ReportInput> inputs, const ReportOptions& options) {
  assert(!inputs.empty() && inputs.size() <= kMostSides);
  return Writing(inputs, options).Run();
}

}  // namespace iprof
