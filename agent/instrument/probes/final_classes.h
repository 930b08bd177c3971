// FinalClasses: classes of the JDK that nothing can extend, according to the specification of their
// API.
//
// Why: calls of their methods have one target in every caller. In many programs they are a
// third of all calls (mostly strings and their builders), and no compiler needs a profile of them.
// In general, whether a callee's class is final is known only when it is loaded, possibly after the
// caller. For these classes it is known in advance.
//
// Guarantees: a missing name costs only a counted call. A name of a class that is not final would
// lose a site, so a test asks the running JDK about every one of them.
// Threads: any; pure functions. Failure: none.
#pragma once

#include <span>
#include <string_view>

namespace iprof::instrument {

// The name is internal.
bool IsFinalClass(std::string_view name);

// Methods that java.lang.Object declares final, so that every class has them unchanged.
bool IsFinalMethodOfObject(std::string_view name, std::string_view descriptor);

// All names, in byte order.
std::span<const std::string_view> FinalClasses();

}  // namespace iprof::instrument
