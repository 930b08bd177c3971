// Hostile raw files: the tool reads them, makes a profile, and writes it.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "writer/io/reader.h"
#include "writer/io/writer.h"
#include "writer/raw/raw_profile.h"
#include "writer/raw/raw_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace iprof;
  RawMemoryBytes bytes({data, size});
  const Result<RawContents> contents = ReadRaw(bytes, "fuzz");
  if (!contents.ok()) return 0;
  const RawProfile made = MakeRawProfile(*contents);
  const Result<std::string> text =
      WriteProfileText(made.profile, {.version = FormatVersion::k1_1_0});
  // A profile of ours is one that we can read.
  if (!text.ok() || !ReadProfileText(*text).ok()) std::abort();
  return 0;
}
