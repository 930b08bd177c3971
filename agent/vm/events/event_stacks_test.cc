#include "agent/vm/events/event_stacks.h"

#include <catch2/catch.hpp>
#include <string>

#include "agent/vm/jvmti/fake_jvm.h"
#include "writer/profile/io/event_part.h"
#include "writer/records/raw/profile_sink.h"

namespace iprof::vm {
namespace {

jclass Ref(FakeClass* type) { return reinterpret_cast<jclass>(static_cast<FakeObject*>(type)); }

// Lambdas have no name.
std::optional<std::string> NameOf(jvmtiEnv*, JNIEnv*, jclass, std::string_view signature) {
  if (signature.find("Lambda") != std::string_view::npos) return std::nullopt;
  return signature.starts_with('[') ? std::string(signature)
                                    : std::string(signature.substr(1, signature.size() - 2));
}

struct Rows final : EventStacks::Source {
  std::vector<uint32_t> stacks;
  uint32_t type = EventStacks::kNone;
  uint32_t thread = EventStacks::kNone;
  void AddTo(JNIEnv*, EventRows& rows) override {
    rows.tables.AddFigures(EventTables::AllocationFigures{.intervals = {1}});
    for (const uint32_t number : stacks) {
      if (const auto stack = rows.Stack(number)) {
        rows.tables.Add(EventTables::Allocation{.stack = *stack,
                                                .type = rows.Type(type),
                                                .thread = rows.Thread(thread),
                                                .bytes = 1,
                                                .objects = 1,
                                                .samples = 1});
      }
    }
  }
  size_t row_bytes() const override { return 0; }
};

struct Events {
  FakeJvm jvm;
  jvmtiEnv* jvmti = nullptr;
  instrument::MemoryBudget budget;
  EventStacks stacks;
  Rows rows;
  FakeMethod* const main = jvm.AddMethod(jvm.AddClass("a/Main"), "main", "()V");
  FakeMethod* const run = jvm.AddMethod(jvm.AddClass("a/B"), "run", "()V");

