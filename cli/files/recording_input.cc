#include "cli/files/recording_input.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <utility>

#include "agent/settings/main_program.h"
#include "agent/settings/vm_identity.h"
#include "cli/files/raw_input.h"
#include "cli/jfr/recording_file.h"
#include "writer/base/grouped.h"
#include "writer/profile/image/finish_for_image.h"
#include "writer/profile/io/agent_section.h"

namespace iprof::cli {
namespace {

// "20 ms", "17.5 ms"
std::string Milliseconds(int64_t ns) {
  const double ms = static_cast<double>(ns) / 1e6;
  return ns % 1'000'000 == 0 ? fmt::format("{:.0f} ms", ms) : fmt::format("{:.3g} ms", ms);
}

std::string DescribeSamples(const jfr::RecordingFigures& figures) {
  if (figures.samples == 0)
    return "no samples: neither jdk.ExecutionSample nor jdk.CPUTimeSample was recorded";
  std::string text = fmt::format(
      "{} of {}{}, {} {}", Counted(figures.samples, "sample", "samples"), figures.event,
      figures.native > 0 ? fmt::format(" and {} jdk.NativeMethodSample", Grouped(figures.native))
                         : "",
      figures.interval_is_known ? "one every" : "taken as one every",
      Milliseconds(figures.interval_ns));
  if (!figures.interval_is_known)
    text += ", which is JFR's default, because the recording does not say it";
  return text;
}

}  // namespace

bool IsRecording(const std::string& path) {
  // Opening a named pipe would wait for its writer.
  struct stat info {};
  if (path != "-" && (stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode))) return false;
  const InputFile file(path);
  if (!file.status().ok() || !file.regular_size()) return false;
  std::array<uint8_t, 4> first{};
  const ssize_t count = pread(file.fd(), first.data(), first.size(), 0);
  return count == static_cast<ssize_t>(first.size()) && jfr::BeginsRecording(first);
}

Result<RecordingInput> ReadRecordingInput(int fd, uint64_t size, const std::string& name,
                                          const RecordingWishes& wishes) {
  jfr::RecordingFile file(fd, size);
  Result<jfr::RecordedProfile> read = jfr::ReadRecording(file, {.native = wishes.native});
  if (!read.ok())
    return Status(read.status().code(), fmt::format("{}: {}", name, read.status().message()));
  RunNote& run = read->run;
  run.agent = IPROF_VERSION;
  run.program = vm::PublicName(vm::FromJavaCommand(read->java_command, {}));
  RunList runs;
  runs.Add(run);
  SetAgentPart(read->profile, kProvenancePart, runs.ToJson());
  const ImageTarget target =
      wishes.target.value_or(ImageTargetForJdk(vm::MakeVmIdentity("", run.jvm_build).major));
  return RecordingInput{
      FinishForImage(std::move(read->profile), target, wishes.is_filtered).profile,
      std::move(read->figures), run.jvm_build};
}

Result<RecordingInput> ReadRecordingInput(const std::string& path, const RecordingWishes& wishes) {
  const InputFile file(path);
  if (Status status = file.status(); !status.ok()) return status;
  if (!file.regular_size())
    return Status(Code::kBadInput, file.name() + ": a recording is read from a file only");
  return ReadRecordingInput(file.fd(), *file.regular_size(), file.name(), wishes);
}

std::vector<std::string> DescribeRecording(const jfr::RecordingFigures& figures) {
  std::vector<std::string> lines;
  const auto add = [&](std::string line) { lines.push_back(std::move(line)); };
  add(DescribeSamples(figures));
  if (figures.other_samples > 0) {
    add(fmt::format("{} of jdk.ExecutionSample left out: they are of the same threads",
                    Counted(figures.other_samples, "sample", "samples")));
  }
  if (figures.lost > 0)
    add(fmt::format("JFR lost {}", Counted(figures.lost, "more sample", "more samples")));
  if (figures.without_stack > 0)
    add(fmt::format("{} without a stack that a profile can have",
                    Counted(figures.without_stack, "sample", "samples")));
  if (figures.native_left_out > 0) {
    add(fmt::format("{} of jdk.NativeMethodSample left out: most are of threads that wait{}",
                    Counted(figures.native_left_out, "sample", "samples"),
                    figures.event == "jdk.CPUTimeSample"
                        ? "; those that work are in jdk.CPUTimeSample"
                        : "; --native adds them"));
  }
  if (figures.truncated > 0 || figures.truncated_events > 0) {
    add(fmt::format(
        "JFR cut off the stacks of {}{}: they lack their outermost callers; record with "
        "-XX:FlightRecorderOptions=stackdepth=512",
        Counted(figures.truncated, "sample", "samples"),
        figures.truncated_events > 0
            ? " and " + Counted(figures.truncated_events, "other event", "other events")
            : ""));
  }
  if (figures.unstable_frames > 0) {
    add(fmt::format("{} of lambdas and proxies left out: a recording does not say what they do",
                    Counted(figures.unstable_frames, "frame", "frames")));
  }
  if (figures.allocations > 0)
    add(fmt::format("{} of allocations{}", Counted(figures.allocations, "event", "events"),
                    figures.has_object_sizes
                        ? ""
                        : "; JFR does not say how large objects are, so their number is that of "
                          "the events"));
  if (figures.waits > 0 || figures.waits_for_work > 0)
    add(fmt::format("{} for locks; {} for work left out", Counted(figures.waits, "wait", "waits"),
                    Counted(figures.waits_for_work, "wait", "waits")));
  add("a recording has no counts and no hashes of classes: 'iprof check' cannot say whether a "
      "class has changed since");
  return lines;
}

}  // namespace iprof::cli
