// UtcTime: points in time as profiles and logs have them, in UTC.
//
// Why not fmt's formatter for times: it takes the locales of the C++ library into the agent, which are
// a third of its size, and every program that starts with the agent pays for loading them.
//
// Guarantees: ParseUtcText reads what UtcText returns. Times before 1970 and after the year 9999 become
// the first and the last of these years.
// Threads: any. Failure: ParseUtcText returns 0 if the text is no such time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace iprof {

// "2026-11-24T23:35:27.120Z"
std::string UtcText(int64_t ms_since_1970);
// "2026-11-24T23:35:27Z"
std::string UtcTextOfSeconds(int64_t seconds_since_1970);

// For people: "2026-11-24 23:35:27"
std::string UtcTextForPeople(int64_t ms_since_1970);

// What UtcText returned, in ms since 1970.
int64_t ParseUtcText(std::string_view text);

}  // namespace iprof
