// WriteReportData: the data of a report's page as JSON, cut to a size.
//
// What is cut: frames of the flame graph with the smallest shares; details of the least important methods; their bytecode;
// sources. The data say how much is left out of what, so that the page can say it, too.
//
// The value is one object. Counts are a number, or a pair [old, new] in a comparison. "Method" below is a number in
// "methods", "type" one in "types".
//   version   1
//   tool      version of the tool
//   profiles  [one or two of: file, format, types, methods, methods_that_ran, hot, agent, runs, older_runs, notes, sampling, tables, image, packages]
//             hot is {methods, all_methods, code_bytes, all_code_bytes, unknown_lengths} (writer/ops/hot_set.h)
//   types     [name …]
//   jdk       [type …] that belong to the JDK
//   methods   [[name, [declaring type, return type, parameter type …], [calls, self, total, branches, receivers, mark
//               of how sure they are (writer/profile/sureness.h), if it is known], sites, positions, callers, callees, code] …], most important first; a row may end before the sites or the code
//     site      [table, bci, line or 0, total, [key, count, …], outcomes left out, name of the callee if it is known];
//               key: successor's bci, or type
//     position  [bci, line or 0, self, total]
//     edge      [method, samples, calls], as call_edges.h has them, the first ones
//     code      {file, lines: [bci, line, …], code: [[bci, mnemonic, operand, [target …], callee method or -1] …],
//               blocks: [bci, executions or null, …], first_line, source: [text …]}
//   flame     [[depth, method or -1, weight, line (or -1 - bci), weight there, frames] …], in preorder; one flat list
//   seconds   [second …] in which periods begin, ascending, with the end of the last one (0: it has none), and
//   times     [period, or [period, weight, …]; …]: for each frame of the flame graph, the period that has all of its samples, or
//             those that have some; if samples know when they were taken (writer/base/time_period.h)
//   threads   [[name, samples, flame, times] …], most samples first, if samples know their threads: the flame graph of each
//   monitors  [type, count, …]
//   events    what report_events.h says, if allocations or waits were recorded; not in a comparison
//   fits      [package, weight, relevant, applicable, …] and all_fits, if class files were compared
//   changes   [[table, scope (writer/ops/diff.h), method or -1, text, bci, importance, movement, [shares], [counts], [[name, old, new] …]] …]
//   cut       {methods, all_methods: with details; shares: {table: share of these}, frames, all_frames, most_edges, undrawn,
//              asked_for_code, with_code, sources_left_out}
//
// Guarantees: no '<' in the text. The text has about `most_bytes` at most, and sources come on top of that with as much again. Deterministic.
// Threads: any, if `listings` is not shared. Failure: none but std::bad_alloc.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/views/report/method_listing.h"
#include "writer/profile/model.h"

namespace iprof {

struct ReportInput {
  std::string file;                  // as the page names it
  const Profile* profile = nullptr;  // without threads and periods
  // The same with them, in a report about one profile; null: samples do not know them.
  const Profile* labelled = nullptr;
};

// How much of what the profile says of a package fits the class files of a build: weights.
struct ClassFit {
  std::string package;  // empty: none
  int64_t weight = 0;
  int64_t relevant = 0;    // of methods that exist
  int64_t applicable = 0;  // of these: at positions that the code has
};

struct ReportOptions {
  std::string tool;
  size_t most_bytes = size_t{3} << 20;
  ListingSource* listings = nullptr;  // null: no bytecode
  std::vector<ClassFit> fits;         // the heaviest packages first; empty: not compared
};

// One profile, or the old one and the new one.
std::string WriteReportData(std::span<const ReportInput> inputs, const ReportOptions& options);

}  // namespace iprof
