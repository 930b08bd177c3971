// LambdaNaming: the stable names of lambdas, from what a process holds of their classes.
//
// The agent numbers lambdas of one class that do the same by their place in the class file
// (agent/instrument/names/lambda_sites.h). Here all of them have the number 0, or none (class_naming.h).
//
// Guarantees: the agent's probes in a lambda make no difference.
// Threads: one. Failure: a lambda without a name.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agent/hotspot/metadata.h"
#include "writer/names/stable_names.h"

namespace iprof::hotspot {

// HotSpot's name of a hidden class split at its suffix: "a/B$$Lambda+0x01" gives "a/B$$Lambda" and
// "0x01". The suffix is empty if the class is not hidden.
struct HiddenName {
  std::string_view name;
  std::string_view suffix;
};
HiddenName SplitHiddenName(std::string_view symbol);

// What makes the name of a lambda, or nullopt. `klass` must be hidden. The texts are the metadata's.
std::optional<LambdaFacts> LambdaFactsOf(Metadata& metadata, const ListedClass& klass,
                                         std::span<const std::string_view> interfaces);

}  // namespace iprof::hotspot
