#include "writer/profile/io/writer.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "writer/base/utf8.h"
#include "writer/profile/io/agent_section.h"
#include "writer/profile/io/atomic_file.h"
#include "writer/profile/io/split_writer.h"
#include "writer/profile/sample_threads.h"

namespace iprof {
namespace {

constexpr size_t kBufferBytes = size_t{64} << 10;
constexpr size_t kNumberBytes = 24;

// Bytes that a JSON string contains unescaped.
constexpr bool IsPlain(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= ' ' && byte < 127 && c != '"' && c != '\\';
}

// Buffers text and passes it on one buffer at a time. The first failure of the sink is final; later
// text is dropped.
class TextOut {
 public:
  explicit TextOut(ByteSink& sink) : sink_(sink), buffer_(new char[kBufferBytes]) {}

  void Put(char c) {
    if (used_ == kBufferBytes) Flush();
    buffer_[used_++] = c;
  }
  // Inlined, so that the many short texts of constant length are stored without a call.
  [[gnu::always_inline]] void Put(std::string_view text) {
    if (text.size() > kBufferBytes - used_) return PutInParts(text);
    if (!text.empty()) std::memcpy(buffer_.get() + used_, text.data(), text.size());
    used_ += text.size();
  }
  void Number(int64_t value) {
    if (kBufferBytes - used_ < kNumberBytes) Flush();
    char* at = buffer_.get() + used_;
    used_ += static_cast<size_t>(std::to_chars(at, at + kNumberBytes, value).ptr - at);
  }
  void String(std::string_view text) {
    size_t plain = 0;
    while (plain < text.size() && IsPlain(text[plain])) ++plain;
    if (plain == text.size()) {
      Put('"');
      Put(text);
      Put('"');
      return;
    }
    scratch_.clear();
    AppendJsonString(text, &scratch_);
    Put(scratch_);
  }
  void Flush() {
    if (status_.ok() && used_ != 0) status_ = sink_.Write({buffer_.get(), used_});
    bytes_ += used_;
    used_ = 0;
  }
  const Status& status() const { return status_; }
  uint64_t bytes() const { return bytes_ + used_; }

 private:
  void PutInParts(std::string_view text) {
    while (text.size() > kBufferBytes - used_) {
      const size_t part = kBufferBytes - used_;
      std::memcpy(buffer_.get() + used_, text.data(), part);
      used_ += part;
      text.remove_prefix(part);
      Flush();
    }
    Put(text);
  }

  ByteSink& sink_;
  std::unique_ptr<char[]> buffer_;
  size_t used_ = 0;
  uint64_t bytes_ = 0;
  Status status_;
  std::string scratch_;
};

// The section with the part, or without any if nothing is split. Empty: as it is.
std::optional<std::string> SectionWith(const Profile& profile, const SplitPart& split) {
  AgentSection section;
  for (const ExtraKey& extra : profile.extras()) {
    if (extra.key == kAgentKey) section.Add(extra.key, extra.json);
  }
  const bool has_none = !split.is_needed();
  if (!section.can_hold_parts() || (has_none && !section.Part(kSplitPart))) return std::nullopt;
  if (has_none) {
    section.RemovePart(kSplitPart);
  } else {
    section.SetPart(kSplitPart, split.ToJson(profile));
  }
  return section.ToJson();
}

class ProfileText {
 public:
  ProfileText(const Profile& profile, const SplitPart& split, const WriteOptions& options,
              TextOut& out)
      : profile_(profile),
        options_(options),
        out_(out),
        section_(SectionWith(profile, split)),
        threads_(profile) {
    const bool is_split = section_ && split.is_needed();
    if (!is_split && !threads_.any()) return;
    whole_ = StacksOf(profile);
    // The frames are those of the split, where there is one.
    pieces_ = is_split ? WrittenStacks(whole_, split) : WrittenStacks(whole_, SplitPart());
    if (!is_split) return;
    hidden_types_ = split.hidden_types;
    hidden_methods_ = split.hidden_methods;
  }

