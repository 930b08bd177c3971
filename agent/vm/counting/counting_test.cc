// Counting from its start to its end, against a fake JVM in which a test loads classes.
#include "agent/vm/counting/counting.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <fstream>
#include <iterator>
#include <map>
#include <thread>

#include "agent/classfile/testing/assembled_class.h"
#include "agent/vm/counting/counting_environment.h"
#include "agent/vm/jvmti/fake_jvm.h"
#include "writer/base/temporary_folder.h"
#include "writer/profile/io/writer.h"
#include "writer/records/raw/profile_sink.h"
#include "writer/records/raw/raw_profile.h"
#include "writer/records/raw/raw_sink.h"

namespace iprof::vm {
namespace {

using namespace std::chrono_literals;

const FlagQueries kNoFlags{[](std::string_view) { return std::nullopt; },
                           [](std::string_view) { return std::nullopt; },
                           [](std::string_view) { return std::nullopt; }};

std::vector<uint8_t> ClassFile(std::string_view name) {
  instrument::AssembledClass file(name);
  file.Add({.name = "f", .code = {0x03, 0x57, 0xb1}});  // iconst_0, pop, return
  return file.Bytes();
}

struct Counted {
  FakeJvm jvm;
  Log log;
  HiddenNames names{RuleForJdk(17), instrument::UnboxingOfJdk(17)};
  ClassSource classes{jvm.vm()};
  UnloadWatch tags{log};
  ClassWatch watch{tags};
  ProxyNames proxies{names, tags};
  instrument::MemoryBudget budget{64 << 20};
  std::unique_ptr<Counting> counting;
  CountingStart start{};
  bool restorable = false;

  const bool is_attached;

  bool needs_exact = false;  // a harvest with the next snapshot does

  explicit Counted(std::string_view text, bool attached = false, bool keeps_old_bytes = false)
      : is_attached(attached) {
    REQUIRE(tags.Start(jvm.vm()).ok());
    auto parsed = ParseOptions(text);
    REQUIRE(parsed.ok());
    CountingPlan plan = PlanCounting(parsed->options, attached, kNoFlags,
                                     {.budget_bytes = budget.limit(), .most_heap_bytes = {}});
    plan.keeps_old_bytes = keeps_old_bytes;
    start = plan.startup.start;
    restorable = plan.restorable = start != CountingStart::kFirstBytecode;
    counting = std::make_unique<Counting>(
        CountingContext{.vm = jvm.vm(),
                        .log = log,
                        .classes = classes,
                        .proxies = proxies,
                        .watch = watch,
                        .budget = budget,
                        .needs_exact = [this](RecordSink&) { return needs_exact; }},
        std::move(plan), nullptr);
  }
  ~Counted() {
    counting->End();
    counting->Close();
  }

