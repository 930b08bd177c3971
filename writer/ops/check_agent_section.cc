#include "writer/ops/check_agent_section.h"

#include "writer/io/agent_section.h"
#include "writer/io/source_lines.h"

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
  const auto lines = section.Part(kLinesPart);
  if (lines && !SourceLines().AddJson(*lines)) {
    report(Rule::kAgentSection, kLinesPart, "an object of another shape",
           "methods with a line for each position");
  }
}

}  // namespace iprof
