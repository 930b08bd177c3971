// CallTimes: how often each method was called and how long it took, measured by its probes.
//
// Guarantees: a Leave without its Enter (the method was entered before it had probes) is ignored;
// an Enter without its Leave is closed by the next Leave of a caller.
// Threads: Enter and Leave on the thread that executes the method, any number of threads at once;
// Name on the thread that loads a class; Write at the end, while threads may still be counting.
// Failure: out of memory ends the process, as everywhere in this agent, which is not a product.
#pragma once

#include <cstdint>
#include <string>

namespace percall {

// A number for a method; 0 if there are too many methods.
int32_t Name(std::string method);
void Enter(int32_t method);
void Leave(int32_t method);
// Writes a line for each method that was called: calls, total and own nanoseconds, name; sorted by
// own time. False if the file cannot be written.
bool Write(const std::string& path);

}  // namespace percall
