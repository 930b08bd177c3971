#include "writer/profile/example_profiles.h"

#include <algorithm>
#include <iterator>
#include <vector>

namespace iprof {
namespace {

std::string RandomName(RepeatableRandom& random, ExampleKind kind) {
  static constexpr const char* kParts[] = {"a.b.C",  "$Lambda/0x00f1",
                                           "[I",     "[Ljava.lang.String;",
                                           "<init>", "\"",
                                           "\\",     "\u00e9",
                                           "\u4e2d", "\U0001f600",
                                           "x",      "lambda$main$0",
                                           "\x7f",   "\n",
                                           "\x01",   "\xed\xa0\x80"};
  const size_t choices = std::size(kParts) - (kind == ExampleKind::kOfficial ? 3 : 0);
  std::string name;
  for (uint64_t parts = 1 + random.Below(4); parts > 0; --parts)
    name.append(kParts[random.Below(choices)]);
  return name.append(std::to_string(random.Below(50)));
}

int64_t RandomCount(RepeatableRandom& random) {
  if (random.OneIn(20)) return INT64_MAX;
  return static_cast<int64_t>(random.Next() >> (1 + random.Below(63)));
}

// Ids in rising order with gaps.
int64_t NextId(RepeatableRandom& random, int64_t* last) {
  *last += random.OneIn(4) ? 1 + static_cast<int64_t>(random.Next() >> (12 + random.Below(50))) : 1;
  return *last;
}

ContextIndex RandomContext(Profile& profile, RepeatableRandom& random, bool at_entry) {
  std::vector<Frame> frames(1 + random.Below(random.OneIn(50) ? 40 : 4));
  for (Frame& frame : frames) {
    frame.method = MethodIndex{static_cast<uint32_t>(random.Below(profile.method_count()))};
    frame.bci = static_cast<Bci>(random.OneIn(30) ? -1 : static_cast<int>(random.Below(70000)));
  }
  if (at_entry) frames[0].bci = 0;
  return profile.AddContext(frames);
}

std::vector<TypeCount> RandomTypeCounts(const Profile& profile, RepeatableRandom& random) {
  std::vector<TypeCount> counts(random.Below(random.OneIn(20) ? 100 : 6));
  for (TypeCount& count : counts) {
    count = {TypeIndex{static_cast<uint32_t>(random.Below(profile.type_count()))},
             RandomCount(random)};
  }
  return counts;
}

std::string FormatItems(std::span<const Successor> items) {
  std::string text;
  for (const Successor& s : items) {
    text += "(" + std::to_string(s.bci) + "," + std::to_string(s.index) + "," +
            std::to_string(s.count) + ")";
  }
  return text;
}
std::string FormatItems(std::span<const TypeCount> items) {
  std::string text;
  for (const TypeCount& t : items) {
    text +=
        "(#" + std::to_string(static_cast<uint32_t>(t.type)) + "," + std::to_string(t.count) + ")";
  }
  return text;
}

class Comparison {
 public:
  Comparison(const Profile& a, const Profile& b) : a_(a), b_(b) {}

  std::string Run() {
    Types() && Methods() && Tables() && Extras();
    return text_;
  }

 private:
  bool Same(const std::string& what, const std::string& a, const std::string& b) {
    if (a != b) text_ = what + ": " + a + " != " + b;
    return a == b;
  }
  bool Same(const std::string& what, int64_t a, int64_t b) {
    return a == b || Same(what, std::to_string(a), std::to_string(b));
  }
  bool Types() {
    if (!Same("types", static_cast<int64_t>(a_.type_count()),
              static_cast<int64_t>(b_.type_count())))
      return false;
    for (const TypeIndex t : TypesOf(a_)) {
      const std::string what = "type " + std::to_string(static_cast<uint32_t>(t));
      if (!Same(what + " name", std::string(a_.TypeName(t)), std::string(b_.TypeName(t))))
        return false;
      if (!Same(what + " id", a_.TypeFileId(t), b_.TypeFileId(t))) return false;
    }
    return true;
  }
  bool Methods() {
    if (!Same("methods", static_cast<int64_t>(a_.method_count()),
              static_cast<int64_t>(b_.method_count()))) {
      return false;
    }
    for (const MethodIndex m : MethodsOf(a_)) {
      const std::string what = "method " + std::to_string(static_cast<uint32_t>(m));
      if (!Same(what, a_.DescribeMethod(m), b_.DescribeMethod(m))) return false;
      if (!Same(what + " id", a_.MethodFileId(m), b_.MethodFileId(m))) return false;
    }
    return true;
  }
  bool Tables() {
    for (const Table table : kAllTables) {
      const std::string key(TableKey(table));
      if (!Same(key, static_cast<int64_t>(a_.entry_count(table)),
                static_cast<int64_t>(b_.entry_count(table)))) {
        return false;
      }
      for (const EntryIndex e : EntriesOf(a_, table)) {
        const std::string what = key + "[" + std::to_string(static_cast<uint32_t>(e)) + "]";
        if (!Same(what + " ctx", a_.FormatContext(a_.EntryContext(table, e)),
                  b_.FormatContext(b_.EntryContext(table, e)))) {
          return false;
        }
        if (!Same(what, Records(a_, table, e), Records(b_, table, e))) return false;
      }
    }
    return true;
  }
  static std::string Records(const Profile& p, Table table, EntryIndex e) {
    switch (RecordKindOf(table)) {
      case RecordKind::kCount:
        return std::to_string(p.EntryCount(table, e));
      case RecordKind::kSuccessors:
        return FormatItems(p.EntrySuccessors(e));
      case RecordKind::kTypeCounts:
        return FormatItems(p.EntryTypeCounts(table, e));
    }
    return "";
  }
  bool Extras() {
    if (!Same("extras", static_cast<int64_t>(a_.extras().size()),
              static_cast<int64_t>(b_.extras().size()))) {
      return false;
    }
    for (size_t i = 0; i < a_.extras().size(); ++i) {
      if (!Same("extra key", a_.extras()[i].key, b_.extras()[i].key)) return false;
      if (!Same("extra value", a_.extras()[i].json, b_.extras()[i].json)) return false;
    }
    return true;
  }