  Status Start() {
    Result<JvmtiEnvironment> environment = OpenForCounting(jvm.vm(), start, restorable);
    if (!environment.ok()) return environment.status();
    if (Status status = counting->Open(std::move(*environment)); !status.ok()) return status;
    if (Status status =
            counting->Prepare(is_attached ? StartMoment::kRunning : StartMoment::kWithJvm);
        !status.ok())
      return status;
    return is_attached ? counting->Begin(jvm.jni()) : Status();
  }
  // A JVM that is started with the agent.
  void StartJvm() {
    REQUIRE(Start().ok());
    counting->OnVmStart(jvm.jni());
    counting->OnVmInit(jvm.jni());
  }
  bool IsCounted(const std::string& name, FakeObject* loader = nullptr) {
    return jvm.Load(name, ClassFile(name), loader)->bytes != ClassFile(name);
  }
};

constexpr std::string_view kCalls = "branches=n,receivers=n,monitors=n,samples=n";

TEST_CASE("classes are counted from the first bytecode on, until the end") {
  Counted c(kCalls);
  REQUIRE(c.Start().ok());
  const FakeEnvironment& environment = c.jvm.environments().back();
  CHECK(environment.capabilities.can_generate_early_class_hook_events == 1);
  CHECK(environment.capabilities.can_generate_early_vmstart == 1);
  CHECK(environment.capabilities.can_retransform_classes == 0);
  CHECK(c.IsCounted("a/First"));  // before JNI is available
  c.counting->OnVmStart(c.jvm.jni());
  CHECK(c.jvm.Find("java/lang/IprofCounters0") != nullptr);
  CHECK(c.jvm.Find("java/lang/IprofCounters5") != nullptr);
  c.counting->OnVmInit(c.jvm.jni());
  CHECK(c.IsCounted("a/Second"));
  c.counting->End();
  CHECK_FALSE(c.IsCounted("a/Third"));
}

TEST_CASE("what probes have counted is in the profile, also after the end") {
  Counted c(kCalls);
  c.StartJvm();
  REQUIRE(c.IsCounted("a/B"));
  for (jlong& counter : c.jvm.Find("java/lang/IprofCounters0")->fields["c"]->longs) counter = 5;
  c.counting->End();
  Profile profile;
  profile.AddStandardTypes();
  ProfileSink sink(profile);
  REQUIRE(c.counting->Write(c.jvm.jni(), sink, {}).ok());
  CHECK(profile.Total(Table::kCalls) == 5);
  CHECK(c.counting->Knows("a/B"));
}

TEST_CASE("a JVM that takes no class of the agent's goes on uncounted") {
  Counted c(kCalls);
  REQUIRE(c.Start().ok());
  c.jvm.refuse["DefineClass"] = JVMTI_ERROR_OUT_OF_MEMORY;
  c.counting->OnVmStart(c.jvm.jni());
  CHECK(c.jvm.pending == nullptr);
  CHECK_FALSE(c.IsCounted("a/B"));
}

TEST_CASE("a failed start names the step and leaves nothing behind") {
  Counted c(kCalls);
  SECTION("capabilities") {
    c.jvm.refuse["AddCapabilities"] = JVMTI_ERROR_NOT_AVAILABLE;
    CHECK(c.Start().message() ==
          "cannot get the JVMTI capabilities to instrument classes: NOT_AVAILABLE (98)");
  }
  SECTION("events") {
    c.jvm.refuse["enable ClassFileLoadHook"] = JVMTI_ERROR_MUST_POSSESS_CAPABILITY;
    CHECK(c.Start().message() ==
          "cannot enable the JVMTI event ClassFileLoadHook: MUST_POSSESS_CAPABILITY (99)");
  }
  c.counting->End();
  CHECK(c.counting->Close());
  CHECK(c.jvm.enabled_events() == std::set{JVMTI_EVENT_OBJECT_FREE});  // the watch has enabled it
  CHECK_FALSE(c.IsCounted("a/B"));
}

TEST_CASE("after an attach the classes that are there are counted as well") {
  Counted c(kCalls, true);
  FakeClass* const earlier = c.jvm.AddClass("a/Earlier", c.jvm.application_loader);
  earlier->bytes = ClassFile("a/Earlier");
  c.jvm.AddMethod(earlier, "f", "()V");
  REQUIRE(c.Start().ok());
  CHECK_THAT(c.jvm.retransformed, Catch::VectorContains(std::string("a/Earlier")));
  CHECK(earlier->bytes != ClassFile("a/Earlier"));
  CHECK(c.IsCounted("a/Later", c.jvm.application_loader));
}

TEST_CASE("with jdk=n only the program's own classes are counted, from VMInit on") {
  Counted c("jdk=n,branches=n,receivers=n,monitors=n,samples=n");
  REQUIRE(c.Start().ok());
  CHECK_FALSE(c.IsCounted("a/Early", c.jvm.application_loader));
  c.counting->OnVmInit(c.jvm.jni());
  CHECK_FALSE(c.IsCounted("java/util/List"));
  CHECK_FALSE(c.IsCounted("jdk/Platform", c.jvm.platform_loader));
  CHECK(c.IsCounted("a/B", c.jvm.application_loader));
}

TEST_CASE("closing ends every callback and thread") {
  Counted c("jdk=n,branches=n,receivers=n,monitors=n,samples=n");
  REQUIRE(c.Start().ok());
  c.counting->OnVmInit(c.jvm.jni());
  c.counting->End();
  CHECK(c.counting->Close());
  CHECK(c.jvm.enabled_events() == std::set{JVMTI_EVENT_OBJECT_FREE});
  const size_t open = c.jvm.open_environments();
  c.counting = nullptr;
  CHECK(c.jvm.open_environments() < open);
  // Because the destructor needs one.
  c.counting = std::make_unique<Counting>(
      CountingContext{c.jvm.vm(), c.log, c.classes, c.proxies, c.watch, c.budget}, CountingPlan(),
      nullptr);
}

TEST_CASE("java.lang.Object keeps what it was given at any end") {
  Counted c(kCalls);
  REQUIRE(c.Start().ok());
  instrument::AssembledClass object("java/lang/Object", "");
  FakeClass* const loaded = c.jvm.Load("java/lang/Object", object.Bytes());
  const bool has_members = loaded->bytes != object.Bytes();
  REQUIRE(has_members);
  c.counting->End();
  CHECK_FALSE(c.counting->Close());  // so it must not be destroyed
  CHECK(c.jvm.enabled_events() ==
        std::set{JVMTI_EVENT_OBJECT_FREE, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK});
  CHECK(c.jvm.ThroughHooks(loaded, "java/lang/Object", nullptr, object.Bytes(), false) ==
        loaded->bytes);
  CHECK_FALSE(c.IsCounted("a/B"));
}

TEST_CASE("hidden classes are counted while other classes are") {
  Counted c(kCalls);
  c.StartJvm();
  const auto bytes = ClassFile("a/B$$Lambda");
  std::vector<uint8_t> output;
  std::optional<instrument::ClassId> held;
  const HiddenClassBytes input{"a/B$$Lambda", "a/B$$Lambda$1", bytes};
  CHECK(c.counting->InstrumentHidden(c.jvm.jni(), nullptr, input, &output, &held));
  CHECK(output != bytes);
  CHECK(c.counting->Knows("a/B$$Lambda$1"));
  c.counting->End();
  CHECK_FALSE(c.counting->InstrumentHidden(c.jvm.jni(), nullptr, input, &output, &held));
}

uint64_t CallsIn(Counted& c) {
  Profile profile;
  profile.AddStandardTypes();
  ProfileSink sink(profile);
  REQUIRE(c.counting->Write(c.jvm.jni(), sink, {}).ok());
  return static_cast<uint64_t>(profile.Total(Table::kCalls));
}

// What probes would do.
void SetCounters(Counted& c, jlong value) {
  FakeObject& counters = *c.jvm.Find("java/lang/IprofCounters0")->fields["c"];
  for (size_t at = 0; at < counters.longs.size(); ++at) counters.Long(at) = value;
}

TEST_CASE("only what is counted between start and stop, and after a reset, is in the profile") {
  Counted c("jdk=n,branches=n,receivers=n,monitors=n,samples=n");
  REQUIRE(c.Start().ok());
  c.counting->OnVmInit(c.jvm.jni());
  REQUIRE(c.IsCounted("a/B", c.jvm.application_loader));
  SetCounters(c, 5);
  CHECK(CallsIn(c) == 5);
  REQUIRE(c.counting->Reset(c.jvm.jni(), ResetScope::kAll).ok());
  CHECK(CallsIn(c) == 0);
  SetCounters(c, 8);
  CHECK(CallsIn(c) == 3);
  c.counting->Pause(c.jvm.jni());
  SetCounters(c, 100);
  CHECK(CallsIn(c) == 3);
  REQUIRE(c.counting->Begin(c.jvm.jni()).ok());
  CHECK(CallsIn(c) == 3);
  SetCounters(c, 104);
  CHECK(CallsIn(c) == 7);
  c.counting->Pause(c.jvm.jni());
  REQUIRE(c.counting->Reset(c.jvm.jni(), ResetScope::kAll).ok());
  CHECK(CallsIn(c) == 0);
}

TEST_CASE("a snapshot has the exact counts that a profile has, where a harvest needs them") {
  Counted c("jdk=n,branches=n,receivers=n,monitors=n,samples=n");
  REQUIRE(c.Start().ok());
  c.counting->OnVmInit(c.jvm.jni());
  REQUIRE(c.IsCounted("a/B", c.jvm.application_loader));
  SetCounters(c, 5);
  Profile profile;
  profile.AddStandardTypes();
  ProfileSink whole(profile);
  CHECK(whole.exact() == nullptr);
  REQUIRE(c.counting->Write(c.jvm.jni(), whole, {}).ok());
  REQUIRE(whole.exact() == &profile);
  const TemporaryFolder folder;
  auto file = RawWriter::Create([&](int) { return folder / "a.iraw"; }, {}, {});
  REQUIRE(file.ok());
  c.counting->BeginLog();
  for (const bool needs_exact : {false, true, false}) {
    c.needs_exact = needs_exact;
    RawSink snapshot(**file, 1);
    REQUIRE(c.counting->Write(c.jvm.jni(), snapshot, {}).ok());
    REQUIRE((snapshot.exact() != nullptr) == needs_exact);
    if (needs_exact) CHECK(*WriteProfileText(*snapshot.exact()) == *WriteProfileText(profile));
    CHECK(snapshot.Publish().status.ok());
  }
  CHECK(profile.Total(Table::kCalls) == 5);
}

// Of the file's last snapshot.
uint64_t CallsInRaw(Counted& c, RawWriter& file, JNIEnv* jni = nullptr, bool may_repeat = false) {
  RawSink sink(file, 1, may_repeat);
  const auto write = [&] {
    return c.counting->Write(jni != nullptr ? jni : c.jvm.jni(), sink, {});
  };
  Status written = write();
  // The agent's thread holds the tables. Snapshots are tried again then, too.
  while (written.code() == Code::kLimit) written = write();
  REQUIRE(written.ok());
  REQUIRE(sink.Publish().status.ok());
  std::ifstream in(file.path(), std::ios::binary);
  const std::vector<uint8_t> bytes(std::istreambuf_iterator<char>(in), {});
  RawMemoryBytes memory(bytes);
  const Result<RawContents> contents = ReadRaw(memory, "raw");
  REQUIRE(contents.ok());
  const RawProfile made = MakeRawProfile(*contents);
  CHECK(contents->at_rest == made.note.at_rest);
  return static_cast<uint64_t>(made.profile.Total(Table::kCalls));
}

TEST_CASE("a raw file has what a profile has, also where methods may lose their probes") {
  const std::string more = GENERATE("", ",count-until=1000000");
  Counted c("jdk=n,branches=n,receivers=n,monitors=n,samples=n" + more);
  REQUIRE(c.Start().ok());
  c.counting->OnVmInit(c.jvm.jni());
  REQUIRE(c.IsCounted("a/B", c.jvm.application_loader));
  const TemporaryFolder folder;
  RawHeader header{.agent_version = "test", .assembly = {}, .image = false};
  c.counting->FillHeader(header);
  CHECK(header.assembly.names_all_callees == !more.empty());
  auto file = RawWriter::Create([&](int) { return std::string(folder / "a.iraw"); }, header, {});
  REQUIRE(file.ok());
  c.counting->BeginLog();
  SetCounters(c, 5);
  CHECK(CallsInRaw(c, **file) == 5);
  CHECK(CallsIn(c) == 5);
  REQUIRE(c.IsCounted("a/C", c.jvm.application_loader));
  SetCounters(c, 8);
  CHECK(CallsInRaw(c, **file) == CallsIn(c));
  CHECK(CallsIn(c) > 8);
  CHECK(c.counting->log_size().is_costly == !more.empty());
  c.counting->Pause(c.jvm.jni());
  SetCounters(c, 100);
  CHECK(CallsInRaw(c, **file) == CallsIn(c));
  c.counting->EndLog();
}

// How often the counters are read through this JNIEnv.
struct CountedReads {
  static inline std::map<jlongArray, int> reads;
  static inline void(JNICALL* real)(JNIEnv*, jlongArray, jsize, jsize, jlong*) = nullptr;
  JNINativeInterface_ functions;
  JNIEnv jni;
  explicit CountedReads(const JNIEnv& e) : functions(*e.functions), jni(e) {
    real = functions.GetLongArrayRegion;
    functions.GetLongArrayRegion = [](JNIEnv* env, jlongArray array, jsize first, jsize count,
                                      jlong* to) {
      ++reads[array];
      real(env, array, first, count, to);
    };
    jni.functions = &functions;
  }
  CountedReads(const CountedReads&) = delete;
  CountedReads& operator=(const CountedReads&) = delete;
};

TEST_CASE("estimates are made again only if something was counted, or if all is asked for") {
  Counted c("jdk=n,branches=n,receivers=n,monitors=n,samples=n,count-until=1000000");
  REQUIRE(c.Start().ok());
  c.counting->OnVmInit(c.jvm.jni());
  REQUIRE(c.IsCounted("a/B", c.jvm.application_loader));
  const TemporaryFolder folder;
  RawHeader header{.agent_version = "test", .assembly = {}, .image = false};
  c.counting->FillHeader(header);
  auto file = RawWriter::Create([&](int) { return std::string(folder / "a.iraw"); }, header, {});
  REQUIRE(file.ok());
  c.counting->BeginLog();
  CountedReads counted(*c.jvm.jni());
  const auto reads_for = [&](uint64_t calls, bool may_repeat = true) {
    CountedReads::reads.clear();
    CHECK(CallsInRaw(c, **file, &counted.jni, may_repeat) == calls);
    int most = 0;
    for (const auto& [array, reads] : CountedReads::reads) most = std::max(most, reads);
    return most;
  };
  // Once the agent's thread adds no more arrays, the counters are read only to see that they are the same: half as often as for
  // all. How often that is depends on the processors, whose arrays may be one.
  int once = 0;
  const auto repeats = [&](uint64_t calls) {
    for (int i = 0; i < 1000; ++i) {
      once = reads_for(calls);
      if (reads_for(calls, false) == 2 * once) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return false;
  };
  SetCounters(c, 5);
  CHECK(reads_for(5) > 0);
  CHECK(repeats(5));
  SetCounters(c, 6);
  CHECK(reads_for(6) > once);
  CHECK(repeats(6));
  // The counters stay, but they belong to what was before.
  REQUIRE(c.counting->Reset(c.jvm.jni(), ResetScope::kAll).ok());
  CHECK(reads_for(0) > once);
  CHECK(repeats(0));
  c.counting->EndLog();
}

TEST_CASE("once the JVM has ended, a start begins no thread") {
  Counted c("jdk=n,branches=n,receivers=n,monitors=n,samples=n");
  REQUIRE(c.Start().ok());
  c.counting->OnVmInit(c.jvm.jni());
  c.counting->Pause(c.jvm.jni());
  c.counting->EndThreads(1min);
  // A thread that has said so ends a moment later.
  const auto deadline = std::chrono::steady_clock::now() + 1min;
  while (c.jvm.agent_threads > 0 && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(1ms);
  CHECK(c.counting->Begin(c.jvm.jni()).message() == "the program is ending");
  CHECK(c.jvm.agent_threads == 0);
  CHECK_FALSE(c.IsCounted("a/B"));
}

TEST_CASE("a class that is not linked at the stop gets its own code when it is") {
  Counted c("jdk=n,branches=n,receivers=n,monitors=n,samples=n");
  REQUIRE(c.Start().ok());
  c.counting->OnVmInit(c.jvm.jni());
  FakeClass* const unlinked = c.jvm.Load("a/B", ClassFile("a/B"), c.jvm.application_loader);
  REQUIRE(unlinked->bytes != ClassFile("a/B"));
  unlinked->is_prepared = false;
  c.counting->Pause(c.jvm.jni());
  CHECK(unlinked->bytes != ClassFile("a/B"));
  CHECK(c.counting->others_with_probes() == 1);
  unlinked->is_prepared = true;
  c.jvm.Prepare(unlinked);
  REQUIRE(c.counting->Close());  // waits for the thread
  CHECK(unlinked->bytes == ClassFile("a/B"));
  CHECK(c.counting->others_with_probes() == 0);
}

TEST_CASE("a class that was being defined when the stop came gets its own code, too") {
  Counted c("jdk=n,branches=n,receivers=n,monitors=n,samples=n");
  REQUIRE(c.Start().ok());
  c.counting->OnVmInit(c.jvm.jni());
  FakeClass* const counted = c.jvm.Load("a/B", ClassFile("a/B"), c.jvm.application_loader);
  // Its bytes went through the hook before the stop, and it is loaded while other classes are swapped.
  FakeClass* late = nullptr;
  c.jvm.on_retransform = [&] {
    if (late != nullptr) return;
    late = c.jvm.AddClass("a/B", c.jvm.AddLoader());
    late->bytes = counted->bytes;
    late->kept = ClassFile("a/B");
  };
  c.counting->Pause(c.jvm.jni());
  CHECK(counted->bytes == ClassFile("a/B"));
  REQUIRE(late != nullptr);
  CHECK(late->bytes == ClassFile("a/B"));
  CHECK(c.jvm.retransformed == std::vector<std::string>{"a/B", "a/B"});
  // Neither is left with a tag that would hide it from the next stop.
  c.jvm.on_retransform = {};
  REQUIRE(c.counting->Begin(c.jvm.jni()).ok());
  CHECK(counted->bytes != ClassFile("a/B"));
  late->bytes = counted->bytes;
  c.counting->Pause(c.jvm.jni());
  CHECK(counted->bytes == ClassFile("a/B"));
  CHECK(late->bytes == ClassFile("a/B"));
}

TEST_CASE("where a stop would undo a hot swap, the class is left as it is and reported") {
  Counted c("jdk=n,branches=n,receivers=n,monitors=n,samples=n", false, true);
  REQUIRE(c.Start().ok());
  c.counting->OnVmInit(c.jvm.jni());
  FakeClass* const swapped = c.jvm.Load("a/B", ClassFile("a/B"), c.jvm.application_loader);
  FakeClass* const other = c.jvm.Load("a/C", ClassFile("a/C"), c.jvm.application_loader);
  c.counting->Pause(c.jvm.jni());
  CHECK(swapped->bytes == ClassFile("a/B"));
  REQUIRE(c.counting->Begin(c.jvm.jni()).ok());
  CHECK(swapped->bytes != ClassFile("a/B"));
  // A debugger's hot swap.
  const std::vector<uint8_t> fixed{1, 2, 3};
  swapped->bytes = fixed;
  c.jvm.CountRedefinition(*swapped);
  for (int round = 0; round < 2; ++round) {
    c.counting->Pause(c.jvm.jni());
    CHECK(swapped->bytes == fixed);
    CHECK(other->bytes == ClassFile("a/C"));
    CHECK(c.counting->others_with_probes() == 1);
    REQUIRE(c.counting->Begin(c.jvm.jni()).ok());
    CHECK(swapped->bytes == fixed);
    CHECK(other->bytes != ClassFile("a/C"));
  }
}

}  // namespace
}  // namespace iprof::vm
