// ExportFormat: another program's file format that `iprof convert` writes. ExportFormats is the table
// of all of them: command line, help and completions are made from it. To add a format, write a file
// for it beside this one, and add a row to export_format.cc.
//
// Guarantees: a format streams into the sink in a deterministic order, and reads nothing but the
// profile.
// Threads: any, while no other thread changes the profile.
// Failure: `write` fails only if the sink does, with its Status. Throws nothing but std::bad_alloc.
#pragma once

#include <span>
#include <string_view>

#include "writer/base/status.h"
#include "writer/io/byte_stream.h"
#include "writer/model/model.h"

namespace iprof {

struct ExportOptions {
  bool bci = false;                // frames with their bytecode index
  Table stacks = Table::kSamples;  // or kCalls: which contexts are the stacks
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
// Null if there is none of this name.
const ExportFormat* FindExportFormat(std::string_view name);

}  // namespace iprof
