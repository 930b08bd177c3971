// UniteByLargest: one profile from several states of the same counters.
//
// Why: counters that are read again have grown, so adding the readings would count twice. But a
// later reading may lack what was unloaded or compiled again since the earlier one. So each entry is that of the
// reading in which its total is the largest.
//
// Guarantees: the result does not depend on the order of the inputs, but for equal totals and the order of types,
// methods and entries: those of `first` come first. Extra keys are those of `last`,
// and so is a method's code hash where it is known. The inputs are
// not changed.
// Threads: any. Failure: none but std::bad_alloc.
#pragma once

#include "writer/profile/model.h"

namespace iprof {

Profile UniteByLargest(const Profile& first, const Profile& last);

}  // namespace iprof
