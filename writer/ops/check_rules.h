// The rules of the iprof format that CheckProfile knows, one enum value each.
//
// A rule is an error if a profile that breaks it is rejected, is misread or crashes its
// consumer, or if the format's document forbids it. It is doubtful if the profile is legal but
// probably not what its author intended. The names are printed and never change, so that scripts
// can filter by them.
//
// Guarantees: constant data. Threads: any. Failure: none.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace iprof {

// Rule::kFewExecutions: a larger share of the calls that is estimated from few executions is a finding.
inline constexpr double kMostDoubtful = 0.1;

enum class Rule : uint8_t {
  kShape,
  kVersion,
  kTypeId,
  kTypeIdRepeated,
  kTypeNameRepeated,
  kTypeName,
  kTypeStandardId,
  kMethodId,
  kMethodIdRepeated,
  kMethodRepeated,
  kMethodName,
  kMethodSignatureLength,
  kMethodSignatureType,
  kContextMethod,
  kContextRepeated,
  kContextBci,
  kContextBeyondEnd,
  kContextInclusive,
  kCallContextBci,
  kMonitorContext,
  kMonitorEntries,
  kRecordLength,
  kRecordType,
  kCountNegative,
  kCountZero,
  kSuccessorIndex,
  kSuccessorRepeatedKey,
  kBranchOutcomes,
  kReceiverSum,
  kAgentSection,
  kCountImpossible,
  // Doubtful:
  kTypeNameForm,
  kTypeNameUnstable,
  kTypeStandardMissing,
  kTypeStandardElsewhere,
  kMethodSignatureVoid,
  kContextBciNegative,
  kSuccessorBciNegative,
  kSuccessorAllZero,
  kSuccessorIndexGap,
  kSuccessorBciAmbiguous,
  kSuccessorIndexAmbiguous,
  kSuccessorTripleRepeated,
  kReceiverRepeated,
  kReceiverOrder,
  kSampleBlocked,
  kSampleLinkage,
  kInstanceOfSpelling,
  kInstanceOfVersion,
  kUnknownMember,
  kAgentSectionVersion,
  kBranchFolded,
  kFewExecutions,
};

struct RuleInfo {
  Rule rule;
  std::string_view name;
  bool doubtful;
  std::string_view meaning;  // one sentence
};

// In the order of the enum.
std::span<const RuleInfo> AllRules();
const RuleInfo& InfoOf(Rule rule);

}  // namespace iprof
