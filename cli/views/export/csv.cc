#include "cli/views/export/export_format.h"

#include <fmt/core.h>

#include <iterator>
#include <string>

#include "cli/views/export/buffered_text.h"
#include "writer/ops/event_samples.h"
#include "writer/ops/summary.h"
#include "writer/profile/io/event_part.h"

namespace iprof {
namespace {

constexpr size_t kMostCallerBytes = size_t{16} << 20;  // 65,536 frames of 256 bytes

std::string CsvField(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

// The first four fields of an entry's lines.
std::string Head(const Profile& profile, std::string_view table, ContextIndex context) {
  const Frame frame = profile.InnermostFrame(context);
  if (frame.method == kNoMethod) return fmt::format("{},,,", table);
  return fmt::format("{},{},{},{}", table, CsvField(profile.DescribeMethod(frame.method)),
                     frame.bci, CsvField(DescribeCallers(profile, context, kMostCallerBytes)));
}

void WriteTables(const Profile& profile, BufferedText& lines) {
  const auto out = [&] { return std::back_inserter(lines.buffer()); };
  for (const Table table : kAllTables) {
    for (const EntryIndex entry : EntriesOf(profile, table)) {
      const std::string head = Head(profile, TableKey(table), profile.EntryContext(table, entry));
      switch (RecordKindOf(table)) {
        case RecordKind::kCount:
          fmt::format_to(out(), "{},,,,{}\n", head, profile.EntryCount(table, entry));
          break;
        case RecordKind::kSuccessors:
          for (const Successor& s : profile.EntrySuccessors(entry)) {
            fmt::format_to(out(), "{},{},{},,{}\n", head, s.bci, s.index, s.count);
            if (!lines.Continue()) break;
          }
          break;
        case RecordKind::kTypeCounts:
          for (const TypeCount& t : profile.EntryTypeCounts(table, entry)) {
            fmt::format_to(out(), "{},,,{},{}\n", head, CsvField(profile.TypeName(t.type)),
                           t.count);
            if (!lines.Continue()) break;
          }
          break;
      }
      if (!lines.Continue()) return;
    }
  }
}

// One value of all rows.
void WriteEvents(const EventTables& events, EventValue value, BufferedText& lines) {
  Profile profile;
  EventContexts contexts(events, profile, ClassFrames::kNone);
  const auto write = [&](const auto& row) {
    const int64_t count = ValueOf(row, value);
    if (count == 0) return;
    const std::string type =
        row.type == kNoEventType ? std::string() : CsvField(events.NameOf(row.type));
    fmt::format_to(std::back_inserter(lines.buffer()), "{},,,{},{}\n",
                   Head(profile, FactsOf(value).name, contexts.Of(row.stack, row.type, row.thread)),
                   type, count);
  };
  for (const EventTables::Allocation& row : events.allocations()) {
    write(row);
    if (!lines.Continue()) return;
  }
  for (const EventTables::Wait& row : events.waits()) {
    write(row);
    if (!lines.Continue()) return;
  }
}

}  // namespace

Status WriteCsv(const Profile& profile, const ExportOptions& options, ByteSink& sink) {
  BufferedText lines(sink);
  lines.buffer() = "table,method,bci,callers,successor_bci,successor_index,type,count\n";
  if (!options.value) WriteTables(profile, lines);
  const EventTables events = EventsOf(profile);
  for (const EventValueFacts& facts : EventValues()) {
    if (!options.value || *options.value == facts.value) WriteEvents(events, facts.value, lines);
  }
  return lines.Finish();
}

}  // namespace iprof
