// For each rule there is a file that breaks it and no other rule; a valid file breaks none.
#include "writer/ops/check.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <vector>

#include "writer/ops/check_names.h"
#include "writer/profile/code_hashes.h"
#include "writer/profile/io/agent_section.h"
#include "writer/profile/io/code_part.h"

namespace iprof {
namespace {

const char kTypes[] =
    R"({"id":0,"name":"boolean"},{"id":1,"name":"byte"},{"id":2,"name":"short"},)"
    R"({"id":3,"name":"char"},{"id":4,"name":"int"},{"id":5,"name":"float"},)"
    R"({"id":6,"name":"long"},{"id":7,"name":"double"},{"id":8,"name":"void"},)"
    R"({"id":9,"name":"java.lang.Object"},{"id":10,"name":"a.Main"},{"id":11,"name":"a.Shape"})";
const char kMethods[] = R"({"id":1,"name":"main","signature":[10,8]},)"
                        R"({"id":2,"name":"area","signature":[11,4,4]})";

// A file with these sections; more types and methods come after the usual ones.
struct File {
  std::string version = "1.1.0";
  std::string more_types = {};
  std::string more_methods = {};
  std::string tables = {};

  std::string Text() const {
    return R"({"version":")" + version + R"(","types":[)" + kTypes + more_types +
           R"(],"methods":[)" + kMethods + more_methods + "]" + tables + "}";
  }
};

std::vector<Finding> FindingsOf(const std::string& text, bool strict = true) {
  std::vector<Finding> findings;
  const auto counts =
      CheckProfileText(text, {.strict = strict}, [&](const Finding& f) { findings.push_back(f); });
  if (!counts.ok()) FAIL(counts.status().message() << "\nin " << text);
  return findings;
}

std::string Describe(const std::vector<Finding>& findings) {
  std::string out;
  for (const Finding& f : findings) {
    out += std::string(InfoOf(f.rule).name) + " at " + f.path + ": found " + f.found +
           ", expected " + f.expected + "\n";
  }
  return out;
}

struct Case {
  Rule rule;
  std::string path;  // where the violation is
  File file;
};

File Types(const std::string& types) { return {.more_types = "," + types}; }
File Methods(const std::string& methods) { return {.more_methods = "," + methods}; }
File Entry(const std::string& table, const std::string& ctx, const std::string& records) {
  return {.tables = ",\"" + table + "\":[{\"ctx\":\"" + ctx + "\",\"records\":[" + records + "]}]"};
}
File Branch(const std::string& records) { return Entry("conditionalProfiles", "1:3", records); }
File Receivers(const std::string& records) {
  return Entry("virtualInvokeProfiles", "1:3", records);
}

// With hashes of the code of the methods that have entries: six digits each, or '-'.
File Hashed(File file, const std::string& hashes) {
  file.tables += R"(,"iprofagent":{"version":1,"code":{"bits":36,"methods":"AAAAAA","hashes":")" +
                 hashes + R"("}})";
  return file;
}

// Says that the code of main, of which an entry of calls is needed, has so many bytes.
std::string CodeOfMain(uint32_t length) {
  Profile profile;
  profile.AddStandardTypes();
  const TypeIndex owner = profile.AddType("a.Main");
  const TypeIndex signature[] = {owner, TypeIndex{8}};
  const MethodIndex main = profile.AddMethod("main", signature);
  profile.AddCount(Table::kCalls, profile.AddContext(kNoContext, main, 0), 1);
  profile.SetCodeHash(main, WithCodeLength(~uint64_t{0}, length));
  NoteCodeHashes(profile);
  return R"(,"iprofagent":{"version":1,"code":)" + std::string(*AgentPart(profile, kCodePart)) +
         "}";
}
File SampleAt(Bci bci, uint32_t length, const std::string& called = "1") {
  return {.tables = R"(,"callCountProfiles":[{"ctx":")" + called +
                    R"(:0","records":[5]}],"samplingProfiles":[{"ctx":"2:1<1:)" +
                    std::to_string(bci) + R"(","records":[3]}])" + CodeOfMain(length)};
}