  const Profile& a_;
  const Profile& b_;
  std::string text_;
};

}  // namespace

uint64_t RepeatableRandom::Next() {
  uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

Profile MakeRandomProfile(uint64_t seed, ExampleKind kind) {
  RepeatableRandom random(seed);
  Profile profile;
  profile.AddStandardTypes();
  int64_t id = 9;
  for (uint64_t n = random.Below(20); n > 0; --n)
    profile.AddTypeWithId(RandomName(random, kind), NextId(random, &id));
  id = -1;
  for (uint64_t n = random.Below(20); n > 0; --n) {
    std::vector<TypeIndex> signature(2 + random.Below(4));
    for (TypeIndex& type : signature)
      type = TypeIndex{static_cast<uint32_t>(random.Below(profile.type_count()))};
    profile.AddMethodWithId(RandomName(random, kind), signature, NextId(random, &id));
  }
  if (random.OneIn(2)) {
    profile.AddTypeCounts(Table::kMonitors, profile.AddMonitorContext(),
                          RandomTypeCounts(profile, random));
  }
  for (uint64_t n = profile.method_count() == 0 ? 0 : random.Below(30); n > 0; --n) {
    const Table table = kAllTables[random.Below(kTableCount)];
    const ContextIndex context =
        RandomContext(profile, random, table == Table::kCalls && kind == ExampleKind::kOfficial);
    if (table == Table::kConditionals) {
      std::vector<Successor> successors(random.Below(random.OneIn(20) ? 60 : 5));
      for (Successor& s : successors) {
        s = {random.OneIn(3) ? -5 : static_cast<int64_t>(random.Below(100)),
             static_cast<int64_t>(random.Below(4)), RandomCount(random)};
      }
      profile.AddSuccessors(context, successors);
    } else if (RecordKindOf(table) == RecordKind::kCount) {
      profile.AddCount(table, context, RandomCount(random));
    } else if (table != Table::kMonitors) {
      profile.AddTypeCounts(table, context, RandomTypeCounts(profile, random));
    }
  }
  static constexpr const char* kValues[] = {
      "null", "[]", "{}", "-1.5e-3", "{\"a\":[true,\"]\\\"\"]}", "[[[ ]]]"};
  for (uint64_t n = random.Below(3); n > 0; --n) {
    profile.SetExtra("x" + RandomName(random, kind), kValues[random.Below(std::size(kValues))]);
  }
  return profile;
}

Profile MakeShapedProfile(size_t scale, uint64_t seed) {
  RepeatableRandom program(1);  // the same for all runs
  RepeatableRandom run(seed);
  Profile profile;
  profile.AddStandardTypes();
  const size_t types = 5000 * scale;
  while (profile.type_count() < types) {
    const size_t i = profile.type_count();
    profile.AddType("org.example.part" + std::to_string(program.Below(60)) + ".module" +
                    std::to_string(program.Below(9)) + ".Class" + std::to_string(i) +
                    (i % 3 == 0 ? "$Inner" : ""));
  }
  static constexpr const char* kNames[] = {"<init>",   "get",      "run",  "apply",
                                           "toString", "hashCode", "next", "close"};
  while (profile.method_count() < 42000 * scale) {
    std::vector<TypeIndex> signature(2 + program.Below(4));
    for (TypeIndex& type : signature) {
      type = TypeIndex{
          static_cast<uint32_t>(program.OneIn(3) ? program.Below(10) : program.Below(types))};
    }
    const std::string name = program.OneIn(2) ? kNames[program.Below(std::size(kNames))]
                                              : "method" + std::to_string(program.Below(4000));
    profile.AddMethod(name, signature);
  }
  const auto count = [&run] {
    return 1 + static_cast<int64_t>(run.Next() >> (30 + run.Below(33)));
  };
  // Four of five contexts belong to the program, so that most of them appear in other runs, too.
  // Two of three times another frame is added: median 2-3, 99th percentile about 12.
  const auto context = [&](bool call) {
    RepeatableRandom& random = run.OneIn(5) ? run : program;
    std::vector<Frame> frames;
    do {
      frames.push_back({MethodIndex{static_cast<uint32_t>(random.Below(profile.method_count()))},
                        static_cast<Bci>(call && frames.empty() ? 0 : random.Below(300))});
    } while (frames.size() < 19 && !random.OneIn(3));
    return profile.AddContext(frames);
  };
  while (profile.entry_count(Table::kCalls) < 10000 * scale)
    profile.AddCount(Table::kCalls, context(true), count());
  while (profile.entry_count(Table::kConditionals) < 7000 * scale) {
    const Successor successors[] = {{static_cast<int64_t>(program.Below(300)), 0, count()},
                                    {static_cast<int64_t>(program.Below(300)), 1, count()}};
    profile.AddSuccessors(context(false), successors);
  }
  while (profile.entry_count(Table::kVirtualInvokes) < 600 * scale) {
    std::vector<TypeCount> receivers(1 + program.Below(8));
    for (TypeCount& r : receivers)
      r = {TypeIndex{static_cast<uint32_t>(program.Below(types))}, count()};
    profile.AddTypeCounts(Table::kVirtualInvokes, context(false), receivers);
  }
  const TypeCount monitors[] = {{TypeIndex{9}, count()}, {TypeIndex{10}, count()}};
  profile.AddTypeCounts(Table::kMonitors, profile.AddMonitorContext(), monitors);
  for (int i = 0; i < 45; ++i)
    profile.AddCount(Table::kSamples, context(false), 1 + static_cast<int64_t>(run.Below(9)));
  return profile;
}

EventTables MakeExampleEvents() {
  EventTables events;
  const EventMethod main = events.AddMethod("a.Main", "main", "([Ljava/lang/String;)V");
  const EventMethod load = events.AddMethod("a.Main", "load", "(I)V");
  const EventMethod copy = events.AddMethod("java.util.Arrays", "copyOf", "([BI)[B");
  const EventMethod park =
      events.AddMethod("java.util.concurrent.locks.LockSupport", "park", "(Ljava/lang/Object;)V");
  const EventFrame copy_frame{.method = copy, .bci = 2, .line = 3541};
  const EventFrame main_frame{.method = main, .bci = 5, .line = 11};
  const auto load_at = [&](Bci bci, int32_t line) {
    return EventFrame{.method = load, .bci = bci, .line = line};
  };
  const auto stack = [&](const std::vector<EventFrame>& frames) { return events.AddStack(frames); };
  const EventThread in_main = events.AddThread("main");
  const EventThread in_pool = events.AddThread("pool-*-thread-*");
  const EventType bytes = events.AddType("[B");
  const EventType node = events.AddType("a.Node");
  const EventType lock = events.AddType("a.Lock");
  events.Add(EventTables::Allocation{.stack = stack({copy_frame, load_at(7, 21), main_frame}),
                                     .type = bytes,
                                     .thread = in_main,
                                     .bytes = 6'000'000,
                                     .objects = 60,
                                     .live_bytes = 2'000'000,
                                     .live_objects = 20,
                                     .samples = 12,
                                     .live_samples = 4});
  events.Add(EventTables::Allocation{.stack = stack({copy_frame, load_at(7, 21)}),
                                     .type = bytes,
                                     .thread = in_pool,
                                     .bytes = 1'000'000,
                                     .objects = 10,
                                     .samples = 2});
  events.Add(EventTables::Allocation{.stack = stack({load_at(12, 23), main_frame}),
                                     .type = node,
                                     .thread = in_main,
                                     .bytes = 3'000'000,
                                     .objects = 100'000,
                                     .live_bytes = 3'000'000,
                                     .live_objects = 100'000,
                                     .samples = 6,
                                     .live_samples = 6});
  events.AddFigures(EventTables::AllocationFigures{
      .intervals = {524'288}, .samples = 21, .dropped = 1, .swept_ms = 1'764'530'000'000});
  events.Add(EventTables::Wait{.stack = stack({load_at(30, 30), main_frame}),
                               .type = lock,
                               .thread = in_main,
                               .owner = stack({load_at(40, 33)}),
                               .ns = 5'000'000,
                               .waits = 2});
  events.Add(
      EventTables::Wait{.stack = stack({{.method = park, .bci = 14, .line = 211}, load_at(30, 30)}),
                        .type = lock,
                        .thread = in_pool,
                        .is_park = true,
                        .ns = 20'000'000,
                        .waits = 4});
  events.AddFigures(EventTables::WaitFigures{.thresholds = {1'000'000}, .waits = 6, .shorter = 41});
  return events;
}

std::string FirstDifference(const Profile& a, const Profile& b) { return Comparison(a, b).Run(); }

}  // namespace iprof
