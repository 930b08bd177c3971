#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "cli/views/parquet/file_writer.h"
#include "cli/views/parquet/profile_rows.h"
#include "cli/views/parquet/row_columns.h"
#include "cli/views/parquet/row_names.h"
#include "writer/base/murmur3.h"
#include "writer/base/run_id.h"
#include "writer/ops/count_scale.h"
#include "writer/profile/io/agent_section.h"
#include "writer/profile/io/run_note.h"
#include "writer/profile/io/writer.h"
#include "writer/profile/sample_threads.h"

namespace iprof::parquet {
namespace {

// They belong to no position of the file that they were in.
constexpr std::string_view kParts[] = {kEstimatesPart,  kHarvestPart,  kImagePart,
                                       kProvenancePart, kSamplingPart, kSnapshotPart};

std::string PartsOf(const Profile& profile) {
  const AgentSection section = AgentSection::Of(profile);
  AgentSection kept;
  for (const std::string_view name : kParts) {
    if (const auto part = section.Part(name)) kept.SetPart(name, *part);
  }
  return kept.ToJson();
}

// An entry and where it stands in the file.
struct Entry {
  Table table;
  EntryIndex entry;
  ContextIndex context;
  uint32_t rank;  // of the method, by its text
};

class RowWriter {
 public:
  RowWriter(const Profile& profile, const RunFacts& run, std::string_view host, ByteSink& sink)
      : profile_(profile), run_(run), host_(host), threads_(profile), file_(kRowColumns, sink) {
    const SampleFacts samples = CountFactsOf(profile).samples;
    if (samples.interval_ns > 0) sample_ns_ = samples.interval_ns;
    RankMethods();
  }

  RowsWritten Write() {
    for (const Entry& entry : Sorted()) {
      if (RowsWritten written = WriteEntry(entry); !written.status.ok()) return written;
    }
    const std::pair<std::string, std::string> metadata[] = {
        {std::string(kIprofKey), PartsOf(profile_)},
        {std::string(kRowsKey), std::to_string(rows_)}};
    return {rows_, file_.Finish(metadata, kMethodColumn)};
  }

 private:
  void RankMethods() {
    for (const MethodIndex method : MethodsOf(profile_)) texts_.push_back(TextOf(profile_, method));
    std::vector<uint32_t> order(texts_.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, [&](uint32_t a, uint32_t b) { return texts_[a] < texts_[b]; });
    ranks_.resize(texts_.size());
    for (uint32_t i = 0; i < order.size(); ++i) ranks_[order[i]] = i + 1;
  }

  std::vector<Entry> Sorted() const {
    std::vector<Entry> entries;
    for (const Table table : kAllTables) {
      for (const EntryIndex entry : EntriesOf(profile_, table)) {
        const ContextIndex context = profile_.EntryContext(table, entry);
        const MethodIndex method = profile_.InnermostFrame(context).method;
        entries.push_back(
            {table, entry, context, method == kNoMethod ? 0 : ranks_[static_cast<size_t>(method)]});
      }
    }
    std::ranges::sort(entries, [&](const Entry& a, const Entry& b) {
      if (a.rank != b.rank) return a.rank < b.rank;
      if (a.table != b.table) return a.table < b.table;
      return ComesBefore(a.context, b.context);
    });
    return entries;
  }

  // By position, and then by callers.
  bool ComesBefore(ContextIndex a, ContextIndex b) const {
    while (a != b && a != kNoContext && b != kNoContext) {
      const Frame left = profile_.InnermostFrame(a);
      const Frame right = profile_.InnermostFrame(b);
      if (left.method != right.method) {
        if (left.method == kNoMethod || right.method == kNoMethod) return left.method == kNoMethod;
        return ranks_[static_cast<size_t>(left.method)] < ranks_[static_cast<size_t>(right.method)];
      }
      if (left.bci != right.bci) return left.bci < right.bci;
      a = profile_.Caller(a);
      b = profile_.Caller(b);
    }
    return a == kNoContext && b != kNoContext;
  }