std::vector<Case> Cases() {
  const std::string blocking = R"({"id":5,"name":"wait0","signature":[9,8,6]})";
  const std::string linkage_type = R"({"id":20,"name":"java.lang.invoke.LambdaForm$MH/0x1"})";
  const std::string sample = R"(,"samplingProfiles":[{"ctx":"5:1<1:2","records":[3]}])";
  const std::string two_calls =
      R"(,"callCountProfiles":[{"ctx":"1:0","records":[3]},{"ctx":"01:0","records":[4]}])";
  const std::string two_monitors =
      R"(,"monitorProfiles":[{"ctx":"0:0","records":[10,1]},{"ctx":"0:0","records":[11,1]}])";
  const std::string odd_member = R"(,"callCountProfiles":[{"ctx":"1:0","records":[3],"x":1}])";
  const std::string schema_spelling = R"(,"instanceofProfiles":[{"ctx":"1:3","records":[10,1]}])";
  const std::string instance_of = R"(,"instanceOfProfiles":[{"ctx":"1:3","records":[10,1]}])";
  return {
      {Rule::kShape, "$.types[12].name", Types(R"({"id":12,"name":7})")},
      {Rule::kShape, "$.callCountProfiles[0].ctx", Entry("callCountProfiles", "1:0<", "1")},
      {Rule::kVersion, "$.version", {.version = "2.0.0"}},
      {Rule::kVersion, "$.version", {.version = "0.2.0"}},
      {Rule::kVersion, "$.version", {.version = "one"}},
      {Rule::kVersion, "$.version", {.version = "1.1.0-rc1"}},
      {Rule::kShape, "$.x", {.tables = R"(,"x":1,"x":2)"}},
      {Rule::kTypeId, "$.types[12].id", Types(R"({"id":-3,"name":"a.C"})")},
      {Rule::kTypeId, "$.types[12].id", Types(R"({"id":4611686018427387905,"name":"a.C"})")},
      {Rule::kTypeIdRepeated, "$.types[12].id", Types(R"({"id":11,"name":"a.C"})")},
      {Rule::kTypeNameRepeated, "$.types[12].name", Types(R"({"id":12,"name":"a.Main"})")},
      {Rule::kTypeName, "$.types[12].name", Types(R"({"id":12,"name":""})")},
      {Rule::kMethodId, "$.methods[2].id", Methods(R"({"id":-1,"name":"m","signature":[10,8]})")},
      {Rule::kMethodId, "$.methods[2].id",
       Methods(R"({"id":4611686018427387905,"name":"m","signature":[10,8]})")},
      {Rule::kMethodIdRepeated, "$.methods[2].id",
       Methods(R"({"id":2,"name":"m","signature":[10,8]})")},
      {Rule::kMethodRepeated, "$.methods[2]",
       Methods(R"({"id":3,"name":"area","signature":[11,4,4]})")},
      {Rule::kMethodName, "$.methods[2].name", Methods(R"({"id":3,"name":"","signature":[10,8]})")},
      {Rule::kMethodSignatureLength, "$.methods[2].signature",
       Methods(R"({"id":3,"name":"m","signature":[10]})")},
      {Rule::kMethodSignatureType, "$.methods[2].signature[2]",
       Methods(R"({"id":3,"name":"m","signature":[10,8,77]})")},
      {Rule::kContextMethod, "$.callCountProfiles[0].ctx",
       Entry("callCountProfiles", "1:0<9:3", "1")},
      {Rule::kContextRepeated, "$.callCountProfiles[1].ctx", {.tables = two_calls}},
      {Rule::kContextBci, "$.conditionalProfiles[0].ctx",
       Entry("conditionalProfiles", "1:65535", "9,0,1,4,1,1")},
      {Rule::kContextBci, "$.conditionalProfiles[0].ctx",
       Entry("conditionalProfiles", "1:3<1:-2147483649", "9,0,1,4,1,1")},
      {Rule::kContextBeyondEnd, "$.samplingProfiles[0].ctx", SampleAt(9, 9)},
      {Rule::kContextInclusive,
       "$.callCountProfiles[1]",
       {.tables = R"(,"callCountProfiles":[{"ctx":"1:0<1:3","records":[4]},)"
                  R"({"ctx":"1:0","records":[5]},{"ctx":"1:0<1:4<1:5","records":[2]}],)"
                  R"("iprofagent":{"version":1,"contexts":{"form":"inclusive"}})"}},
      {Rule::kCallContextBci, "$.callCountProfiles[0].ctx", Entry("callCountProfiles", "1:4", "1")},
      {Rule::kMonitorContext, "$.monitorProfiles[0].ctx", Entry("monitorProfiles", "1:0", "10,1")},
      {Rule::kMonitorEntries, "$.monitorProfiles[1]", {.tables = two_monitors}},
      {Rule::kRecordLength, "$.callCountProfiles[0].records",
       Entry("callCountProfiles", "1:0", "1,2")},
      {Rule::kRecordLength, "$.conditionalProfiles[0].records", Branch("1,2")},
      {Rule::kRecordLength, "$.virtualInvokeProfiles[0].records", Receivers("10,1,11")},
      {Rule::kRecordType, "$.virtualInvokeProfiles[0].records[2]", Receivers("10,3,99,1")},
      {Rule::kCountNegative, "$.callCountProfiles[0].records[0]",
       Entry("callCountProfiles", "1:0", "-1")},
      {Rule::kCountNegative, "$.conditionalProfiles[0].records[2]", Branch("9,0,-1,4,1,1")},
      {Rule::kCountZero, "$.samplingProfiles[0].records[0]", Entry("samplingProfiles", "1:0", "0")},
      {Rule::kSuccessorIndex, "$.conditionalProfiles[0].records[4]", Branch("9,0,1,4,2,1")},
      {Rule::kSuccessorIndex, "$.conditionalProfiles[0].records[1]", Branch("9,-1,1,4,0,1")},
      {Rule::kSuccessorRepeatedKey, "$.conditionalProfiles[0].records[0]",
       Branch("-5,0,1,9,0,1,4,1,1")},
      {Rule::kBranchOutcomes, "$.conditionalProfiles[0].records[3]",
       Hashed(Branch("40,0,1,6,1,1,50,2,1"), "AAAAAB")},
      {Rule::kBranchFolded, "$.conditionalProfiles[0].records[3]", Branch("40,0,1,6,1,1,50,2,1")},
      {Rule::kSuccessorBciAmbiguous, "$.conditionalProfiles[0].records[3]",
       Branch("9,0,1,9,1,1,4,2,1")},
      {Rule::kSuccessorBciAmbiguous, "$.conditionalProfiles[0].records[3]",
       Branch("14,0,9000,14,1,1000")},
      {Rule::kReceiverSum, "$.virtualInvokeProfiles[0].records", Receivers("")},
      {Rule::kTypeNameForm, "$.types[12].name", Types(R"({"id":12,"name":"a/b/C"})")},
      {Rule::kTypeNameForm, "$.types[12].name", Types(R"({"id":12,"name":"int[]"})")},
      {Rule::kTypeNameUnstable, "$.types[12].name",
       Types(R"({"id":12,"name":"a.C$$Lambda/0x00007f0123456789"})")},
      {Rule::kMethodSignatureVoid, "$.methods[2].signature[2]",
       Methods(R"({"id":3,"name":"m","signature":[10,8,8]})")},
      {Rule::kContextBciNegative, "$.conditionalProfiles[0].ctx",
       Entry("conditionalProfiles", "1:-1", "9,0,1,4,1,1")},
      {Rule::kSuccessorBciNegative, "$.conditionalProfiles[0].records[0]", Branch("-7,0,1,4,1,1")},
      {Rule::kSuccessorAllZero, "$.conditionalProfiles[0].records[0]", Branch("9,0,0,4,1,0")},
      {Rule::kSuccessorIndexGap, "$.conditionalProfiles[0].records[1]",
       Branch("9,0,1,4,2,1,-5,2,0")},
      {Rule::kSuccessorIndexAmbiguous, "$.conditionalProfiles[0].records[6]",
       Branch("9,0,1,4,1,1,5,1,1")},
      {Rule::kSuccessorTripleRepeated, "$.conditionalProfiles[0].records[6]",
       Branch("9,0,1,4,1,1,9,0,1")},
      {Rule::kReceiverRepeated, "$.virtualInvokeProfiles[0].records[2]", Receivers("10,3,10,1")},
      {Rule::kReceiverOrder, "$.virtualInvokeProfiles[0].records[2]", Receivers("10,1,11,3")},
      {Rule::kSampleBlocked,
       "$.samplingProfiles[0].ctx",
       {.more_methods = "," + blocking, .tables = sample}},
      {Rule::kSampleLinkage,
       "$.samplingProfiles[0].ctx",
       {.more_types = "," + linkage_type,
        .more_methods = R"(,{"id":5,"name":"invoke","signature":[20,8]})",
        .tables = sample}},
      {Rule::kInstanceOfSpelling, "$.instanceofProfiles", {.tables = schema_spelling}},
      {Rule::kInstanceOfVersion,
       "$.instanceOfProfiles",
       {.version = "1.0.0", .tables = instance_of}},
      {Rule::kUnknownMember, "$.callCountProfiles[0].x", {.tables = odd_member}},
      {Rule::kCountImpossible,
       "$.iprofagent.harvest",
       {.tables =
            R"(,"callCountProfiles":[{"ctx":"1:0","records":[3000000000]}],)"
            R"("conditionalProfiles":[{"ctx":"1:1","records":[9,0,3000000000,4,1,3000000000]}],)"
            R"("iprofagent":{"version":1,"harvest":{"source":"methoddata","cpu_ms":1000}})"}},
      {Rule::kFewExecutions,
       "$.iprofagent.code",
       {.tables = R"(,"callCountProfiles":[{"ctx":"1:0","records":[99]}],)"
                  R"("iprofagent":{"version":1,"code":)"
                  R"({"bits":36,"methods":"abcdef","hashes":"-","sureness":"C"}})"}},
      {Rule::kAgentSection,
       "$.iprofagent.code",
       {.tables = R"(,"iprofagent":{"version":1,"code":)"
                  R"({"bits":36,"methods":"abcdef","hashes":"-","sureness":"?"}})"}},
      {Rule::kAgentSection, "$.iprofagent", {.tables = R"(,"iprofagent":[])"}},
      {Rule::kAgentSection,
       "$.iprofagent.split",
       {.tables =
            R"(,"samplingProfiles":[{"ctx":"2:7","records":[39]}],"iprofagent":{"version":1,"split":{)"
            R"("sites":0,"complete":true,"whole":[["2:7<1:5",40,0,1]]}})"}},
      {Rule::kAgentSection,
       "$.iprofagent.lines",
       {.tables = R"(,"iprofagent":{"version":1,"lines":1})"}},
      {Rule::kAgentSectionVersion,
       "$.iprofagent.version",
       {.tables = R"(,"iprofagent":{"version":2})"}},
  };
}

