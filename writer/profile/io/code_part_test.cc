// What survives writing and reading, and what is noticed.
#include "writer/profile/io/code_part.h"

#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <string>

#include "writer/profile/code_hashes.h"
#include "writer/profile/io/agent_section.h"
#include "writer/profile/io/position_part.h"
#include "writer/profile/io/reader.h"
#include "writer/profile/io/writer.h"

namespace iprof {
namespace {

// Methods m0, m1 … of class a.A; method i is recorded unless i % 3 == 2.
Profile Methods(size_t count) {
  Profile profile;
  profile.AddStandardTypes();
  const TypeIndex signature[] = {profile.AddType("a.A"), TypeIndex{8}};
  for (size_t i = 0; i < count; ++i) {
    const MethodIndex method = profile.AddMethod("m" + std::to_string(i), signature);
    if (i % 3 == 0) profile.AddCount(Table::kCalls, profile.AddContext(kNoContext, method, 0), 5);
    if (i % 3 == 1) {
      profile.AddSuccessors(profile.AddContext(kNoContext, method, 4),
                            std::vector<Successor>{{9, 0, 1}, {7, 1, 2}});
    }
  }
  return profile;
}

std::map<std::string, uint64_t> HashesIn(const Profile& profile) {
  std::map<std::string, uint64_t> hashes;
  for (const MethodIndex method : MethodsOf(profile)) {
    if (profile.CodeHash(method) != 0)
      hashes[profile.DescribeMethod(method)] = profile.CodeHash(method);
  }
  return hashes;
}

TEST_CASE("hashes of recorded methods survive, the others are not written") {
  std::mt19937_64 random(7);
  Profile profile = Methods(50);
  for (const MethodIndex method : MethodsOf(profile)) {
    if (static_cast<uint32_t>(method) % 5 != 1) profile.SetCodeHash(method, random() | 1);
  }
  NoteCodeHashes(profile);
  const Result<std::string> text = WriteProfileText(profile);
  REQUIRE(text.ok());
  const Result<Profile> read = ReadProfileText(*text);
  REQUIRE(read.ok());
  std::map<std::string, uint64_t> recorded = HashesIn(profile);
  std::erase_if(recorded, [](const auto& each) {
    return std::stoi(each.first.substr(std::string("a.A.m").size())) % 3 == 2;
  });
  CHECK(HashesIn(*read) == recorded);
  CHECK(recorded.size() > 20);
}

TEST_CASE("a hash keeps its high bits and the code's length, and a known one never becomes 0") {
  Profile profile = Methods(1);
  profile.SetCodeHash(MethodIndex{0}, 0xfedcba9876543210);
  CHECK(profile.CodeHash(MethodIndex{0}) == 0xfedcba9870003210);
  CHECK(CodeLengthIn(profile.CodeHash(MethodIndex{0})) == 0x3210);
  CHECK(IsSameCode(profile.CodeHash(MethodIndex{0}), 0xfedcba9870000000));
  profile.SetCodeHash(MethodIndex{0}, 1);
  CHECK(profile.CodeHash(MethodIndex{0}) != 0);
}

TEST_CASE("lengths are read back; a part of before has none, and its hashes are the same") {
  Profile profile = Methods(6);
  uint32_t length = 1;
  for (const MethodIndex method : MethodsOf(profile))
    profile.SetCodeHash(method, WithCodeLength(UINT64_MAX, length = (length * 37) % 65'521));
  NoteCodeHashes(profile);
  const std::string part(*AgentPart(profile, kCodePart));
  const auto loaded = [](const std::string& text) {
    Profile other = Methods(6);
    SetAgentPart(other, kCodePart, text);
    CHECK(LoadCodeHashes(other) == CodePartForm::kFits);
    return other;
  };
  const Profile again = loaded(part);
  const Profile before = loaded(part.substr(0, part.find(",\"lengths")) + "}");
  size_t compared = 0;
  for (const MethodIndex method : MethodsOf(profile)) {
    if (again.CodeHash(method) == 0) continue;  // not recorded
    ++compared;
    CHECK(again.CodeHash(method) == profile.CodeHash(method));
    CHECK(IsSameCode(before.CodeHash(method), profile.CodeHash(method)));
    CHECK(CodeLengthIn(before.CodeHash(method)) == 0);
  }
  CHECK(compared > 2);
}

TEST_CASE("without hashes there is no part, and an old one is removed") {
  Profile profile = Methods(3);
  NoteCodeHashes(profile);
  CHECK(profile.extras().empty());
  profile.SetCodeHash(MethodIndex{0}, 1);
  NoteCodeHashes(profile);
  CHECK(AgentPart(profile, kCodePart));
  profile.ForgetCodeHashes();
  NoteCodeHashes(profile);
  CHECK_FALSE(AgentPart(profile, kCodePart));
}

TEST_CASE("hashes of other methods are noticed, and not used") {
  Profile profile = Methods(6);
  for (const MethodIndex method : MethodsOf(profile)) profile.SetCodeHash(method, UINT64_MAX);
  NoteCodeHashes(profile);
  const std::string section(profile.extras()[0].json);
  const auto load_into = [&](Profile other) {
    other.SetExtra(kAgentKey, section);
    const CodePartForm form = LoadCodeHashes(other);
    CHECK(other.has_code_hashes() == (form == CodePartForm::kFits));
    return form;
  };
  CHECK(load_into(Methods(6)) == CodePartForm::kFits);
  CHECK(load_into(Methods(7)) == CodePartForm::kOther);
  // As many recorded methods, but others.
  Profile renamed;
  renamed.AddStandardTypes();
  const TypeIndex signature[] = {renamed.AddType("a.B"), TypeIndex{8}};
  for (int i = 0; i < 4; ++i) {
    const MethodIndex method = renamed.AddMethod("m" + std::to_string(i), signature);
    renamed.AddCount(Table::kCalls, renamed.AddContext(kNoContext, method, 0), 1);
  }
  CHECK(load_into(std::move(renamed)) == CodePartForm::kOther);
}

TEST_CASE("names that would take hours are not hashed") {
  Profile profile;
  profile.AddStandardTypes();
  const std::vector<TypeIndex> signature(257, profile.AddType(std::string(65'535, 'T')));
  for (int m = 0; m < 40; ++m) {
    const MethodIndex method = profile.AddMethod("m" + std::to_string(m), signature);
    profile.AddCount(Table::kCalls, profile.AddContext(kNoContext, method, 0), 1);
    profile.SetCodeHash(method, UINT64_MAX);
    profile.notes().SetLine(method, 0, 7);
  }
  NoteCodeHashes(profile);
  WritePositionNotes(profile);
  CHECK(profile.extras().empty());
  SetAgentPart(profile, kCodePart,
               R"({"bits":36,"methods":"000000","hashes":")" + std::string(40, '-') + "\"}");
  CHECK(LoadCodeHashes(profile) == CodePartForm::kOther);
}

// The marks of the methods, absent ones as dots.
std::string MarksIn(const Profile& profile) {
  std::string marks;
  for (const MethodIndex method : MethodsOf(profile)) {
    const Sureness sureness = profile.SurenessOf(method);
    marks += sureness.is_present() ? sureness.Mark() : ".";
  }
  return marks;
}

std::string ReadBack(const Profile& profile) {
  const Result<std::string> text = WriteProfileText(profile);
  const Result<Profile> read = text.ok() ? ReadProfileText(*text) : text.status();
  return read.ok() ? MarksIn(*read) : read.status().message();
}

TEST_CASE("how sure methods are is read back, also without hashes") {
  Profile profile = Methods(9);  // of which 2, 5 and 8 are not recorded
  for (const uint32_t method : {0U, 1U, 2U, 3U})
    profile.AddSureness(MethodIndex{method}, Sureness::Exact());
  profile.AddSureness(MethodIndex{4}, Sureness::EstimatedFrom(5000));
  profile.AddSureness(MethodIndex{6}, Sureness::EstimatedFrom(0));
  NoteCodeHashes(profile);
  CHECK_THAT(std::string(*AgentPart(profile, kCodePart)), Catch::Contains(R"("sureness":"e3Mge")"));
  CHECK(ReadBack(profile) == "ee.eM.ge.");
}

TEST_CASE("that only the calls were counted is read back") {
  Profile profile = Methods(5);  // of which 2 is not recorded
  const Sureness guessed = Sureness::Of(Sureness::Exact(), Sureness::EstimatedFrom(0));
  for (const uint32_t method : {0U, 1U}) profile.AddSureness(MethodIndex{method}, guessed);
  profile.AddSureness(MethodIndex{3}, Sureness::EstimatedFrom(0));
  profile.AddSureness(MethodIndex{4},
                      Sureness::Of(Sureness::Bounded(), Sureness::EstimatedFrom(5)));
  NoteCodeHashes(profile);
  CHECK_THAT(std::string(*AgentPart(profile, kCodePart)),
             Catch::Contains(R"("sureness":"g+2gC+")"));
  CHECK(ReadBack(profile) == "g+g+.gC+");
}

TEST_CASE("the least sure of what is added counts") {
  Profile profile = Methods(1);
  CHECK_FALSE(profile.has_sureness());
  profile.AddSureness(MethodIndex{0}, Sureness());
  CHECK_FALSE(profile.has_sureness());
  profile.AddSureness(MethodIndex{0}, Sureness::EstimatedFrom(100));
  profile.AddSureness(MethodIndex{0}, Sureness::Exact());
  CHECK(profile.SurenessOf(MethodIndex{0}) == Sureness::EstimatedFrom(64));
}

TEST_CASE("a profile in which all is as usual has no marks") {
  Profile exact = Methods(3);
  exact.AddSureness(MethodIndex{0}, Sureness::Exact());
  exact.AddSureness(MethodIndex{1}, Sureness::Exact());
  NoteCodeHashes(exact);
  CHECK(exact.extras().empty());
  CHECK_FALSE(exact.has_sureness());
  // In a harvest, exact methods are not usual.
  SetAgentPart(exact, kHarvestPart, R"({"source":"methoddata"})");
  exact.AddSureness(MethodIndex{0}, Sureness::Exact());
  exact.AddSureness(MethodIndex{1}, Sureness::Exact());
  NoteCodeHashes(exact);
  CHECK(ReadBack(exact) == "ee.");
}

TEST_CASE("when methods were first called is read back, also without hashes") {
  Profile profile = Methods(9);  // of which 2, 5 and 8 are not recorded
  profile.AddFirstCall(MethodIndex{4}, {1, 1});
  profile.AddFirstCall(MethodIndex{0}, {2, 1});
  profile.AddFirstCall(MethodIndex{0}, {40, 1});
  profile.AddFirstCall(MethodIndex{6}, {INT64_MAX, INT64_MAX});
  NoteCodeHashes(profile);
  const Result<std::string> text = WriteProfileText(profile);
  REQUIRE(text.ok());
  const Result<Profile> read = ReadProfileText(*text);
  REQUIRE(read.ok());
  CHECK(read->FirstCallOf(MethodIndex{0}) == FirstCall{42, 2});
  CHECK(read->FirstCallOf(MethodIndex{0}).mean() == 21);
  CHECK(read->FirstCallOf(MethodIndex{4}) == FirstCall{1, 1});
  CHECK(read->FirstCallOf(MethodIndex{6}) == FirstCall{INT64_MAX, INT64_MAX});
  CHECK_FALSE(read->FirstCallOf(MethodIndex{1}).is_known());
  profile.ForgetFirstCalls();
  NoteCodeHashes(profile);
  CHECK_FALSE(AgentPart(profile, kCodePart));
}

TEST_CASE("first calls that do not fit are refused") {
  const auto with = [](const std::string& first) {
    return R"({"bits":36,"methods":"abcdef","hashes":"---","first":")" + first + "\"}";
  };
  for (const char* first : {"", "AAA", "BFAA", "BBBCCD"}) {
    INFO(first);
    CHECK(IsCodePart(with(first)));
  }
  // Too few, too many, no rank, a sum of ranks that is too small.
  for (const char* first : {"AA", "AAAA", "AAB", "CBAA", "BAAA", "!AA"}) {
    INFO(first);
    CHECK_FALSE(IsCodePart(with(first)));
  }
}

TEST_CASE("marks that do not fit are refused") {
  const auto with = [](const std::string& marks) {
    return R"({"bits":36,"methods":"abcdef","hashes":"---","sureness":")" + marks + "\"}";
  };
  for (const char* marks : {"", "e3", "eMg", "Z2-", "b2e", "eee", "M+g+e", "g+3"})
    CHECK(IsCodePart(with(marks)));
  for (const char* marks :
       {"e", "e2", "e4", "x3", "a3", "e0", "e1ee", "3e", "e99999999", "e9999999", "e3!", "EXACT",
        "e+ee", "b+2e", "-+ee", "M++e", "M2+e", "+"}) {
    INFO(marks);
    CHECK_FALSE(IsCodePart(with(marks)));
  }
  CHECK(SurenessInCodePart(with("Mg2")) == std::vector<Sureness>{Sureness::EstimatedFrom(4096),
                                                                 Sureness::EstimatedFrom(0),
                                                                 Sureness::EstimatedFrom(0)});
  CHECK(SurenessInCodePart("{}").empty());
}

TEST_CASE("only the part's shape is accepted") {
  CHECK(IsCodePart(R"({"bits":36,"methods":"abcdef","hashes":"abcdefABCDEF"})"));
  CHECK(IsCodePart(R"({"later":[1], "bits": 36,"methods":"abcdef","hashes":""})"));
  CHECK(IsCodePart(R"({"bits":36,"methods":"abcdef","hashes":"-abcdef--"})"));
  CHECK(IsCodePart(R"({"bits":36,"methods":"abcdef","hashes":"abcdef","lengths":"J"})"));
  for (const char* text :
       {"", "{", "{}", "[]",
        R"({"bits":36,"methods":"abcdef"})"
        R"(x)",
        R"({"bits":48,"methods":"abcdef","hashes":""})",
        R"({"bits":36,"methods":"abc","hashes":""})",
        R"({"bits":36,"methods":"abcdef","hashes":"abcdefA"})",
        R"({"bits":36,"methods":"abcdef","hashes":7})",
        R"({"bits":36,"methods":"abcdef","hashes":"abcdef","lengths":7})",
        R"({"bits":36,"methods":"abcdef","hashes":"abcdef","lengths":"AA"})",
        R"({"bits":36,"methods":"abcdef","hashes":"abcdef","lengths":"////A"})"}) {
    INFO(text);
    CHECK_FALSE(IsCodePart(text));
  }
  Profile profile = Methods(1);
  profile.SetCodeHash(MethodIndex{0}, 1);
  NoteCodeHashes(profile);
  std::string section = profile.extras()[0].json;
  section.replace(section.find("\"hashes\":\"") + 10, 1, "!");  // no digit
  Profile other = Methods(1);
  other.SetExtra(kAgentKey, section);
  CHECK(LoadCodeHashes(other) == CodePartForm::kMalformed);
}

}  // namespace
}  // namespace iprof
