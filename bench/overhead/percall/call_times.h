// CallTimes: how often each method was called and how long it took, from the calls of its probes.
//
// Enter and Leave run on the thread that executes the method, any number of threads at once; Name
// runs on whichever thread loads a class; Write runs at the end, while threads may still be
// counting. A Leave without its Enter (the method was entered before it had probes) is ignored; an
// Enter without its Leave is closed by the next Leave of a caller. Memory that cannot be had ends
// the process, as everywhere in this agent: it is a yardstick, not a product.
#pragma once

#include <cstdint>
#include <string>

namespace percall {

// A number for a method; 0 when there are too many methods.
int32_t Name(std::string method);
void Enter(int32_t method);
void Leave(int32_t method);
// One line a method that was called: calls, total and own nanoseconds, name; by own time.
// False when the file cannot be written.
bool Write(const std::string& path);

}  // namespace percall
