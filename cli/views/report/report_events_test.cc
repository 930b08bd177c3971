#include "cli/views/report/report_events.h"

#include <catch2/catch.hpp>
#include <string>

#include "writer/profile/example_profiles.h"

namespace iprof {
namespace {

std::string DataOf(const EventTables& events, size_t most_frames = 1000) {
  JsonBuilder json(JsonBuilder::For::kPage);
  WriteReportEvents(events, most_frames, json);
  return json.Take();
}

void CheckHas(const std::string& text, const std::string& part) {
  INFO(text);
  CHECK(text.find(part) != std::string::npos);
}

TEST_CASE("a value has a flame graph whose innermost frames are classes", "[report_events]") {
  const std::string data = DataOf(MakeExampleEvents());
  // Main.load is without a caller in the pool, whose thread is no frame.
  CheckHas(
      data,
      R"({"value":"alloc-bytes","unit":"bytes","says":"allocated","sum":10000000,"samples":20,)"
      R"("flame":[0,0,9000000,11,9000000,1,1,1,9000000,21,6000000,1,)"
      R"(2,2,6000000,3541,6000000,1,3,3,6000000,-1,0,1,2,4,3000000,-1,0,1,)"
      R"(0,1,1000000,21,1000000,1,1,2,1000000,3541,1000000,1,2,3,1000000,-1,0,1],)"
      R"("frames":8,"all_frames":8,"undrawn":0,)"
      R"("classes":["byte[]",7000000,14,"a.Node",3000000,6],"all_classes":2,)"
      R"("threads":["main",9000000,18,"pool-*-thread-*",1000000,2],"all_threads":2})");
  CheckHas(data,
           R"({"methods":[["a.Main","main","a.Main.main([Ljava.lang.String;)void",0],)"
           R"(["a.Main","load","a.Main.load(int)void",0],)"
           R"(["java.util.Arrays","copyOf","java.util.Arrays.copyOf([B, int)[B",1],["byte[]"])");
  // Waits are not sampled.
  CheckHas(data,
           R"("value":"lock-count","unit":"count","says":"waits for locks","sum":6,"flame":)");
  CheckHas(data, R"("classes":["a.Lock",6,0],"all_classes":1)");
}

TEST_CASE("what was not recorded is not shown, and small frames are one", "[report_events]") {
  EventTables events;
  events.AddFigures(EventTables::WaitFigures{});
  const EventFrame frame{events.AddMethod("a.B<", "run", "()V"), 7};
  events.Add(EventTables::Wait{.stack = events.AddStack({&frame, 1}), .ns = 5, .waits = 1});
  const std::string data = DataOf(events);
  CHECK(data.find("alloc") == std::string::npos);
  CHECK(data.find('<') == std::string::npos);
  CheckHas(data, R"("classes":["",5,0])");
  const std::string cut = DataOf(MakeExampleEvents(), 6 * 2);
  CheckHas(cut, R"("frames":2,"all_frames":8,"undrawn":)");
}

}  // namespace
}  // namespace iprof
