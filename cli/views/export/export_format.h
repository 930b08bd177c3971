// ExportFormat: another program's file format that `iprof convert` writes. ExportFormats is the table
// of all of them: command line, help and completions are made from it. To add a format, write a file
// with its function beside this one, declare it here, and add a row to export_format.cc.
//
// Guarantees: a format streams into the sink in a deterministic order, and reads nothing but the
// profile. The thread of a stack, if it is known (writer/profile/sample_threads.h), is its outermost frame: "[main]".
// Threads: any, while no other thread changes the profile.
// Failure: `write` fails only if the sink does, with its Status. Throws nothing but std::bad_alloc.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "writer/base/status.h"
#include "writer/profile/event_tables.h"
#include "writer/profile/io/byte_stream.h"
#include "writer/profile/model.h"

namespace iprof {

struct Coverage;

// HPROF's own options, with its defaults.
struct HprofOptions {
  size_t depth = 4;        // frames of a trace, from the innermost one on
  double cutoff = 0.0001;  // rows with a smaller share are left out
  bool lineno = true;      // frames with their source lines
  bool thread = false;     // traces of each thread
};

struct ExportOptions {
  bool bci = false;                // frames with their bytecode index
  Table stacks = Table::kSamples;  // or kCalls: which contexts are the stacks
  // Of allocations and waits. The collapsed stacks are theirs, and other formats have nothing else; pprof has all, and this one
  // is the default.
  std::optional<EventValue> value = std::nullopt;
  HprofOptions hprof = {};
  const Coverage* coverage = nullptr;  // for formats that need it (cli/views/coverage/coverage.h)
};

struct ExportFormat {
  std::string_view name;
  std::string_view help;       // what it is, a few words
  bool takes_bci = false;      // ExportOptions::bci has an effect
  bool one_table = false;      // it holds the stacks of one table, ExportOptions::stacks
  bool needs_samples = false;  // or allocations, or waits: there is no such file of calls alone
  bool needs_coverage =
      false;                // it has lines of class files, and no stacks: ExportOptions::coverage
  bool compressed = false;  // such files are always compressed, with any name
  // Reads the format's own options, which stand behind its name: "depth=8,thread=y" of "hprof@depth=8,thread=y". Returns
  // what is wrong with them, or an empty string. Null: it has none.
  std::string (*parse)(std::string_view text, ExportOptions& options) = nullptr;
  Status (*write)(const Profile& profile, const ExportOptions& options, ByteSink& sink);
};

std::span<const ExportFormat> ExportFormats();
// Null if no format has this name.
const ExportFormat* FindExportFormat(std::string_view name);

// Collapsed stacks, the input of flame-graph tools: one line per stack, "outermost;…;innermost count",
// sorted, with equal stacks added up. Frames are "a.b.C.m", with bcis "a.b.C.m:12". A ';' or control
// character in a name (legal in a class file) becomes \xNN, so that each line is one stack.
Status WriteCollapsed(const Profile& profile, const ExportOptions& options, ByteSink& sink);

// Every count of a profile, for spreadsheets and databases: RFC 4180 with LF; one line per count,
// header first: table,method,bci,callers,successor_bci,successor_index,type,count; empty where it
// does not apply. Callers are "method:bci", innermost first, joined by " < ". The order is that of
// the profile. A value of allocations or waits (EventTables) is a table with its name, such as alloc-bytes; its type is the class.
Status WriteCsv(const Profile& profile, const ExportOptions& options, ByteSink& sink);

// The format of Go's profiler tool, which other viewers read too: one message
// perftools.profiles.Profile, here not compressed yet (ExportFormat::compressed).
//  - Every stack of samples and of calls is one sample. Its values are "samples" (count), the time
//    that they stand for ("cpu" or "wall", nanoseconds), and "calls" (count); a table without entries
//    has no value, and there is no time if the profile does not have the interval. The first one is
//    the default.
//  - Allocations and waits are samples, too, with the values that Go's programs have: alloc_objects, alloc_space, inuse_objects,
//    inuse_space (count and bytes), contentions (count) and delay (nanoseconds). The class is the label "class".
//  - A location is a method and, where the profile has it, a source line. A function's name is
//    "a.b.C.m"; its system name has the signature.
//  - The thread of a sample, if it is known, is its label "thread", too.
//  - The time of the earliest run, and the time recorded in all of them.
Status WritePprof(const Profile& profile, const ExportOptions& options, ByteSink& sink);

// The JSON format of the flame-graph viewer of this name.
//  - One sampled profile for the samples, in nanoseconds if the profile has the interval, else as
//    plain numbers; one for the calls; one for each value of allocations and waits; a table without entries has none, but there
//    is at least one.
//  - Stacks are sorted by their frames, outermost first, so that the view by time order shows equal
//    callers side by side. Equal stacks are added up.
//  - A frame is a method and, where the profile has it, a source line.
Status WriteSpeedscope(const Profile& profile, const ExportOptions& options, ByteSink& sink);

// The text of HPROF, the JDK's profiler up to JDK 8, for the scripts that read it: a header, threads, stacks (TRACE), and a
// table of each kind that the profile has, with HPROF's columns.
//  - Of each table, rows below the cutoff are left out; its total and the shares are those of all rows. Only traces that a row
//    names are written.
//  - CPU SAMPLES: samples by trace. Always there.
//  - CPU TIME: self time and calls by method, in a profile with counts and samples of CPU time (writer/ops/method_times.h). Its
//    traces have one frame, because calls are counted by method. Calls that were not counted are 0.
//  - SITES: allocations by trace and class. Ordered by live bytes, or by allocated ones if nothing is known of live objects.
//  - MONITOR TIME: waits by trace and class of the lock, parked threads included.
//  - The names of source files are not known. Times are in UTC, and are the end of the last run.
// Example: a.Circle.area is innermost in 5 of 7 samples, at line 40, called by a.Main.loop at line 21:
//   TRACE 300001:
//   	a.Circle.area(<Unknown Source>:40)
//   	a.Main.loop(<Unknown Source>:21)
//   CPU SAMPLES BEGIN (total = 7) Tue Nov 24 23:36:28 2026
//   rank   self  accum   count trace method
//      1 71.43% 71.43%       5 300001 a.Circle.area
Status WriteHprof(const Profile& profile, const ExportOptions& options, ByteSink& sink);
// "depth=4,cutoff=0.0001,lineno=y,thread=n", any of them; see ExportFormat::parse.
std::string ParseHprofOptions(std::string_view text, ExportOptions& options);

// The text of lcov's tracefiles, which genhtml and many services read: a record for each source file, with a method's first line and
// calls (FN, FNDA), the ways of branches (BRDA: line, number of the branch in its line, way in the order of the code, executions;
// '-' if the branch never ran), and executions of lines (DA). A method is "Cart$Item.total(int;java.lang.String)double", without commas,
// which end names there.
Status WriteLcov(const Profile& profile, const ExportOptions& options, ByteSink& sink);

// The XML of JaCoCo's reports (report.dtd 1.1): packages, classes, methods, lines, with instructions and ways of branches that ran and
// that did not. It has no counts of executions.
Status WriteJacoco(const Profile& profile, const ExportOptions& options, ByteSink& sink);

}  // namespace iprof
