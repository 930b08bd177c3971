// ExportFormat: another program's file format that `iprof convert` writes. ExportFormats is the table
// of all of them: command line, help and completions are made from it. To add a format, write a file
// with its function beside this one, declare it here, and add a row to export_format.cc.
//
// Guarantees: a format streams into the sink in a deterministic order, and reads nothing but the
// profile. The thread of a stack, if it is known (writer/profile/sample_threads.h), is its outermost frame: "[main]".
// Threads: any, while no other thread changes the profile.
// Failure: `write` fails only if the sink does, with its Status. Throws nothing but std::bad_alloc.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "writer/base/status.h"
#include "writer/profile/event_tables.h"
#include "writer/profile/io/byte_stream.h"
#include "writer/profile/model.h"

namespace iprof {

struct ExportOptions {
  bool bci = false;                // frames with their bytecode index
  Table stacks = Table::kSamples;  // or kCalls: which contexts are the stacks
  // Of allocations and waits. The collapsed stacks are theirs, and other formats have nothing else; pprof has all, and this one
  // is the default.
  std::optional<EventValue> value = std::nullopt;
};

struct ExportFormat {
  std::string_view name;
  std::string_view help;    // what it is, a few words
  bool takes_bci = false;   // ExportOptions::bci has an effect
  bool one_table = false;   // it holds the stacks of one table, ExportOptions::stacks
  bool compressed = false;  // such files are always compressed, with any name
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

}  // namespace iprof
