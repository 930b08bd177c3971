// Fuzzes the image filter. Filtering any readable profile gives a profile that can be written and
// read, and filtering that again changes nothing. What is written for a build has the same samples.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "writer/profile/image/image_profile.h"
#include "writer/profile/image/write_for_image.h"
#include "writer/profile/io/reader.h"
#include "writer/profile/io/writer.h"

namespace {

std::string TextFor(const iprof::Profile& profile, const iprof::WriteOptions& options) {
  iprof::StringSink sink;
  if (!iprof::WriteForImage(profile, options, sink).ok()) std::abort();
  return sink.text();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace iprof;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<Profile> profile = ReadProfileText(text);
  if (!profile.ok()) return 0;
  const ImageTarget target = kImageTargets[size % std::size(kImageTargets)];
  const ImageProfile once = MakeImageProfile(*profile, target);
  const ImageProfile twice = MakeImageProfile(once.profile, target);
  WriteOptions options;
  options.version = FormatVersion::k1_1_0;
  const Result<std::string> first = WriteProfileText(once.profile, options);
  const Result<std::string> second = WriteProfileText(twice.profile, options);
  if (!first.ok() || !second.ok() || *first != *second || !ReadProfileText(*first).ok()) {
    std::fprintf(stderr, "the filtered profile is not stable\n");
    std::abort();
  }
  // Sums that saturate cannot be taken apart again.
  if (once.profile.Total(Table::kSamples) > INT64_MAX / 4) return 0;
  const std::string file = TextFor(once.profile, options);
  const Result<Profile> read = ReadProfileText(file);
  if (!read.ok() || read->Total(Table::kSamples) != once.profile.Total(Table::kSamples) ||
      TextFor(*read, options) != file) {
    std::fprintf(stderr, "whole stacks do not come back\n");
    std::abort();
  }
  return 0;
}