  explicit Events(EventStacks::ToClassFile to_class_file = {}, size_t most_bytes = 1 << 20)
      : stacks(NameOf, std::move(to_class_file), true, budget, most_bytes) {
    void* env = nullptr;
    REQUIRE(jvm.vm()->GetEnv(&env, JVMTI_VERSION_11) == JNI_OK);
    jvmti = static_cast<jvmtiEnv*>(env);
    stacks.Register(rows);
  }
  uint32_t Stack(std::vector<FakeJvm::Frame> frames) {
    jvm.stack = std::move(frames);
    return stacks.Stack(jvmti, jvm.jni(), nullptr);
  }
  EventTables Written() {
    Profile profile;
    profile.AddStandardTypes();
    ProfileSink sink(profile);
    stacks.Write(jvm.jni(), sink, rows);
    return EventsOf(profile);
  }
  // "a.B.run:7@21 a.Main.main:3": innermost first, with the lines that are known.
  std::string Shown(uint32_t number) {
    rows.stacks = {number};
    const EventTables tables = Written();
    if (tables.allocations().empty()) return "none";
    std::string text;
    for (const EventFrame& frame : tables.Frames(tables.allocations().front().stack)) {
      const EventTables::Method& method = tables.MethodOf(frame.method);
      text += (text.empty() ? "" : " ") + method.type + "." + method.name + ":" +
              std::to_string(frame.bci);
      if (frame.line >= 0) text += "@" + std::to_string(frame.line);
    }
    return text;
  }
};

TEST_CASE("equal stacks have one number, and their names are learnt once") {
  Events e;
  const uint32_t first = e.Stack({{e.run, 7, 21}, {e.main, 3, 9}});
  CHECK(e.Stack({{e.run, 7, 21}, {e.main, 3, 9}}) == first);
  const uint32_t other = e.Stack({{e.run, 8, 22}, {e.main, 3, 9}});
  CHECK(other != first);
  CHECK(e.Shown(first) == "a/B.run:7@21 a/Main.main:3@9");
  CHECK(e.Shown(other) == "a/B.run:8@22 a/Main.main:3@9");
  CHECK(e.Shown(e.Stack({{e.run, 9}})) == "a/B.run:9");  // without lines
  CHECK(e.Shown(e.Stack({})) == "(no Java code).native:0");
}

TEST_CASE(
    "probes with what they call, linkage and carriers are no frames; native methods have position "
    "0") {
  Events e;
  FakeMethod* const probe = e.jvm.AddMethod(e.jvm.AddClass("java/lang/IprofTypes"), "see", "()V");
  FakeMethod* const form =
      e.jvm.AddMethod(e.jvm.AddClass("java/lang/invoke/LambdaForm$MH.0x01"), "invoke", "()V");
  FakeMethod* const lambda = e.jvm.AddMethod(e.jvm.AddClass("a/B$$Lambda.0x01"), "apply", "()V");
  FakeMethod* const enter =
      e.jvm.AddMethod(e.jvm.AddClass("jdk/internal/vm/Continuation"), "enter", "()V");
  CHECK(
      e.Shown(e.Stack({{e.run, 1}, {probe, 2}, {e.run, 5}, {form, 1}, {lambda, 1}, {e.main, 3}})) ==
      "a/B.run:5 a/Main.main:3");
  CHECK(e.Shown(e.Stack({{e.run, -1}, {e.main, 2}, {enter, 4}, {e.main, 3}})) ==
        "a/B.run:0 a/Main.main:2");
  CHECK(e.Stack({{form, 1}, {enter, 2}}) == e.Stack({}));
}

TEST_CASE("positions are those of the class file, by the version of the code") {
  int asked = 0;
  Events e([&](std::span<EventStacks::Position> positions) {
    asked += static_cast<int>(positions.size());
    for (EventStacks::Position& one : positions) {
      CHECK(one.class_descriptor == "La/B;");
      if (one.code == CodeStamp::Of(140, true)) one.original = one.running - 40;
    }
  });
  const uint32_t counted = e.Stack({{e.run, 47, 21, 140}});
  const uint32_t plain = e.Stack({{e.run, 47, 21, 100}});
  CHECK(counted != plain);
  CHECK(e.Shown(counted) == "a/B.run:7@21");
  CHECK(e.Shown(plain) == "a/B.run:0@21");  // its position in the class file is not known
  // What is known is not asked for again.
  const int before = asked;
  CHECK(e.Shown(counted) == "a/B.run:7@21");
  CHECK(asked == before);
}

TEST_CASE("classes are named, lambdas without the number that HotSpot gave them") {
  Events e;
  const auto shown = [&](const std::string& name) {
    e.rows.type = e.stacks.Type(e.jvmti, e.jvm.jni(), Ref(e.jvm.AddClass(name)));
    e.rows.stacks = {e.Stack({{e.run, 1}})};
    const EventTables tables = e.Written();
    const EventType type = tables.allocations().front().type;
    return type == kNoEventType ? "none" : tables.NameOf(type);
  };
  CHECK(shown("[B") == "[B");
  CHECK(shown("a/C") == "a/C");
  CHECK(shown("a/B$$Lambda.0x0000000800c03000") == "a.B$$Lambda");
  CHECK(shown("[La/B$$Lambda.0x0000000800c03000;") == "[La.B$$Lambda;");
}

TEST_CASE("threads of a pool have one name") {
  Events e;
  e.rows.stacks = {e.Stack({{e.run, 1}})};
  e.jvm.thread_name = "pool-1-thread-12";
  e.rows.thread = e.stacks.Thread(e.jvmti, e.jvm.jni(), nullptr);
  e.jvm.thread_name = "pool-2-thread-3";
  CHECK(e.stacks.Thread(e.jvmti, e.jvm.jni(), nullptr) == e.rows.thread);
  const EventTables tables = e.Written();
  CHECK(tables.NameOf(tables.allocations().front().thread) == "pool-*-thread-*");
}

TEST_CASE("what finds no room is counted, and what is known stays known") {
  constexpr size_t kMostBytes = 400 << 10;
  Events e({}, kMostBytes);
  const uint32_t first = e.Stack({{e.run, 1}});
  uint32_t last = first;
  for (jlocation at = 2; at < 60'000 && last != EventStacks::kNone; ++at)
    last = e.Stack({{e.run, at % 30'000}, {e.main, at}});
  CHECK(last == EventStacks::kNone);
  CHECK(e.stacks.without_room() > 0);
  CHECK_FALSE(e.stacks.HasRoom());
  CHECK(e.stacks.bytes() < 2 * kMostBytes);
  CHECK(e.budget.Used(instrument::MemoryPart::kEvents) == e.stacks.bytes());
  CHECK(e.Stack({{e.run, 1}}) == first);
  CHECK(e.Shown(first) == "a/B.run:1");
}

TEST_CASE("the last source writes the part, with the rows of all") {
  Events e;
  Rows second;
  e.stacks.Register(second);
  e.rows.stacks = {e.Stack({{e.run, 1}})};
  second.stacks = {e.Stack({{e.run, 2}})};
  Profile profile;
  profile.AddStandardTypes();
  ProfileSink sink(profile);
  e.stacks.Write(e.jvm.jni(), sink, e.rows);
  CHECK(EventsOf(profile).empty());
  e.stacks.Write(e.jvm.jni(), sink, second);
  const EventTables tables = EventsOf(profile);
  CHECK(tables.allocations().size() == 2);
}

}  // namespace
}  // namespace iprof::vm
