// Generated names: which names of a profile belong to classes that a JVM generates, and which image
// build knows them.
//
// Such a class has no class file. An image build finds lambdas and proxies by their stable names
// (stable_names.h).
//
// Guarantees: pure; any text may be given. A lambda's name for JDK 23 looks like one for 25, so
// NamesFit accepts each for the other.
// Threads: any. Failure: none.
#pragma once

#include <cstdint>
#include <string_view>

#include "writer/names/stable_names.h"

namespace iprof {

enum class GeneratedKind : uint8_t {
  kNone,      // a class from a class file, an array or a primitive type
  kLambda,    // with the stable name for JDK 17 to 22
  kLambda23,  // with the stable name for JDK 23 and later
  kProxy,     // with the stable name
  kUnstable,  // a lambda or proxy with the name of one run, which no build knows
  kOther,     // linkage, accessors of reflection, other hidden classes
};

struct GeneratedName {
  GeneratedKind kind = GeneratedKind::kNone;
  std::string_view host;  // of a lambda: the class that makes it
  // Of a lambda with a stable name: what follows the hash, "_1" or "1". Empty for the number 0.
  std::string_view number;
};

GeneratedName ReadGeneratedName(ProfileName name);

// Whether a class without a class file, and with such a name, is one that libraries make while the program runs: CGLIB,
// Hibernate, Byte Buddy, Javassist, and what the JVM makes for method handles. An image has it only if a build step made its
// class file. Example: "com.acme.Shop$$SpringCGLIB$$0".
bool IsMadeAtRunTime(ProfileName name);

// Whether an image build by this rule may know a lambda or proxy of this kind.
bool NamesFit(GeneratedKind kind, NamingRule rule);

}  // namespace iprof
