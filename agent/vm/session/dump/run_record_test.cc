#include "agent/vm/session/dump/run_record.h"

#include <catch2/catch.hpp>
#include <thread>
#include <utility>

#include "agent/vm/jvmti/fake_jvm.h"
#include "agent/vm/jvmti/jvmti_environment.h"
#include "writer/profile/image/finish_for_image.h"
#include "writer/profile/io/agent_section.h"
#include "writer/records/raw/run_counts.h"

using namespace iprof;
using namespace iprof::vm;

namespace {

// A record of a JVM that says these things about itself.
struct Recorded {
  explicit Recorded(const char* options, const char* command = "com.acme.Main secret",
                    const char* class_path = "/home/bob/classes") {
    jvm.properties = {{"java.vm.version", "17.0.15+6-Debian-1"},
                      {"java.vm.vendor", "Debian"},
                      {"sun.java.command", command},
                      {"java.class.path", class_path}};
    auto environment = JvmtiEnvironment::Open(jvm.vm());
    REQUIRE(environment.ok());
    parsed = ParseOptions(options)->options;
    run.Learn(environment->get(), parsed);
  }

  FakeJvm jvm;
  Options parsed;
  RunRecord run;
};

}  // namespace

TEST_CASE("a run has the JVM, the options and the program without its arguments") {
  Recorded recorded("out=/home/bob/app.iprof,receivers=n,control=/run/bob/x.sock");
  recorded.run.SetBegin(kBeginByAttach);
  const RunNote note = recorded.run.Note();
  CHECK(note.jvm_vendor == "Debian");
  CHECK(note.jvm_version == "17.0.15");
  CHECK(note.jvm_build == "17.0.15+6-Debian-1");
  CHECK(note.program == "com.acme.Main");
  CHECK(note.options == "out=app.iprof,receivers=n,control=x.sock");
  CHECK(note.tables == "calls+branches+monitors+samples");
  CHECK(note.source == "counters");
  CHECK(note.begin == "attach");
  CHECK(note.ToJson().find("secret") == std::string::npos);
  CHECK(note.ToJson().find("bob") == std::string::npos);
}

TEST_CASE("a jar is named without its folder") {
  CHECK(Recorded("", "/home/bob/secret/app.jar --port 80").run.Note().program == "app.jar");
  CHECK(Recorded("", "bob/app.war --port 80", "bob/app.war").run.Note().program == "app.war");
  CHECK(Recorded("", "bob/app", "bob/app:/opt/agent.jar").run.Note().program == "app");
  CHECK(Recorded("", "acme.module/com.acme.Main").run.Note().program ==
        "acme.module/com.acme.Main");
}

TEST_CASE("pauses do not count as recorded, and belong to the window") {
  RunRecord run;
  CHECK(run.Note().start_ms == 0);
  CHECK(run.Note().run.empty());
  run.Begin();
  const int64_t start_ms = run.Note().start_ms;
  CHECK(start_ms > 0);
  run.Pause();
  const RunNote paused = run.Note();
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  CHECK(run.Note() == paused);
  run.Begin();
  const RunNote later = run.Note();
  CHECK(later.start_ms == start_ms);
  CHECK(later.run == paused.run);
  CHECK(later.end_ms - later.start_ms >= later.recorded_ms + 29);
  run.Reset();
  CHECK(run.Note().start_ms >= later.end_ms);
}

TEST_CASE("a run has an identity, and a reset begins another run") {
  RunRecord first;
  RunRecord second;
  first.Begin();
  second.Begin();
  const std::string id = first.Note().run;
  CHECK(RunId::Parse(id).is_known());
  CHECK(second.Note().run != id);
  first.Reset();
  const std::string after = first.Note().run;
  CHECK(RunId::Parse(after).is_known());
  CHECK(after != id);
  // Also one that is stopped: what it counts later is that run's.
  first.Pause();
  first.Reset();
  const std::string paused = first.Note().run;
  CHECK(paused != after);
  first.Begin();
  CHECK(first.Note().run == paused);
}

TEST_CASE("provenance=n leaves out the run and the hashes of code") {
  for (const bool wanted : {true, false}) {
    Profile profile;
    profile.AddStandardTypes();
    const TypeIndex signature[] = {profile.AddType("a.B"), TypeIndex{8}};
    const MethodIndex method = profile.AddMethod("run", signature);
    profile.AddCount(Table::kCalls, profile.AddContext(kNoContext, method, 0), 1);
    profile.SetCodeHash(method, UINT64_MAX);
    Options options;
    options.provenance = wanted;
    RunNote run;
    run.agent = "1";
    NoteProvenance(options, run, profile);
    const Profile made = FinishForImage(std::move(profile), ImageTarget::k17, true).profile;
    const AgentSection section = AgentSection::Of(made);
    CHECK(section.Part(kProvenancePart).has_value() == wanted);
    CHECK(section.Part(kCodePart).has_value() == wanted);
  }
}

TEST_CASE("exactness and losses are those of the assembly") {
  AssemblyResult assembly;
  assembly.methods_exact = 5;
  assembly.methods_bounded = 2;
  assembly.largest_k = 9;
  assembly.sites_left_out = 3;
  RunNote note;
  AddCounts(assembly, &note);
  CHECK(note.exactness == RunExactness{5, 2, 0, 9});
  CHECK(note.losses == std::vector<std::pair<std::string, int64_t>>{{"sites", 3}});
}