  // What all rows of the entry have.
  void Begin(const Entry& entry) {
    file_.Text(kRunColumn, run_.run);
    if (!host_.empty()) file_.Text(kHostColumn, host_);
    if (run_.end_ms > 0) file_.Integer(kTimeColumn, run_.end_ms);
    file_.Text(kTableColumn, NameOfTable(entry.table));
    file_.Integer(kWeightColumn, entry.table == Table::kSamples ? sample_ns_ : 1);
    if (frames_.empty()) return;  // monitors
    const MethodIndex method = frames_.front().method;
    if (const uint64_t hash = profile_.CodeHash(method); hash != 0)
      file_.Integer(kCodeColumn, static_cast<int64_t>(hash));
    file_.Text(kMethodColumn, texts_[static_cast<size_t>(method)]);
    file_.Integer(kPositionColumn, frames_.front().bci);
    if (!callers_.empty()) file_.Text(kCallersColumn, callers_);
    if (thread_.method != kNoMethod)
      file_.Text(kThreadColumn, TextOfName(profile_.MethodName(thread_.method)));
    if (thread_.bci != 0) file_.Integer(kPeriodColumn, thread_.bci);
  }

  Status End(int64_t count) {
    ++rows_;
    file_.Integer(kCountColumn, count);
    return file_.EndRow();
  }

  RowsWritten WriteEntry(const Entry& entry) {
    frames_ = profile_.Frames(entry.context);
    thread_ = threads_.TakeFrom(frames_);
    if (!frames_.empty() && frames_.front().method == kNoMethod) frames_.clear();
    callers_.clear();
    for (size_t i = 1; i < frames_.size(); ++i)
      AppendFrame(texts_[static_cast<size_t>(frames_[i].method)], frames_[i].bci, callers_);
    Status status;
    const auto row = [&](int64_t count, auto fill) {
      if (!status.ok()) return;
      Begin(entry);
      fill();
      status = End(count);
    };
    const auto nothing = [] {};
    switch (RecordKindOf(entry.table)) {
      case RecordKind::kCount:
        row(profile_.EntryCount(entry.table, entry.entry), nothing);
        break;
      case RecordKind::kSuccessors: {
        const auto successors = profile_.EntrySuccessors(entry.entry);
        if (successors.empty()) row(0, nothing);
        for (const Successor& each : successors) {
          row(each.count, [&] {
            file_.Integer(kSuccessorColumn, each.bci);
            file_.Integer(kSuccessorIndexColumn, each.index);
          });
        }
        break;
      }
      case RecordKind::kTypeCounts: {
        const auto types = profile_.EntryTypeCounts(entry.table, entry.entry);
        if (types.empty()) row(0, nothing);
        for (const TypeCount& each : types) {
          row(each.count,
              [&] { file_.Text(kTypeColumn, TextOfName(profile_.TypeName(each.type))); });
        }
        break;
      }
    }
    return {rows_, status};
  }

  const Profile& profile_;
  const RunFacts& run_;
  const std::string_view host_;
  const ThreadFrames threads_;
  FileWriter file_;
  int64_t sample_ns_ = 1;
  std::vector<std::string> texts_;  // by method
  std::vector<uint32_t> ranks_;     // by method: from 1 on, by its text
  std::vector<Frame> frames_;       // of this entry, without the thread
  Frame thread_ = {kNoMethod, 0};
  std::string callers_;
  size_t rows_ = 0;
};

// The hash of all bytes that are written.
class HashSink final : public ByteSink {
 public:
  Status Write(std::string_view bytes) override {
    constexpr size_t kPiece = size_t{1} << 16;
    pending_ += bytes;
    if (pending_.size() >= kPiece) Fold();
    return {};
  }
  RunId Id() {
    Fold();
    return {hash_.high, hash_.low};
  }

 private:
  void Fold() {
    pending_ += fmt::format("{:016x}{:016x}", hash_.high, hash_.low);
    hash_ = Murmur3(pending_);
    pending_.clear();
  }

  std::string pending_;
  Hash128 hash_;
};

}  // namespace

RunFacts RunFacts::Of(const Profile& profile) {
  RunFacts facts;
  const RunList list = RunList::Of(profile);
  const std::vector<RunNote> runs = list.Runs();
  if (!runs.empty()) {
    facts.program = runs.back().program;
    facts.start_ms = runs.back().start_ms;
    facts.end_ms = list.LastEndMs();
  }
  if (runs.size() == 1 && list.older() == 0 && RunId::Parse(runs.front().run).is_known()) {
    facts.run = runs.front().run;
    return facts;
  }
  HashSink hash;
  if (const auto written = WriteProfile(profile, WriteOptions(), hash); !written.ok())
    facts.run.clear();
  facts.run = hash.Id().Text();
  return facts;
}

RowsWritten WriteProfileRows(const Profile& profile, const RunFacts& run, std::string_view host,
                             ByteSink& sink) {
  return RowWriter(profile, run, host, sink).Write();
}

}  // namespace iprof::parquet
