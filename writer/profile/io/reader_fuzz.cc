// Fuzzes the reader: no bytes crash it, hang it or make it contradict itself. The input is read in
// one piece and in small pieces, with the same result; what was read is written and read again.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "writer/profile/example_profiles.h"
#include "writer/profile/io/agent_section.h"
#include "writer/profile/io/context_form.h"
#include "writer/profile/io/position_part.h"
#include "writer/profile/io/reader.h"
#include "writer/profile/io/run_note.h"
#include "writer/profile/io/source_lines.h"
#include "writer/profile/io/split_writer.h"
#include "writer/profile/io/writer.h"
#include "writer/profile/sample_threads.h"

namespace {

[[noreturn]] void Disagree(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace iprof;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<Profile> whole = ReadProfileText(text);
  StringSource pieces(text, 1 + size % 7);
  const Result<Profile> piecewise = ReadProfile(pieces, "text");
  if (whole.ok() != piecewise.ok())
    Disagree("in pieces: " + piecewise.status().message() + " | " + whole.status().message());
  if (!whole.ok()) {
    // Messages are not compared: a preview may be shorter at the end of the window.
    if (whole.status().message().empty()) Disagree("a failure without a message");
    return 0;
  }
  if (const std::string difference = FirstDifference(*whole, *piecewise); !difference.empty())
    Disagree(difference);
  const SourceLines lines = SourceLines::Of(*whole);
  if (SourceLines same; !same.AddJson(lines.ToJson()) || same.ToJson() != lines.ToJson())
    Disagree("source lines are not read as they were written: " + lines.ToJson());
  {
    Profile noted = std::move(*ReadProfileText(text));
    WritePositionNotes(noted);
    const Result<std::string> with_notes =
        WriteProfileText(noted, {.version = FormatVersion::k1_1_0});
    if (!with_notes.ok()) Disagree(with_notes.status().message());
    Profile read = std::move(*ReadProfileText(*with_notes));
    WritePositionNotes(read);
    if (*WriteProfileText(read, {.version = FormatVersion::k1_1_0}) != *with_notes)
      Disagree("notes of positions are not read as they were written");
  }
  const RunList runs = RunList::Of(*whole);
  if (RunList same; !same.AddJson(runs.ToJson()) || same.ToJson() != runs.ToJson())
    Disagree("runs are not read as they were written: " + runs.ToJson());
  {
    const SplitPart split = SplitPart::Of(*whole);
    if (!IsSplitPart(split.ToJson(*whole)))
      Disagree("stacks in pieces are not read as they were written: " + split.ToJson(*whole));
    StringSink in_pieces;
    const auto report =
        WriteSplitProfile(*whole, split, {.version = FormatVersion::k1_1_0}, in_pieces);
    if (!report.ok()) Disagree(report.status().message());
    if (const Result<Profile> read = ReadProfileText(in_pieces.text()); !read.ok())
      Disagree("in pieces, it is not read: " + read.status().message());
  }
  if (const Result<Profile> inclusive = ToInclusive(*whole); inclusive.ok()) {
    const Result<std::string> in_form =
        WriteProfileText(*inclusive, {.version = FormatVersion::k1_1_0});
    if (!in_form.ok()) Disagree(in_form.status().message());
    const Result<Profile> read = ReadProfileText(*in_form);
    if (!read.ok()) Disagree("inclusive, it is not read: " + read.status().message());
    for (const Table table : kAllTables) {
      if (read->Total(table) != whole->Total(table))
        Disagree("inclusive contexts are read with other sums");
    }
  }
  // What has whole stacks is not written as split, and the frames of threads are in no table.
  Profile plain = WithoutThreads(std::move(*ReadProfileText(text)));
  RemoveAgentPart(plain, kSplitPart);
  WriteOptions options;
  options.version = FormatVersion::k1_1_0;
  options.pretty = size % 2 == 1;
  const Result<std::string> written = WriteProfileText(plain, options);
  if (!written.ok()) Disagree(written.status().message());
  const Result<Profile> again = ReadProfileText(*written);
  if (!again.ok()) Disagree(again.status().message());
  if (const std::string difference = FirstDifference(plain, *again); !difference.empty())
    Disagree(difference);
  if (*WriteProfileText(*again, options) != *written) Disagree("written twice, the bytes differ");
  return 0;
}
