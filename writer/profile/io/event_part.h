// The part "events" of a profile's section "iprofagent" (agent_section.h): EventTables as JSON. It has its own version, and image
// builds ignore it, as they ignore the section.
//   "events": {"version":1,"types":["[B","java.lang.Object"],"threads":["main"],"methods":[["a.B","main","()V"],["a.B","read","()V"]],
//              "stacks":[[0,3,9],[1,7,21,0,3,9]],
//              "alloc":{"intervals":[524288],"samples":12,"dropped":0,"sweptMs":1764530000000,
//                       "rows":[[1,0,0,6100000,96,510000,8,12,1]]},
//              "lock":{"thresholds":[1000000],"waits":3,"dropped":0,"shorter":41,"rows":[[1,1,0,5000000,3,0,0]]}}
// A stack is method, bci and line of each frame, innermost first. A row of allocations is stack, type, thread, bytes, objects,
// live bytes, live objects, samples, live samples; a row of waits is stack, type, thread, ns, waits, the owner's stack, and 1 for
// LockSupport.park or 0 for a monitor. Type, thread, owner and line are -1 where they are not known. "alloc" and "lock" are
// absent if they were not recorded.
//
// Guarantees: the text depends on the content only, not on the order in which it was added: all lists are sorted, and names
// and stacks that no row has are left out. ParseEvents reads what EventsToJson writes, also with additional members, and takes
// memory in proportion to the text. A part of a higher version, or of any other shape, is kept unread.
// Threads: any; pure functions. Failure: what is no part is nullopt; std::bad_alloc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "writer/profile/event_tables.h"
#include "writer/profile/model.h"

namespace iprof {

inline constexpr int64_t kEventsVersion = 1;

std::string EventsToJson(const EventTables& events);
std::optional<EventTables> ParseEvents(std::string_view json);
// Those of a profile; empty() if it has none, or none that can be read.
EventTables EventsOf(const Profile& profile);
// Sets the part; removes it if the tables are empty().
void SetEvents(Profile& profile, const EventTables& events);

}  // namespace iprof
