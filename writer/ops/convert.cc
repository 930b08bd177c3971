#include "writer/ops/convert.h"

#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

#include "writer/ops/summary.h"

namespace iprof {
namespace {

constexpr size_t kFlushAt = 1 << 16;
constexpr size_t kMostCallerBytes = size_t{16} << 20;  // in CSV; 65,536 frames of 256 bytes

// Buffers lines and passes them on in large pieces; keeps the first failure.
class LineSink {
 public:
  explicit LineSink(ByteSink& sink) : sink_(sink) {}

  std::string& buffer() { return buffer_; }
  bool EndLine() {
    buffer_ += '\n';
    if (buffer_.size() >= kFlushAt) Flush();
    return status_.ok();
  }
  Status Finish() {
    Flush();
    return status_;
  }

 private:
  void Flush() {
    if (status_.ok() && !buffer_.empty()) status_ = sink_.Write(buffer_);
    buffer_.clear();
  }

  ByteSink& sink_;
  std::string buffer_;
  Status status_;
};

std::string FrameName(const Profile& profile, Frame frame, bool bci) {
  std::string out;
  for (const char c : QualifiedName(profile, frame.method)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == ';' || byte < 0x20 || byte == 0x7F) {
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  if (bci) fmt::format_to(std::back_inserter(out), ":{}", frame.bci);
  return out;
}

std::string CsvField(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

}  // namespace

Status WriteCollapsed(const Profile& profile, const CollapsedOptions& options, ByteSink& sink) {
  std::map<std::string, int64_t> stacks;
  for (const EntryIndex entry : EntriesOf(profile, Table::kSamples)) {
    std::string stack;
    const std::vector<Frame> frames = profile.Frames(profile.EntryContext(Table::kSamples, entry));
    for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
      if (!stack.empty()) stack += ';';
      stack += FrameName(profile, *frame, options.bci);
    }
    int64_t& count = stacks[stack];
    count = SaturatingAdd(count, profile.EntryCount(Table::kSamples, entry));
  }
  LineSink lines(sink);
  for (const auto& [stack, count] : stacks) {
    fmt::format_to(std::back_inserter(lines.buffer()), "{} {}", stack, count);
    if (!lines.EndLine()) break;
  }
  return lines.Finish();
}

Status WriteCsv(const Profile& profile, ByteSink& sink) {
  LineSink lines(sink);
  lines.buffer() = "table,method,bci,callers,successor_bci,successor_index,type,count";
  lines.EndLine();
  for (const Table table : kAllTables) {
    for (const EntryIndex entry : EntriesOf(profile, table)) {
      const ContextIndex context = profile.EntryContext(table, entry);
      std::string head = fmt::format("{},,,", TableKey(table));
      if (const Frame frame = profile.InnermostFrame(context); frame.method != kNoMethod) {
        head = fmt::format("{},{},{},{}", TableKey(table),
                           CsvField(profile.DescribeMethod(frame.method)), frame.bci,
                           CsvField(DescribeCallers(profile, context, kMostCallerBytes)));
      }
      auto out = std::back_inserter(lines.buffer());
      bool ok = true;
      switch (RecordKindOf(table)) {
        case RecordKind::kCount:
          fmt::format_to(out, "{},,,,{}", head, profile.EntryCount(table, entry));
          ok = lines.EndLine();
          break;
        case RecordKind::kSuccessors:
          for (const Successor& s : profile.EntrySuccessors(entry)) {
            fmt::format_to(out, "{},{},{},,{}", head, s.bci, s.index, s.count);
            ok = lines.EndLine();
          }
          break;
        case RecordKind::kTypeCounts:
          for (const TypeCount& t : profile.EntryTypeCounts(table, entry)) {
            fmt::format_to(out, "{},,,{},{}", head, CsvField(profile.TypeName(t.type)), t.count);
            ok = lines.EndLine();
          }
          break;
      }
      if (!ok) return lines.Finish();
    }
  }
  return lines.Finish();
}

}  // namespace iprof
