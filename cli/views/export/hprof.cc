#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <ctime>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cli/views/export/buffered_text.h"
#include "cli/views/export/export_format.h"
#include "cli/views/export/stacks.h"
#include "writer/base/option_text.h"
#include "writer/names/java_names.h"
#include "writer/ops/method_times.h"
#include "writer/ops/summary.h"
#include "writer/profile/io/event_part.h"
#include "writer/profile/io/run_note.h"
#include "writer/profile/sample_threads.h"

namespace iprof {
namespace {

// HPROF numbers threads and traces from here on.
constexpr uint32_t kFirstThread = 200'001;
constexpr uint32_t kFirstTrace = 300'001;
constexpr int64_t kNsPerMs = 1'000'000;
constexpr std::string_view kUnknownClass = "<unknown>";

constexpr std::string_view kPrelude =
    "THREAD START  a thread, with its name; the numbers in names are left out\n"
    "TRACE         a stack, the innermost frame first\n"
    "SITES         allocations by trace and class, estimated from samples\n"
    "CPU SAMPLES   samples by trace\n"
    "CPU TIME      calls by method, and their time without callees, estimated from samples\n"
    "MONITOR TIME  waits for locks by trace and class\n";

// "Tue Nov 24 23:36:28 2026"
std::string DateOf(int64_t ms) {
  constexpr std::array kDays{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                               "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto seconds = static_cast<time_t>(ms / 1000);
  tm at{};
  if (gmtime_r(&seconds, &at) == nullptr) return DateOf(0);
  return fmt::format("{} {} {:2} {:02}:{:02}:{:02} {}", kDays[static_cast<size_t>(at.tm_wday)],
                     kMonths[static_cast<size_t>(at.tm_mon)], at.tm_mday, at.tm_hour, at.tm_min,
                     at.tm_sec, int64_t{1900} + at.tm_year);
}

int64_t ToMs(int64_t ns) { return ns / kNsPerMs + (ns % kNsPerMs >= kNsPerMs / 2 ? 1 : 0); }

// A thread's number or 0, and then the numbers of frames, innermost first.
using Trace = std::vector<uint32_t>;

// The rows of a table before they have numbers. Values add up by trace and name; the first value orders them.
class Sums {
 public:
  using Values = std::array<int64_t, 4>;
  struct Row {
    const Trace* trace;
    const std::string* name;
    Values values;
  };

  void Add(Trace trace, std::string name, const Values& values) {
    const auto [at, is_new] =
        places_.try_emplace({std::move(trace), std::move(name)}, rows_.size());
    if (is_new) rows_.push_back({&at->first.first, &at->first.second, {}});
    Values& sums = rows_[at->second].values;
    for (size_t i = 0; i < sums.size(); ++i) sums[i] = SaturatingAdd(sums[i], values[i]);
    total_ = SaturatingAdd(total_, values[0]);
  }

  int64_t total() const { return total_; }
  double ShareOf(int64_t value) const {
    return total_ > 0 ? static_cast<double>(value) / static_cast<double>(total_) : 0;
  }
  // The largest first, without those below the cutoff.
  std::vector<Row> Sorted(double cutoff) const {
    std::vector<Row> rows;
    for (const Row& row : rows_) {
      if (ShareOf(row.values[0]) >= cutoff) rows.push_back(row);
    }
    std::stable_sort(rows.begin(), rows.end(),
                     [](const Row& a, const Row& b) { return a.values[0] > b.values[0]; });
    return rows;
  }

 private:
  std::map<std::pair<Trace, std::string>, size_t> places_;
  std::vector<Row> rows_;
  int64_t total_ = 0;
};

class HprofWriter {
 public:
  HprofWriter(const Profile& profile, const HprofOptions& options, ByteSink& sink)
      : profile_(profile),
        options_(options),
        out_(sink),
        thread_frames_(profile),
        events_(EventsOf(profile)) {}

  Status Write() {
    const RunList runs = RunList::Of(profile_);
    date_ = DateOf(runs.LastEndMs());
    for (const MethodIndex method : MethodsOf(profile_)) {
      if (thread_frames_.Is(method)) NumberOfThread(profile_.MethodName(method));
    }
    for (const std::string& thread : events_.threads()) NumberOfThread(thread);
    if (events_.allocation_figures()) AddSites();
    AddSamples();
    AddTimes();
    if (events_.wait_figures()) AddWaits();
    Append("JAVA PROFILE 1.0.1, created {}\n\n{}\n--------\n\n", date_, kPrelude);
    for (size_t i = 0; i < threads_.size(); ++i) {
      Append("THREAD START (obj=0, id = {}, name=\"{}\", group=\"\")\n", kFirstThread + i,
             FrameText(threads_[i]));
    }
    for (size_t i = 0; i < traces_.size() && out_.Continue(); ++i) WriteTrace(i);
    out_.buffer() += tables_;
    return out_.Finish();
  }

 private:
  template <typename... Args>
  void Append(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_.buffer()), format, std::forward<Args>(args)...);
  }
  template <typename... Args>
  void AppendRow(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(tables_), format, std::forward<Args>(args)...);
  }

