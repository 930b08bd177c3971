#include "writer/ops/check_rules.h"

namespace iprof {
namespace {

constexpr RuleInfo kRules[] = {
    {Rule::kShape, "shape", false,
     "Every key, member and value has the kind that the schema says, and none is missing or "
     "repeated."},
    {Rule::kVersion, "version", false,
     "The version is 0.4.0 or 1.x: three numbers and nothing else."},
    {Rule::kTypeId, "type-id", false, "Type ids are from 0 to 2^62."},
    {Rule::kTypeIdRepeated, "type-id-repeated", false, "No two types have the same id."},
    {Rule::kTypeNameRepeated, "type-name-repeated", false, "No two types have the same name."},
    {Rule::kTypeName, "type-name", false, "A type's name is not empty."},
    {Rule::kTypeStandardId, "type-standard-id", false,
     "Ids 0 to 9 are boolean byte short char int float long double void java.lang.Object."},
    {Rule::kMethodId, "method-id", false, "Method ids are from 0 to 2^62."},
    {Rule::kMethodIdRepeated, "method-id-repeated", false, "No two methods have the same id."},
    {Rule::kMethodRepeated, "method-repeated", false,
     "No two methods have the same declaring type, name and signature."},
    {Rule::kMethodName, "method-name", false, "A method's name is not empty."},
    {Rule::kMethodSignatureLength, "method-signature-length", false,
     "A signature holds at least the declaring type and the return type."},
    {Rule::kMethodSignatureType, "method-signature-type", false,
     "Every type id of a signature is declared."},
    {Rule::kContextMethod, "ctx-method", false, "Every method id of a context is declared."},
    {Rule::kContextRepeated, "ctx-repeated", false,
     "No two entries of one table have the same context."},
    {Rule::kContextBci, "ctx-bci", false,
     "A bci fits into a method: it is at most 65534, and a negative one has 32 bits."},
    {Rule::kContextBeyondEnd, "ctx-beyond-end", false,
     "A bci is within the method's code, where the key iprofagent says how long that is."},
    {Rule::kContextInclusive, "ctx-inclusive", false,
     "Where the key iprofagent says that contexts are inclusive, none has fewer executions than "
     "its "
     "longer contexts together."},
    {Rule::kCallContextBci, "call-ctx-bci", false, "A call count's context begins with bci 0."},
    {Rule::kMonitorContext, "monitor-ctx", false, "The monitors' context is 0:0."},
    {Rule::kMonitorEntries, "monitor-entries", false, "The monitors' table has at most one entry."},
    {Rule::kRecordLength, "record-length", false,
     "Calls and samples hold one count, branches triples, the other tables pairs."},
    {Rule::kRecordType, "record-type", false, "Every type id of a record is declared."},
    {Rule::kCountNegative, "count-negative", false, "No count is negative."},
    {Rule::kCountZero, "count-zero", false, "No count outside of branches is zero."},
    {Rule::kSuccessorIndex, "successor-index", false,
     "A successor's index is at least 0 and less than the number of the site's triples."},
    {Rule::kSuccessorRepeatedKey, "successor-repeated-key", false,
     "A triple with bci -5 shares the index of a triple with a real bci before it."},
    {Rule::kBranchOutcomes, "branch-outcomes", false,
     "An `if` has two outcomes. It is known by a successor that is too near to its position for a "
     "switch, which is itself longer. Of files without hashes of code, see branch-folded."},
    {Rule::kReceiverSum, "receiver-sum", false,
     "The counts of a virtual call sum up to more than 0."},
    {Rule::kAgentSection, "iprofagent", false,
     "The key iprofagent holds a version, a positive integer, and parts as that version has them."},
    {Rule::kCountImpossible, "count-impossible", false,
     "A harvest has no more calls and branches than a processor executes in the time that the "
     "program had used: 8 in a nanosecond."},
    {Rule::kTypeNameForm, "type-name-form", true, "A type's name is what Class.getName() returns."},
    {Rule::kTypeNameUnstable, "type-name-unstable", true,
     "A lambda's class has a stable name, not the address that one JVM gave it."},
    {Rule::kTypeStandardMissing, "type-standard-missing", true,
     "The ten standard types are declared."},
    {Rule::kTypeStandardElsewhere, "type-standard-elsewhere", true,
     "The standard types have ids 0 to 9 before version 1.0.0, too; real files of 0.4.0 have "
     "others."},
    {Rule::kMethodSignatureVoid, "method-signature-void", true,
     "No parameter is void and no declaring type primitive."},
    {Rule::kContextBciNegative, "ctx-bci-negative", true, "No bci of a context is negative."},
    {Rule::kSuccessorBciNegative, "successor-bci-negative", true,
     "No successor's bci is negative, except -5."},
    {Rule::kSuccessorAllZero, "successor-all-zero", true,
     "Some successor was taken: the consumer ignores a site of zeros."},
    {Rule::kSuccessorIndexGap, "successor-index-gap", true,
     "Indices number the targets from 0 without gaps."},
    {Rule::kSuccessorBciAmbiguous, "successor-bci-ambiguous", true,
     "One successor bci has one index, with the sum where several edges lead there: the consumer "
     "matches by bci alone and takes the last."},
    {Rule::kSuccessorIndexAmbiguous, "successor-index-ambiguous", true,
     "One index has one real bci."},
    {Rule::kSuccessorTripleRepeated, "successor-triple-repeated", true,
     "A target's bci appears once, with the sum; older files have its further keys with -5."},
    {Rule::kReceiverRepeated, "receiver-repeated", true, "A class appears once in a record."},
    {Rule::kReceiverOrder, "receiver-order", true,
     "Classes stand in order of count, largest first."},
    {Rule::kSampleBlocked, "sample-blocked", true,
     "No sample waits, sleeps or is parked: the consumer drops such samples."},
    {Rule::kSampleLinkage, "sample-linkage", true,
     "No sample has frames of hidden linkage classes, which no image contains."},
    {Rule::kInstanceOfSpelling, "instanceof-spelling", true,
     "The instanceof table is spelled instanceOfProfiles, as the consumer reads it."},
    {Rule::kInstanceOfVersion, "instanceof-version", true,
     "Only version 1.1.0 and later have an instanceof table."},
    {Rule::kUnknownMember, "unknown-member", true, "The format knows every member."},
    {Rule::kAgentSectionVersion, "iprofagent-version", true,
     "The key iprofagent has a version that this tool can read."},
    {Rule::kBranchFolded, "branch-folded", true,
     "An `if` has two outcomes. Image builds fold several into one switch and inline, so their "
     "profiles have more, also in other methods. Files with hashes of code come from the "
     "bytecode: see branch-outcomes."},
    {Rule::kFewExecutions, "few-executions", true,
     "At most a tenth of the calls is estimated from few executions, or guessed."},
};

}  // namespace

std::span<const RuleInfo> AllRules() { return kRules; }

const RuleInfo& InfoOf(Rule rule) { return kRules[static_cast<size_t>(rule)]; }

}  // namespace iprof
