// The rules of the iprof format that CheckProfile knows, one enum value each.
//
// A rule is an error where a profile that breaks it is refused, misread or crashes its consumer, or
// where the format's document forbids it; doubtful where the profile is legal but something about
// it is probably not what its maker meant. The names are printed and stable: scripts may filter by
// them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace iprof {

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
  kCallContextBci,
  kMonitorContext,
  kMonitorEntries,
  kRecordLength,
  kRecordType,
  kCountNegative,
  kCountZero,
  kSuccessorIndex,
  kSuccessorRepeatedKey,
  kReceiverSum,
  kAgentSection,
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
