#include "cli/live/harvest_samples.h"

#include <fmt/core.h>

#include <optional>
#include <utility>

#include "cli/files/recording_input.h"
#include "cli/live/agent_library.h"
#include "cli/live/window_recording.h"
#include "cli/terminal/terminal_text.h"
#include "writer/profile/entry_copier.h"
#include "writer/profile/image/image_note.h"
#include "writer/profile/io/agent_section.h"
#include "writer/profile/io/event_part.h"
#include "writer/profile/io/reader.h"

namespace iprof::cli {
namespace {

// No option that changes a class or its compiled code: HotSpot would begin to count it from zero. An idle program has no
// samples, and its counters are wanted all the same.
constexpr std::string_view kSamplesOnly =
    "calls=n,branches=n,receivers=n,monitors=n,precise=n,force=always";

WindowOrder WindowOf(const SamplesOrder& order) {
  WindowOrder window;
  window.address.pid = order.pid;
  window.options = fmt::format("{},target={}{}", kSamplesOnly, JdkOf(order.target),
                               order.is_filtered ? "" : ",image=n");
  window.only_samples = true;
  window.duration = order.duration;
  window.timeouts = order.timeouts;
  return window;
}

// An agent that was loaded earlier keeps the target of its first load.
Status CheckTarget(const Profile& samples, ImageTarget wanted, const std::string& process) {
  const auto note = ImageNote::Of(AgentSection::Of(samples));
  if (!note || note->target == wanted) return Status();
  return Status(Code::kUsage,
                fmt::format("{}: the agent was loaded for an image of JDK {}, and names lambdas as "
                            "it does: harvest for that one (--target {})",
                            process, JdkOf(note->target), JdkOf(note->target)));
}

}  // namespace

Status CheckSamples(const SamplesOrder& order) {
  return CheckWindow(WindowOf(order), "iprof harvest", "--samples");
}

Status CheckSampler(const SamplesOrder& order, Console& console) {
  if (const Result<std::string> library = FindAgentLibrary(); !library.ok())
    return library.status();
  return WindowRecording(WindowOf(order), console).Check();
}

Result<RecordedSamples> RecordSamples(const SamplesOrder& order, Console& console) {
  WindowOrder window = WindowOf(order);
  const Result<std::string> library = FindAgentLibrary();
  if (!library.ok()) return library.status();
  window.library = *library;
  std::optional<Profile> recorded;
  const std::string name = fmt::format("process {}", order.pid);
  window.save = [&](ByteSource& source) {
    Result<Profile> read = ReadProfile(source, "the samples of " + name);
    if (read.ok()) recorded = std::move(*read);
    return read.status();
  };
  // Its counters are gone.
  window.save_recovered = [](const Profile&) { return Status(); };
  WindowRecording recording(std::move(window), console);
  const Result<RecordedWindow> made = recording.Record();
  if (!made.ok()) return made.status();
  if (made->how != RecordedWindow::HowEnded::kByStop) {
    return Status(Code::kIo,
                  fmt::format("{} has ended during the recording, before its counters were "
                              "harvested: nothing was written",
                              name));
  }
  if (Status status = CheckTarget(*recorded, order.target, name); !status.ok()) return status;
  return RecordedSamples{std::move(*recorded), made->recorded, {}};
}

Result<RecordedSamples> SamplesOfRecording(const RecordingChoice& choice, Console& console) {
  Result<RecordingInput> read = ReadRecordingInput(
      choice.path, {.native = false, .target = choice.target, .is_filtered = choice.is_filtered});
  if (!read.ok()) return read.status();
  for (const std::string& problem : read->figures.problems)
    console.Warn(fmt::format("{}: {}", choice.path, problem));
  if (choice.says_facts) {
    for (const std::string& line : DescribeRecording(read->figures))
      console.Print("{}\n", EscapeForTerminal(fmt::format("{}: {}", choice.path, line)));
  }
  RecordedSamples samples{std::move(read->profile), std::chrono::milliseconds(0), {}};
  for (const RunNote& run : RunList::Of(samples.profile).Runs()) {
    samples.recorded = std::chrono::milliseconds(run.recorded_ms);
    samples.jvm_version = run.jvm_version;
  }
  return samples;
}

bool IsOfJdk(const RecordedSamples& samples, const std::string& jdk_version) {
  return samples.jvm_version.empty() ||
         samples.jvm_version == jdk_version.substr(0, jdk_version.find_first_of("+-"));
}

void AddSamples(const Profile& samples, Profile& harvest, RunNote& run) {
  EntryCopier copier(samples, harvest);
  for (const EntryIndex entry : EntriesOf(samples, Table::kSamples))
    copier.CopyEntry(Table::kSamples, entry);
  if (const auto sampling = AgentPart(samples, kSamplingPart))
    SetAgentPart(harvest, kSamplingPart, *sampling);
  if (samples.entry_count(Table::kSamples) > 0 || AgentPart(samples, kSamplingPart))
    run.tables += "+samples";
  const EventTables events = EventsOf(samples);
  if (events.empty()) return;
  SetEvents(harvest, events);
  if (events.allocation_figures()) run.tables += "+allocations";
  if (events.wait_figures()) run.tables += "+locks";
}

}  // namespace iprof::cli