  // From 1 on.
  uint32_t NumberOfThread(std::string_view name) {
    const auto [at, is_new] = thread_numbers_.try_emplace(std::string(name), threads_.size());
    if (is_new) threads_.emplace_back(name);
    return static_cast<uint32_t>(at->second) + 1;
  }

  // Of the text between the tab and the line feed.
  uint32_t NumberOfFrame(std::string_view method, std::optional<int64_t> line) {
    const std::string place =
        line && options_.lineno ? std::to_string(*line) : std::string("Unknown line");
    const auto [at, is_new] = frame_numbers_.try_emplace(
        fmt::format("{}(<Unknown Source>:{})", method, place), frames_.size());
    if (is_new) frames_.push_back(&at->first);
    return static_cast<uint32_t>(at->second);
  }

  uint32_t NumberOfFrame(const Frame& frame) {
    const auto [at, is_new] = places_.try_emplace(
        uint64_t{static_cast<uint32_t>(frame.method)} << 32 | static_cast<uint32_t>(frame.bci), 0);
    if (is_new) {
      at->second = NumberOfFrame(FrameText(QualifiedName(profile_, frame.method)),
                                 profile_.notes().LineOf(frame.method, frame.bci));
    }
    return at->second;
  }

  Trace TraceOf(EventStack stack, EventThread thread) {
    Trace trace{0};
    if (options_.thread && thread != kNoEventThread)
      trace[0] = NumberOfThread(events_.NameOf(thread));
    for (const EventFrame& frame : events_.Frames(stack)) {
      if (trace.size() > options_.depth) break;
      const EventTables::Method& method = events_.MethodOf(frame.method);
      trace.push_back(
          NumberOfFrame(FrameText(fmt::format("{}.{}", method.type, method.name)),
                        frame.line >= 0 ? std::optional<int64_t>(frame.line) : std::nullopt));
    }
    return trace;
  }
  std::string ClassOf(EventType type) const {
    return type == kNoEventType ? std::string(kUnknownClass)
                                : FrameText(JavaTypeName(events_.NameOf(type)));
  }

  size_t NumberOf(const Trace& trace) {
    const auto [at, is_new] = trace_numbers_.try_emplace(trace, traces_.size());
    if (is_new) traces_.push_back(&at->first);
    return kFirstTrace + at->second;
  }

  void WriteTrace(size_t index) {
    const Trace& trace = *traces_[index];
    Append("TRACE {}:", kFirstTrace + index);
    if (trace[0] != 0) Append(" (thread={})", kFirstThread + trace[0] - 1);
    Append("\n");
    for (size_t i = 1; i < trace.size(); ++i) Append("\t{}\n", *frames_[trace[i]]);
  }

  // Rows of the form that three tables share; `counts` is which value is the count.
  void AppendRows(const Sums& sums, size_t counts, std::string_view after_name = "") {
    size_t rank = 0;
    int64_t accumulated = 0;
    for (const Sums::Row& row : sums.Sorted(options_.cutoff)) {
      accumulated = SaturatingAdd(accumulated, row.values[0]);
      AppendRow("{:4} {:5.2f}% {:5.2f}% {:7} {:5} {}{}\n", ++rank,
                100 * sums.ShareOf(row.values[0]), 100 * sums.ShareOf(accumulated),
                row.values[counts], NumberOf(*row.trace), *row.name, after_name);
    }
  }

  void AddSamples() {
    Sums sums;
    for (const EntryIndex entry : EntriesOf(profile_, Table::kSamples)) {
      const ContextIndex context = profile_.EntryContext(Table::kSamples, entry);
      const MethodIndex thread = thread_frames_.Of(context);
      Trace trace{0};
      if (options_.thread && thread != kNoMethod)
        trace[0] = NumberOfThread(profile_.MethodName(thread));
      profile_.ForEachFrame(context, [&](const Frame& frame) {
        if (trace.size() <= options_.depth && !thread_frames_.Is(frame.method))
          trace.push_back(NumberOfFrame(frame));
      });
      sums.Add(std::move(trace),
               FrameText(QualifiedName(profile_, profile_.InnermostFrame(context).method)),
               {profile_.EntryCount(Table::kSamples, entry)});
    }
    AppendRow("CPU SAMPLES BEGIN (total = {}) {}\n", sums.total(), date_);
    if (sums.total() > 0) AppendRow("rank   self  accum   count trace method\n");
    AppendRows(sums, 0);
    AppendRow("CPU SAMPLES END\n");
  }

