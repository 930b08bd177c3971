// What survives writing and reading, how little space it takes, and what is noticed.
#include "writer/profile/io/position_part.h"

#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <string>
#include <utility>

#include "writer/profile/io/agent_section.h"
#include "writer/profile/io/reader.h"
#include "writer/profile/io/writer.h"

namespace iprof {
namespace {

Profile Reread(const Profile& profile) {
  const Result<std::string> text = WriteProfileText(profile);
  if (!text.ok()) FAIL(text.status().message());
  Result<Profile> read = ReadProfileText(*text);
  if (!read.ok()) FAIL(read.status().message());
  return std::move(*read);
}

// "a.A.m3()void:7" -> line and callee, of the profile's entries.
std::map<std::string, std::string> NotesOf(const Profile& profile) {
  std::map<std::string, std::string> notes;
  for (const Table table : kAllTables) {
    if (table == Table::kMonitors) continue;
    for (const EntryIndex entry : EntriesOf(profile, table)) {
      profile.ForEachFrame(profile.EntryContext(table, entry), [&](Frame frame) {
        const auto line = profile.notes().LineOf(frame.method, frame.bci);
        const std::string_view callee = profile.notes().CalleeOf(frame.method, frame.bci);
        if (!line && callee.empty()) return;
        notes[profile.DescribeMethod(frame.method) + ":" + std::to_string(frame.bci)] =
            (line ? std::to_string(*line) : "-") + " " + std::string(callee);
      });
    }
  }
  return notes;
}

// Methods m0, m1 … of class a.A. Each was called, every other one has a branch, every third one a virtual call.
Profile Methods(size_t count) {
  Profile profile;
  profile.AddStandardTypes();
  const TypeIndex signature[] = {profile.AddType("a.A"), TypeIndex{8}};
  const TypeCount one[] = {{signature[0], 1}};
  int32_t line = 20;
  for (size_t i = 0; i < count; ++i) {
    const MethodIndex method = profile.AddMethod("method" + std::to_string(i), signature);
    line += 6;
    profile.AddCount(Table::kCalls, profile.AddContext(kNoContext, method, 0), 5);
    profile.notes().SetLine(method, 0, line);
    if (i % 2 == 0) {
      profile.AddSuccessors(profile.AddContext(kNoContext, method, 4),
                            std::vector<Successor>{{9, 0, 1}, {7, 1, 2}});
      profile.notes().SetLine(method, 4, line + 1);
    }
    if (i % 3 == 0) {
      profile.AddTypeCounts(Table::kVirtualInvokes, profile.AddContext(kNoContext, method, 30),
                            one);
      profile.notes().SetLine(method, 30, line + 4);
      profile.notes().SetCallee(method, 30, i % 9 == 0 ? "java.util.List.get" : "a.B.run");
    }
  }
  return profile;
}

TEST_CASE("notes of positions survive in any mixture") {
  std::mt19937 random(11);
  for (int round = 0; round < 50; ++round) {
    Profile profile = Methods(1 + random() % 40);
    for (int more = 0; more < 10; ++more) {
      const MethodIndex method{static_cast<uint32_t>(random() % profile.method_count())};
      const auto bci = static_cast<Bci>(random() % 300);
      profile.AddCount(Table::kSamples,
                       profile.AddContext(std::vector<Frame>{{method, bci}, {method, bci + 1}}), 1);
      if (random() % 2 == 0)
        profile.notes().SetLine(method, bci, static_cast<int32_t>(random() % 65'536));
    }
    WritePositionNotes(profile);
    REQUIRE(AgentPart(profile, kPositionsPart));
    CHECK(IsPositionPart(*AgentPart(profile, kPositionsPart)));
    CHECK(NotesOf(Reread(profile)) == NotesOf(profile));
    CHECK(NotesOf(profile).size() > 1);
  }
}

TEST_CASE("notes take a small part of a profile") {
  Profile profile = Methods(2000);
  const size_t without = WriteProfileText(profile)->size();
  WritePositionNotes(profile);
  const size_t with = WriteProfileText(profile)->size();
  CHECK(with > without);
  CHECK(static_cast<double>(with) < 1.03 * static_cast<double>(without));
}

TEST_CASE("a profile without notes has no part") {
  Profile profile = Methods(3);
  profile.notes().Clear();
  WritePositionNotes(profile);
  CHECK(profile.extras().empty());
  profile.notes().SetLine(MethodIndex{0}, 99, 3);  // of a position that no entry has
  WritePositionNotes(profile);
  CHECK(profile.extras().empty());
}

TEST_CASE("another program's change is noticed") {
  Profile profile = Methods(6);
  WritePositionNotes(profile);
  Profile changed = Reread(profile);
  CHECK(changed.notes().LineOf(MethodIndex{0}, 0) == 26);
  changed.AddCount(Table::kSamples, changed.AddContext(kNoContext, MethodIndex{1}, 77), 1);
  CHECK(NotesOf(Reread(changed)).empty());
}

TEST_CASE("parts of another shape add nothing") {
  for (const char* const json : {R"({"of":"AAAAAA","lines":"----"})", R"({"lines":"A"})",
                                 R"({"of":7})", R"([])", R"({"of":"AAAAAA","names":[1]})"}) {
    Profile profile = Methods(2);
    profile.notes().Clear();
    profile.SetExtra(kAgentKey, std::string(R"({"version":1,"positions":)") + json + "}");
    CHECK(Reread(profile).notes().empty());
  }
  CHECK_FALSE(IsPositionPart("{}"));
  // The right hash with texts that do not fit.
  Profile profile = Methods(2);
  WritePositionNotes(profile);
  const std::string part(*AgentPart(profile, kPositionsPart));
  const std::string of = part.substr(0, part.find(',') + 1);
  for (const char* const lines : {"", "A", "------------------------", "////////", "B!"}) {
    SetAgentPart(profile, kPositionsPart,
                 of + R"("lines":")" + lines + R"(","callees":"zz","names":["x"]})");
    for (const auto& [position, note] : NotesOf(Reread(profile))) CHECK(note.starts_with("-"));
  }
}

TEST_CASE("older profiles have lines by name, and their part is replaced") {
  Profile profile = Methods(2);
  profile.notes().Clear();
  SetAgentPart(profile, kLinesPart,
               R"({"a.A.method0()void":{"0":7,"4":8,"77":9},"a.X.y()void":{"0":1}})");
  Profile read = Reread(profile);
  CHECK(NotesOf(read) == std::map<std::string, std::string>{{"a.A.method0()void:0", "7 "},
                                                            {"a.A.method0()void:4", "8 "}});
  WritePositionNotes(read);
  CHECK_FALSE(AgentPart(read, kLinesPart));
  CHECK(NotesOf(Reread(read)) == NotesOf(read));
}

TEST_CASE("rests of sites survive, and need few bytes") {
  Profile profile = Methods(60);
  profile.notes().Clear();
  // Methods 0, 3, 6 … have a virtual call at bci 30.
  const auto rest_of = [](const Profile& in, uint32_t method) {
    return in.notes().RestOf(MethodIndex{method}, 30);
  };
  for (const auto& [method, rest] :
       std::map<uint32_t, uint16_t>{{0, 1}, {3, 110}, {33, 200}, {57, PositionNotes::kWhole}})
    profile.notes().SetRest(MethodIndex{method}, 30, rest);
  WritePositionNotes(profile);
  const auto part = AgentPart(profile, kPositionsPart);
  REQUIRE(part);
  CHECK(part->find("lines") == std::string::npos);
  CHECK(part->size() < 50);
  const Profile read = Reread(profile);
  CHECK(rest_of(read, 0) == 1);
  CHECK(rest_of(read, 3) == 110);
  CHECK(rest_of(read, 6) == 0);
  CHECK(rest_of(read, 33) == 200);
  CHECK(rest_of(read, 57) == PositionNotes::kWhole);
}

TEST_CASE("rests that make no sense end the list") {
  Profile profile = Methods(3);
  profile.notes().Clear();
  profile.notes().SetRest(MethodIndex{0}, 30, 5);
  WritePositionNotes(profile);
  const std::string part = AgentPart(profile, kPositionsPart).value();
  const std::string known = "\"rests\":\"";
  const size_t at = part.find(known) + known.size();
  const size_t end = part.find('"', at);
  // "////B" is beyond all positions, "!" is no digit, and one number alone has no rest.
  for (const std::string more : {"////BF", "!", "A"}) {
    SetAgentPart(profile, kPositionsPart, part.substr(0, end) + more + part.substr(end));
    profile.notes().Clear();
    LoadPositionNotes(profile);
    CHECK(profile.notes().RestOf(MethodIndex{0}, 30) == 5);
    CHECK(profile.notes().RestOf(MethodIndex{1}, 0) == 0);
  }
}

}  // namespace
}  // namespace iprof
