#include "cli/views/export/export_format.h"

#include <fmt/core.h>

#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "cli/views/export/buffered_text.h"
#include "writer/ops/event_samples.h"
#include "writer/ops/summary.h"
#include "writer/profile/io/event_part.h"
#include "writer/profile/sample_threads.h"

namespace iprof {
namespace {

std::string FrameName(const Profile& profile, Frame frame, bool bci) {
  std::string out;
  for (const char c : QualifiedName(profile, frame.method)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == ';' || byte < 0x20 || byte == 0x7F) {
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  if (bci && !NamesNoMethod(profile, frame.method))
    fmt::format_to(std::back_inserter(out), ":{}", frame.bci);
  return out;
}

}  // namespace

Status WriteCollapsed(const Profile& from, const ExportOptions& options, ByteSink& sink) {
  const Profile events =
      options.value ? EventsAsSamples(EventsOf(from), *options.value) : Profile();
  const Profile& profile = options.value ? events : from;
  std::map<std::string, int64_t> stacks;
  for (const EntryIndex entry : EntriesOf(profile, options.stacks)) {
    std::string stack;
    const std::vector<Frame> frames = profile.Frames(profile.EntryContext(options.stacks, entry));
    for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
      if (!stack.empty()) stack += ';';
      stack += FrameName(profile, *frame, options.bci);
    }
    int64_t& count = stacks[stack];
    count = SaturatingAdd(count, profile.EntryCount(options.stacks, entry));
  }
  BufferedText lines(sink);
  for (const auto& [stack, count] : stacks) {
    fmt::format_to(std::back_inserter(lines.buffer()), "{} {}\n", stack, count);
    if (!lines.Continue()) break;
  }
  return lines.Finish();
}

}  // namespace iprof