  void AddTimes() {
    const auto times = ComputeMethodTimes(profile_, SignalRatio::Of(profile_));
    if (!times || times->event != "cpu" || !times->has_calls || times->rows.empty()) return;
    Sums sums;
    for (const MethodTime& row : times->rows) {
      if (thread_frames_.Is(row.method)) continue;
      const std::string name = FrameText(QualifiedName(profile_, row.method));
      sums.Add({0, NumberOfFrame(name, std::nullopt)}, name, {row.self.ns, row.calls.value_or(0)});
    }
    AppendRow("CPU TIME (ms) BEGIN (total = {}) {}\n", ToMs(sums.total()), date_);
    AppendRow("rank   self  accum   count trace method\n");
    AppendRows(sums, 1);
    AppendRow("CPU TIME (ms) END\n");
  }

  void AddSites() {
    const bool by_live = HasValue(events_, EventValue::kLiveBytes);
    Sums sums;
    for (const EventTables::Allocation& row : events_.allocations()) {
      Trace trace = TraceOf(row.stack, row.thread);
      if (by_live) {
        sums.Add(std::move(trace), ClassOf(row.type),
                 {row.live_bytes, row.live_objects, row.bytes, row.objects});
      } else {
        sums.Add(std::move(trace), ClassOf(row.type), {row.bytes, row.objects, 0, 0});
      }
    }
    AppendRow("SITES BEGIN (ordered by {} bytes) {}\n", by_live ? "live" : "allocated", date_);
    AppendRow("          percent          live          alloc'ed  stack class\n");
    AppendRow(" rank   self  accum     bytes objs     bytes  objs trace name\n");
    size_t rank = 0;
    int64_t accumulated = 0;
    for (const Sums::Row& row : sums.Sorted(options_.cutoff)) {
      accumulated = SaturatingAdd(accumulated, row.values[0]);
      const size_t live = by_live ? 0 : 2;
      const size_t allocated = 2 - live;
      AppendRow("{:5} {:5.2f}% {:5.2f}% {:9} {:4} {:9} {:5} {:5} {}\n", ++rank,
                100 * sums.ShareOf(row.values[0]), 100 * sums.ShareOf(accumulated),
                row.values[live], row.values[live + 1], row.values[allocated],
                row.values[allocated + 1], NumberOf(*row.trace), *row.name);
    }
    AppendRow("SITES END\n");
  }

  void AddWaits() {
    Sums sums;
    for (const EventTables::Wait& row : events_.waits())
      sums.Add(TraceOf(row.stack, row.thread), ClassOf(row.type), {row.ns, row.waits});
    AppendRow("MONITOR TIME BEGIN (total = {} ms) {}\n", ToMs(sums.total()), date_);
    if (sums.total() > 0) AppendRow("rank   self  accum   count trace monitor\n");
    AppendRows(sums, 1, " (Java)");
    AppendRow("MONITOR TIME END\n");
  }

  const Profile& profile_;
  const HprofOptions options_;
  BufferedText out_;
  const ThreadFrames thread_frames_;
  const EventTables events_;
  std::string date_;
  std::string tables_;  // with the numbers of traces, which are written before
  std::unordered_map<std::string, size_t> thread_numbers_;
  std::vector<std::string> threads_;
  std::unordered_map<std::string, size_t> frame_numbers_;
  std::vector<const std::string*> frames_;
  std::unordered_map<uint64_t, uint32_t> places_;  // frames by method and bci
  std::map<Trace, size_t> trace_numbers_;
  std::vector<const Trace*> traces_;
};

// A decimal number without sign and exponent.
std::optional<double> ParseDecimal(std::string_view text) {
  if (text.empty() || text.find_first_not_of("0123456789.") != std::string_view::npos)
    return std::nullopt;
  double value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

Status WriteHprof(const Profile& profile, const ExportOptions& options, ByteSink& sink) {
  return HprofWriter(profile, options.hprof, sink).Write();
}

std::string ParseHprofOptions(std::string_view text, ExportOptions& options) {
  for (const std::string_view item : SplitOptions(text)) {
    const size_t equals = std::min(item.find('='), item.size());
    const std::string_view name = item.substr(0, equals);
    const std::string_view value = item.substr(std::min(equals + 1, item.size()));
    const auto refuse = [&](std::string_view what) {
      return fmt::format("'{}': hprof@{} takes {}", ShownOption(item), name, what);
    };
    if (name == "depth") {
      const auto depth = ParseDecimal(value);
      if (!depth || *depth < 1 || *depth > 1e6 || *depth != std::floor(*depth))
        return refuse("a number of frames, at least 1");
      options.hprof.depth = static_cast<size_t>(*depth);
    } else if (name == "cutoff") {
      const auto cutoff = ParseDecimal(value);
      if (!cutoff || *cutoff > 1) return refuse("a share between 0 and 1, as 0.0001");
      options.hprof.cutoff = *cutoff;
    } else if (name == "lineno" || name == "thread") {
      if (value != "y" && value != "n") return refuse("y or n");
      (name == "lineno" ? options.hprof.lineno : options.hprof.thread) = value == "y";
    } else {
      return fmt::format("'{}' is none of hprof's options: depth, cutoff, lineno, thread",
                         ShownOption(item));
    }
  }
  return {};
}

}  // namespace iprof