TEST_CASE(
    "positions before the end of the code are right, and lengths of other methods say nothing") {
  CHECK(Describe(FindingsOf(SampleAt(8, 9).Text())).empty());
  CHECK(Describe(FindingsOf(SampleAt(9, 9, "2").Text())).empty());
  CHECK(Describe(FindingsOf(SampleAt(9, 0).Text())).empty());
}

TEST_CASE("calls that are estimated from few executions are doubtful, as far as they are many") {
  const auto findings = [](const std::string& calls, const std::string& marks) {
    const File file{.tables = R"(,"callCountProfiles":[{"ctx":"1:0","records":[)" + calls +
                              R"(]},{"ctx":"2:0","records":[10]}],"iprofagent":{"version":1,)" +
                              R"("code":{"bits":36,"methods":"abcdef","hashes":"--","sureness":")" +
                              marks + R"("}})"};
    return Describe(FindingsOf(file.Text()));
  };
  CHECK(findings("90", "Me").empty());
  CHECK(findings("1", "eC").find("1 method holds most of 90.9 % of all calls, estimated from 4 "
                                 "executions") != std::string::npos);
  CHECK(findings("1", "eg").find("estimated from 0 executions") != std::string::npos);
  CHECK(findings("90", "eC").empty());
  CHECK(findings("1", "eC+").empty());
  CHECK(findings("1", "eg+").empty());
}

