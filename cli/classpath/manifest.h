// Manifest: what the manifest of a jar says about where its classes are.
//
// Guarantees: any text may be given. Threads: any; pure. Failure: none; lines that are not understood
// are left out. Throws nothing but std::bad_alloc.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace iprof::classpath {

inline constexpr std::string_view kManifestEntry = "META-INF/MANIFEST.MF";

struct Manifest {
  bool is_multi_release = false;
  std::vector<std::string> class_path;  // as written: URLs, relative to the jar
};

Manifest ParseManifest(std::string_view text);

// The path that an entry of a manifest's class path names, for a jar in this folder ("" is the
// current one). Empty if it is not a file.
std::string PathOfManifestEntry(std::string_view folder, std::string_view url);

}  // namespace iprof::classpath
