// LambdaCode: the class that LambdaMetafactory makes for an invokedynamic instruction, as a profile has it: its name, its
// method, and where this calls the target. There is no class file of it.
//
// Example: a.B has `Runnable task = () -> work(x);` with a captured int x. The class a.B$$Lambda$… has run()V, which loads its
// field (aload_0, getfield) and calls lambda$main$0(I)V at bci 4.
//
// Guarantees: pure. What it says is what InnerClassLambdaMetafactory of JDK 17 to 25 makes. Not known are classes that convert
// primitive values, and from rule k25 on serializable ones.
// Threads: any. Failure: what is not known is nullopt; std::bad_alloc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "agent/instrument/names/lambda_sites.h"
#include "writer/names/stable_names.h"
#include "writer/records/class_record.h"

namespace iprof::instrument {

struct LambdaCode {
  std::string class_name;  // stable and internal, "a/B$$Lambda$…_1"
  std::string_view method;
  std::string_view descriptor;
  uint32_t bci = 0;  // of the call
  Callee callee;     // texts as those of the site
};

// `host`: the internal name of the class with the instruction.
std::optional<LambdaCode> LambdaCodeOf(std::string_view host, const LambdaSite& site,
                                       NamingRule rule);

}  // namespace iprof::instrument