TEST_CASE("a sound profile has no findings, strictly") {
  const File sound{
      .more_types = R"(,{"id":12,"name":"[La.Main;"},{"id":13,"name":"[[I"},)"
                    R"({"id":14,"name":"a.C$$Lambda/0x0123456789abcdef0123456789abcdef0"})",
      .tables =
          R"(,"callCountProfiles":[{"ctx":"1:0","records":[5]},{"ctx":"2:0<1:7","records":[3]}],)"
          R"("conditionalProfiles":[{"ctx":"1:3","records":[53,0,1,14,1,10]},)"
          R"({"ctx":"1:9","records":[40,0,1,48,1,2,-5,0,0,60,2,1]},)"
          R"({"ctx":"1:12","records":[14,0,10000]}],)"
          R"("virtualInvokeProfiles":[{"ctx":"1:7","records":[11,2,10,1]}],)"
          R"("monitorProfiles":[{"ctx":"0:0","records":[10,2]}],)"
          R"("samplingProfiles":[{"ctx":"2:1<1:7","records":[4]}],)"
          R"("instanceOfProfiles":[{"ctx":"1:3","records":[10,1]}],"extra":{"a":[1]},"iprofagent":{"version":1,"lines":{"m":{"0":1}}})"};
  CHECK(Describe(FindingsOf(sound.Text())) == "");
}

TEST_CASE("more than two outcomes need the room of a switch") {
  const auto finds = [](const char* records) {
    const auto findings = FindingsOf(Branch(records).Text());
    return std::any_of(findings.begin(), findings.end(),
                       [](const Finding& f) { return f.rule == Rule::kBranchFolded; });
  };
  // At 3, a switch has no padding. Three targets take a tableswitch with two keys: 13 + 8 bytes.
  CHECK(finds("23,0,1,40,1,1,50,2,1"));
  CHECK_FALSE(finds("24,0,1,40,1,1,50,2,1"));
  CHECK(finds("24,0,1,40,1,1,50,2,1,60,3,1"));
  CHECK_FALSE(finds("28,0,1,40,1,1,50,2,1,60,3,1"));
  CHECK_FALSE(finds("6,0,1,40,1,1"));         // an if
  CHECK_FALSE(finds("24,0,1,1,1,1,50,2,1"));  // a target before the switch
  CHECK(finds("6,0,1,1,1,1,50,2,1"));
  CHECK_FALSE(finds("24,0,1,40,1,1,-5,0,1,-5,1,1"));  // two targets
}

// A branch in each of two methods, as two files have them.
TEST_CASE("branches of images may be folded, those of bytecode may not") {
  const auto rules = [](const std::string& text, bool strict) {
    std::string found;
    for (const Finding& f : FindingsOf(text, strict))
      found += std::string(InfoOf(f.rule).name) + " at " + f.path + "\n";
    return found;
  };
  // As an instrumented image writes it: an `if` with five outcomes, because the build folded a cascade; a switch with
  // those of an inlined one; a successor under several indices.
  const File image{.version = "1.0.0",
                   .tables = R"(,"callCountProfiles":[{"ctx":"2:0<1:7","records":[50]}],)"
                             R"("conditionalProfiles":[)"
                             R"({"ctx":"1:11","records":[20,0,5,14,1,4,33,2,3,46,3,2,59,4,1]},)"
                             R"({"ctx":"2:4<1:7","records":[12,0,9,7,1,8,61,2,7,-5,0,1]},)"
                             R"({"ctx":"2:30<1:7","records":[38,0,9,38,1,8,33,2,7]}])"};
  const std::string folded =
      "branch-folded at $.conditionalProfiles[0].records[3]\n"
      "branch-folded at $.conditionalProfiles[1].records[3]\n";
  const std::string repeated = "successor-bci-ambiguous at $.conditionalProfiles[2].records[3]\n";
  CHECK(rules(image.Text(), false) == "");
  CHECK(rules(image.Text(), true) == repeated + folded);
  // As the agent writes it: two outcomes each, and hashes of the code.
  File own{.version = "1.0.0",
           .tables = R"(,"callCountProfiles":[{"ctx":"2:0","records":[50]}],)"
                     R"("conditionalProfiles":[{"ctx":"1:11","records":[20,0,5,14,1,4]},)"
                     R"({"ctx":"2:4","records":[12,0,9,7,1,8]}])"};
  CHECK(rules(Hashed(own, "AAAAABAAAAAC").Text(), true) == "");
  // An image's branches are no error in a file that also has hashes of other methods, as a merge of both has.
  CHECK(rules(Hashed(image, "AAAAAB-").Text(), false) ==
        "branch-outcomes at $.conditionalProfiles[0].records[3]\n");
  CHECK(rules(Hashed(image, "-AAAAAB").Text(), false) ==
        "branch-outcomes at $.conditionalProfiles[1].records[3]\n");
  CHECK(rules(Hashed(image, "AAAAABAAAAAC").Text(), false) ==
        "branch-outcomes at $.conditionalProfiles[0].records[3]\n"
        "branch-outcomes at $.conditionalProfiles[1].records[3]\n");
  // Hashes that belong to other methods say nothing.
  CHECK(rules(Hashed(image, "AAAAAB").Text(), false) == "");
}

TEST_CASE("each rule has a file that breaks it and nothing else") {
  std::set<Rule> covered;
  for (const Case& c : Cases()) {
    const std::string text = c.file.Text();
    INFO(text);
    const std::vector<Finding> findings = FindingsOf(text);
    INFO("findings:\n" << Describe(findings));
    REQUIRE(findings.size() == 1);
    CHECK(InfoOf(findings[0].rule).name == InfoOf(c.rule).name);
    CHECK(findings[0].path == c.path);
    CHECK(findings[0].offset > 0);
    CHECK(findings[0].offset < text.size());
    // Doubtful findings are reported only on request.
    CHECK(FindingsOf(text, false).size() == (InfoOf(c.rule).doubtful ? 0 : 1));
    covered.insert(c.rule);
  }
  // These need separate files, below.
  covered.insert(Rule::kTypeStandardId);
  covered.insert(Rule::kTypeStandardMissing);
  covered.insert(Rule::kTypeStandardElsewhere);
  std::string missing;
  for (const RuleInfo& info : AllRules()) {
    if (!covered.contains(info.rule)) missing += std::string(info.name) + " ";
  }
  CHECK(missing == "");
}

TEST_CASE("standard types") {
  const auto swapped = FindingsOf(
      R"({"version":"1.0.0","types":[{"id":4,"name":"long"},{"id":5,"name":"a.C"}],"methods":[]})",
      false);
  REQUIRE(swapped.size() == 2);
  CHECK(InfoOf(swapped[0].rule).name == "type-standard-id");
  CHECK(swapped[0].expected == "id 6");
  CHECK(InfoOf(swapped[1].rule).name == "type-standard-id");
  CHECK(swapped[1].expected == "float");
  // Real files of 0.4.0 have other ids: this is doubtful, not an error, wherever the version is in
  // the file.
  const std::string types = R"("types":[{"id":4,"name":"long"},{"id":5,"name":"a.C"}])";
  for (const std::string& old : {R"({"version":"0.4.0",)" + types + R"(,"methods":[]})",
                                 "{" + types + R"(,"methods":[],"version":"0.4.0"})"}) {
    INFO(old);
    CHECK(FindingsOf(old, false).empty());
    const auto doubts = FindingsOf(old);
    CHECK(std::count_if(doubts.begin(), doubts.end(), [](const Finding& f) {
            return f.rule == Rule::kTypeStandardElsewhere;
          }) == 2);
  }
  CHECK(FindingsOf("{" + types + R"(,"methods":[],"version":"1.0.0"})", false).size() == 2);
  const auto none = FindingsOf(R"({"version":"1.0.0","types":[],"methods":[]})");
  CHECK(none.size() == 10);
  CHECK(FindingsOf(R"({"version":"1.0.0","types":[],"methods":[]})", false).empty());
}

TEST_CASE("inclusive contexts with as many executions as their longer ones are right") {
  const auto with = [](const std::string& section) {
    return FindingsOf(File{.tables = R"(,"callCountProfiles":[{"ctx":"1:0<1:3","records":[4]},)"
                                     R"({"ctx":"1:0","records":[6]},)"
                                     R"({"ctx":"1:0<1:4<1:5","records":[2]}])" +
                                     section}
                          .Text());
  };
  CHECK(with(R"(,"iprofagent":{"version":1,"contexts":{"form":"inclusive"}})").empty());
  CHECK(with("").empty());
  const auto malformed = with(R"(,"iprofagent":{"version":1,"contexts":{"form":"nested"}})");
  REQUIRE(malformed.size() == 1);
  CHECK(malformed[0].rule == Rule::kAgentSection);
}

TEST_CASE("all violations are found, with their places") {
  const std::string text = File{.more_methods = R"(,{"id":3,"name":"m","signature":[66,67]})",
                                .tables = R"(,"callCountProfiles":[{"ctx":"8:1","records":[-1]},)"
                                          R"({"ctx":"8:1","records":[0]}])"}
                               .Text();
  const auto findings = FindingsOf(text);
  INFO(Describe(findings));
  std::vector<std::string> rules;
  for (const Finding& f : findings) rules.emplace_back(InfoOf(f.rule).name);
  CHECK(rules == std::vector<std::string>{
                     "method-signature-type", "method-signature-type", "call-ctx-bci", "ctx-method",
                     "count-negative", "ctx-repeated", "call-ctx-bci", "ctx-method", "count-zero"});
  // The offset is that of the context's string.
  CHECK(findings[2].offset == text.find("\"8:1\""));
}

TEST_CASE("tables before types and missing keys") {
  const auto before = FindingsOf(
      R"({"callCountProfiles":[{"ctx":"1:0","records":[1]}],"methods":[],"types":[],"version":"1.0.0"})",
      false);
  REQUIRE(before.size() == 1);
  CHECK(before[0].path == "$.callCountProfiles[0].ctx");
  CHECK(FindingsOf(R"({"types":[]})", false).size() == 2);
}

TEST_CASE("text that is not JSON, or no profile, is bad input, not a finding") {
  for (const char* text : {"", "[1]", "{}", R"({"a":1})", "{\"version\":\"1.0.0\"", "\x1f\x8b"}) {
    const auto checked = CheckProfileText(text, {}, [](const Finding&) {});
    REQUIRE_FALSE(checked.ok());
    CHECK(checked.status().code() == Code::kBadInput);
  }
}

TEST_CASE("the table of rules is in the enum's order and has no name twice") {
  std::set<std::string_view> names;
  for (size_t i = 0; i < AllRules().size(); ++i) {
    CHECK(static_cast<size_t>(AllRules()[i].rule) == i);
    CHECK(names.insert(AllRules()[i].name).second);
  }
}

TEST_CASE("names") {
  for (const char* good : {"a.b.C", "C", "a.C$D", "[I", "[[La.B;", "a.C$$Lambda/0x12",
                           "java.lang.invoke.LambdaForm$DMH/s384ff554"}) {
    CHECK(WrongClassNameForm(good) == "");
  }
  for (const char* bad : {"a/b/C", "La.B;", "[La.B", "[V", "[", "int[]", "a/C"}) {
    INFO(bad);
    CHECK(WrongClassNameForm(bad) != "");
  }
  CHECK(IsUnstableLambdaName("a.C$$Lambda/0x00007f0123456789"));
  CHECK(IsUnstableLambdaName("a.C$$Lambda$14/0x0000000800c03000"));
  CHECK_FALSE(IsUnstableLambdaName("a.C$$Lambda/0x0123456789abcdef0123456789abcdef0"));
  CHECK_FALSE(IsUnstableLambdaName("a.C$$Lambda$5f2b0c7dc4a1bb3d1c6c6a8d0f6f7cbb8d9f0a1b"));
  CHECK(IsBlockingMethod("jdk.internal.misc.Unsafe", "park"));
  CHECK_FALSE(IsBlockingMethod("a.Unsafe", "park"));
}

}  // namespace
}  // namespace iprof
