#include "writer/ops/check_agent_section.h"

#include <string>

#include "writer/profile/io/agent_section.h"
#include "writer/profile/io/part_rules.h"

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
  for (const PartRule& rule : PartRules()) {
    const auto part = section.Part(rule.part);
    if (!part || rule.is_valid(*part)) continue;
    return report(Rule::kAgentSection, rule.part, "an object of another shape",
                  std::string(rule.shape));
  }
}

}  // namespace iprof