  void Write() {
    out_.Put('{');
    Key("version", true);
    out_.String(FormatVersionName(options_.version));
    Types();
    Methods();
    for (const Table table : kAllTables) {
      if (!HasTable(options_.version, table) || profile_.entry_count(table) == 0) continue;
      if (table != Table::kSamples || whole_.empty()) {
        Entries(table);
      } else if (!pieces_.empty()) {
        Pieces();
      }
    }
    for (const ExtraKey& extra : profile_.extras()) {
      Key(extra.key, false);
      if (extra.key == kAgentKey && section_) {
        out_.Put(*section_);
        section_.reset();
      } else {
        out_.Put(extra.json);
      }
    }
    if (section_) {
      Key(kAgentKey, false);
      out_.Put(*section_);
    }
    out_.Put(options_.pretty ? "\n}\n" : "}");
  }

 private:
  void Key(std::string_view key, bool first) {
    if (!first) out_.Put(',');
    if (options_.pretty) out_.Put("\n  ");
    out_.String(key);
    out_.Put(options_.pretty ? ": " : ":");
  }
  // Call before each element of a top-level array, and after the last.
  void Element(bool first) {
    if (!first) out_.Put(',');
    if (options_.pretty) out_.Put("\n    ");
  }
  void EndArray(bool empty) {
    if (options_.pretty && !empty) out_.Put("\n  ");
    out_.Put(']');
  }

  void Types() {
    Key("types", false);
    out_.Put('[');
    bool first = true;
    for (const TypeIndex type : TypesOf(profile_)) {
      if (std::ranges::binary_search(hidden_types_, type) || threads_.Is(type)) continue;
      Element(std::exchange(first, false));
      out_.Put("{\"id\":");
      out_.Number(profile_.TypeFileId(type));
      out_.Put(",\"name\":");
      out_.String(profile_.TypeName(type));
      out_.Put('}');
    }
    EndArray(first);
  }

  void Methods() {
    Key("methods", false);
    out_.Put('[');
    bool first = true;
    for (const MethodIndex method : MethodsOf(profile_)) {
      if (std::ranges::binary_search(hidden_methods_, method) || threads_.Is(method)) continue;
      Element(std::exchange(first, false));
      out_.Put("{\"id\":");
      out_.Number(profile_.MethodFileId(method));
      out_.Put(",\"name\":");
      out_.String(profile_.MethodName(method));
      out_.Put(",\"signature\":");
      char separator = '[';
      for (const TypeIndex type : profile_.Signature(method)) {
        out_.Put(std::exchange(separator, ','));
        out_.Number(profile_.TypeFileId(type));
      }
      out_.Put("]}");
    }
    EndArray(first);
  }

  void Entries(Table table) {
    Key(TableKey(table), false);
    out_.Put('[');
    bool first = true;
    for (const EntryIndex entry : EntriesOf(profile_, table)) {
      Element(std::exchange(first, false));
      out_.Put("{\"ctx\":\"");
      Context(profile_.EntryContext(table, entry));
      out_.Put("\",\"records\":[");
      Records(table, entry);
      out_.Put("]}");
    }
    EndArray(first);
  }

  // As Entries.
  void Pieces() {
    Key(TableKey(Table::kSamples), false);
    out_.Put('[');
    bool first = true;
    for (const StackView& piece : pieces_) {
      Element(std::exchange(first, false));
      out_.Put("{\"ctx\":\"");
      for (size_t i = 0; i < piece.frames.size(); ++i) PutFrame(piece.At(i), i == 0);
      out_.Put("\",\"records\":[");
      out_.Number(piece.weight);
      out_.Put("]}");
    }
    EndArray(first);
  }

  void Context(ContextIndex context) {
    bool first = true;
    profile_.ForEachFrame(context,
                          [&](Frame frame) { PutFrame(frame, std::exchange(first, false)); });
  }

  void PutFrame(Frame frame, bool first) {
    if (!first) out_.Put('<');
    out_.Number(frame.method == kNoMethod ? 0 : profile_.MethodFileId(frame.method));
    out_.Put(':');
    out_.Number(frame.bci);
  }

  void Records(Table table, EntryIndex entry) {
    bool first = true;
    const auto put = [&](int64_t value) {
      if (!std::exchange(first, false)) out_.Put(',');
      out_.Number(value);
    };
    switch (RecordKindOf(table)) {
      case RecordKind::kCount:
        put(profile_.EntryCount(table, entry));
        break;
      case RecordKind::kSuccessors:
        for (const Successor& s : profile_.EntrySuccessors(entry)) {
          put(s.bci);
          put(s.index);
          put(s.count);
        }
        break;
      case RecordKind::kTypeCounts:
        for (const TypeCount& t : profile_.EntryTypeCounts(table, entry)) {
          put(profile_.TypeFileId(t.type));
          put(t.count);
        }
        break;
    }
  }

