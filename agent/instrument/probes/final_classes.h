// FinalClasses: classes of the JDK that nothing can extend, as the specification of their API says.
//
// Calls of their methods have one target, whoever makes them. They are a third of all calls in many
// programs (strings and their builders above all), and no compiler asks for a profile of them. The
// class of a caller is known to be final only when it is loaded, which may be after the caller; of
// these it is known beforehand.
//
// A name too few costs a counted call; a name that is not final would lose a site, so that a test
// asks the running JDK about every one of them. Pure; any thread.
#pragma once

#include <span>
#include <string_view>

namespace iprof::instrument {

// Internal name.
bool IsFinalClass(std::string_view name);

// Methods that java.lang.Object makes final, and so every class has as they are.
bool IsFinalMethodOfObject(std::string_view name, std::string_view descriptor);

// All names, in byte order.
std::span<const std::string_view> FinalClasses();

}  // namespace iprof::instrument
