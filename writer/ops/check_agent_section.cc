#include "writer/ops/check_agent_section.h"

#include "writer/profile/io/agent_section.h"
#include "writer/profile/io/code_part.h"
#include "writer/profile/io/context_form.h"
#include "writer/profile/io/position_part.h"
#include "writer/profile/io/run_note.h"
#include "writer/profile/io/snapshot_note.h"
#include "writer/profile/io/source_lines.h"
#include "writer/profile/io/split_part.h"

namespace iprof {

void CheckAgentSection(std::string_view json, const AgentSectionFinding& report) {
  AgentSection section;
  section.Add(kAgentKey, json);
  switch (section.form()) {
    case AgentSection::Form::kNone:
      return;
    case AgentSection::Form::kMalformed:
      report(Rule::kAgentSection, section.fault().member, section.fault().found,
             section.fault().expected);
      return;
    case AgentSection::Form::kNewer:
      report(
          Rule::kAgentSectionVersion, "version", std::to_string(section.version()),
          std::to_string(kAgentKeyVersion) + "; a section of another version is kept but not read");
      return;
    case AgentSection::Form::kReadable:
      break;
  }
  const auto code = section.Part(kCodePart);
  if (code && !IsCodePart(*code)) {
    return report(Rule::kAgentSection, kCodePart, "an object of another shape",
                  "36 bits, six digits for the names, and six or '-' for each recorded method");
  }
  const auto positions = section.Part(kPositionsPart);
  if (positions && !IsPositionPart(*positions)) {
    return report(Rule::kAgentSection, kPositionsPart, "an object of another shape",
                  "a hash of the positions, their lines, and the callees with their names");
  }
  const auto runs = section.Part(kProvenancePart);
  if (runs && !RunList().AddJson(*runs)) {
    return report(Rule::kAgentSection, kProvenancePart, "an object of another shape",
                  "a list of runs");
  }
  const auto snapshot = section.Part(kSnapshotPart);
  if (snapshot && !SnapshotNote::Parse(*snapshot)) {
    return report(Rule::kAgentSection, kSnapshotPart, "an object of another shape",
                  "what was recovered from a raw file");
  }
  const auto split = section.Part(kSplitPart);
  if (split && !IsSplitPart(*split)) {
    return report(Rule::kAgentSection, kSplitPart, "an object of another shape",
                  "stacks, each with its weight and where its pieces begin and end");
  }
  const auto contexts = section.Part(kContextsPart);
  if (contexts && !IsInclusivePart(*contexts)) {
    return report(Rule::kAgentSection, kContextsPart, "an object of another shape",
                  R"({"form":"inclusive"}, or no such part)");
  }
  const auto lines = section.Part(kLinesPart);
  if (lines && !SourceLines().AddJson(*lines)) {
    report(Rule::kAgentSection, kLinesPart, "an object of another shape",
           "methods with a line for each position");
  }
}

}  // namespace iprof