  const Profile& profile_;
  const WriteOptions& options_;
  TextOut& out_;
  std::optional<std::string> section_;       // in place of the profile's
  std::span<const TypeIndex> hidden_types_;  // ascending, as the next
  std::span<const MethodIndex> hidden_methods_;
  const ThreadFrames threads_;       // are in no table
  std::vector<SampledStack> whole_;  // what the pieces are from; empty: samples are written whole
  std::vector<StackView> pieces_;    // in place of the samples
};

Result<WriteReport> WriteText(const Profile& profile, const SplitPart& split,
                              const WriteOptions& options, ByteSink& sink) {
  TextOut out(sink);
  ProfileText(profile, split, options, out).Write();
  out.Flush();
  if (!out.status().ok()) return out.status();
  if (Status status = sink.Finish(); !status.ok()) return status;
  WriteReport report;
  report.text_bytes = out.bytes();
  report.entries_left_out = EntriesWithoutTable(profile, options.version);
  return report;
}

}  // namespace

Result<WriteReport> WriteSplitProfile(const Profile& profile, const SplitPart& split,
                                      const WriteOptions& options, ByteSink& sink) {
  if (!options.gzip) return WriteText(profile, split, options, sink);
  const std::unique_ptr<ByteSink> gzip = MakeGzipSink(sink);
  Result<WriteReport> report = WriteText(profile, split, options, *gzip);
  if (!report.ok()) return report;
  if (Status status = sink.Finish(); !status.ok()) return status;
  return report;
}

Result<WriteReport> WriteSplitProfileFile(const Profile& profile, const SplitPart& split,
                                          const WriteOptions& options, const std::string& path,
                                          Readers readers) {
  if (path == "-") {
    FdSink sink(STDOUT_FILENO, "standard output");
    return WriteSplitProfile(profile, split, options, sink);
  }
  Result<std::unique_ptr<AtomicFile>> file = AtomicFile::Create(path, SystemCalls::Real(), readers);
  if (!file.ok()) return file.status();
  Result<WriteReport> report = WriteSplitProfile(profile, split, options, **file);
  if (!report.ok()) return report;
  if (Status status = (*file)->Commit(); !status.ok()) return status;
  return report;
}

Result<WriteReport> WriteProfile(const Profile& profile, const WriteOptions& options,
                                 ByteSink& sink) {
  return WriteSplitProfile(profile, {}, options, sink);
}

Result<WriteReport> WriteProfileFile(const Profile& profile, const WriteOptions& options,
                                     const std::string& path, Readers readers) {
  return WriteSplitProfileFile(profile, {}, options, path, readers);
}

Result<std::string> WriteProfileText(const Profile& profile, const WriteOptions& options) {
  StringSink sink;
  Result<WriteReport> report = WriteProfile(profile, options, sink);
  if (!report.ok()) return report.status();
  return std::move(sink.text());
}

void AppendJsonString(std::string_view text, std::string* out) {
  static constexpr char kHex[] = "0123456789abcdef";
  const auto escape = [out](uint32_t unit) {
    out->append("\\u");
    for (int shift = 12; shift >= 0; shift -= 4) out->push_back(kHex[(unit >> shift) & 15]);
  };
  out->push_back('"');
  for (size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (IsPlain(c)) {
      out->push_back(c);
      ++at;
      continue;
    }
    uint32_t code_point = 0;
    const size_t length = DecodeCodePoint(text, at, &code_point);
    if (length == 0) {
      AppendCodePoint(0xfffd, out);
      ++at;
      continue;
    }
    if (code_point == '"' || code_point == '\\') {
      out->push_back('\\');
      out->push_back(c);
    } else if (code_point == '\n') {
      out->append("\\n");
    } else if (code_point == '\t') {
      out->append("\\t");
    } else if (code_point < ' ' || code_point == 127 || IsSurrogate(code_point)) {
      escape(code_point);
    } else {
      out->append(text, at, length);
    }
    at += length;
  }
  out->push_back('"');
}

}  // namespace iprof
