#include "cli/files/profile_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/files/raw_input.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/terminal_text.h"
#include "cli/terminal/text_layout.h"
#include "writer/ops/advice.h"
#include "writer/ops/summary.h"
#include "writer/profile/image/sample_split.h"
#include "writer/profile/image/write_for_image.h"
#include "writer/profile/io/access_list.h"
#include "writer/profile/io/harvest_note.h"
#include "writer/profile/io/reader.h"
#include "writer/profile/io/run_note.h"
#include "writer/profile/sample_threads.h"

namespace iprof::cli {
namespace {

class CountingSource final : public ByteSource {
 public:
  CountingSource(ByteSource& from, Progress& progress, uint64_t total)
      : from_(from), progress_(progress), total_(total) {}

  Result<size_t> Read(char* into, size_t size) override {
    Result<size_t> read = from_.Read(into, size);
    if (read.ok()) {
      done_ += *read;
      progress_.Update(done_, total_, "bytes");
    }
    return read;
  }

 private:
  ByteSource& from_;
  Progress& progress_;
  uint64_t total_;
  uint64_t done_ = 0;
};

class ConsoleSink final : public ByteSink {
 public:
  ConsoleSink(Console& console, bool escape) : console_(console), escape_(escape) {}

  Status Write(std::string_view bytes) override {
    if (!escape_) {
      console_.Write(bytes);
      return {};
    }
    while (!bytes.empty()) {
      const size_t end = bytes.find('\n');
      console_.Write(EscapeForTerminal(bytes.substr(0, end)));
      if (end == std::string_view::npos) break;
      console_.Write("\n");
      bytes.remove_prefix(end + 1);
    }
    return {};
  }

 private:
  Console& console_;
  bool escape_;
};

Status WriteThrough(ByteSink& sink, bool gzip, const std::function<Status(ByteSink& sink)>& write) {
  if (!gzip) return write(sink);
  const std::unique_ptr<ByteSink> compressed = MakeGzipSink(sink);
  if (Status status = write(*compressed); !status.ok()) return status;
  return compressed->Finish();
}

// Opens the input and calls use(input, bytes with a progress bar, name).
Status WithOpenInput(Console& console, const std::string& path,
                     const std::function<Status(SniffedInput& input, ByteSource& source,
                                                const std::string& name)>& use) {
  if (Status status = CheckIsNoFolder(path); !status.ok()) return status;
  const InputFile file(path);
  if (Status status = file.status(); !status.ok()) return status;
  Progress progress(console, file.name());
  Result<SniffedInput> input = SniffedInput::Open(file);
  if (!input.ok()) return input.status();
  CountingSource source(input->source(), progress, file.regular_size().value_or(0));
  return use(*input, source, file.name());
}

// Of a recording, what could not be read; the rest is said by `convert`.
void WarnOfRecording(Console& console, const SniffedInput& input, const std::string& name) {
  if (!input.recording) return;
  for (const std::string& problem : input.recording->figures.problems)
    console.Warn(fmt::format("{}: {}", name, problem));
}

// The end of "app.iprof has no samples".
std::string WhyNoSamples(const Profile& profile, const std::string& selected) {
  const std::vector<RunNote> runs = RunList::Of(profile).Runs();
  const auto all = [&](const auto& is_so) {
    return !runs.empty() && std::all_of(runs.begin(), runs.end(), is_so);
  };
  const auto lacks_table = [](const RunNote& run) {
    return !run.tables.empty() && run.tables.find("samples") == std::string::npos;
  };
  const auto is_harvest = [&](const RunNote& run) {
    return lacks_table(run) && run.source == kMethodDataSource && run.options.empty();
  };
  if (all(is_harvest)) {
    return ": it was made by 'iprof harvest' without --samples. 'iprof profile PID -o FILE' "
           "records samples, too";
  }
  if (all(lacks_table)) return ": it was recorded with samples=n";
  if (!selected.empty()) return fmt::format(" in the selected classes: {}", selected);
  const std::string too_short =
      "the program used too little CPU time: a sample is taken every few milliseconds of it "
      "(interval=)";
  return runs.empty() ? ": it was recorded without any, or " + too_short : ": " + too_short;
}

}  // namespace

Status WithInput(Console& console, const std::string& path,
                 const std::function<Status(ByteSource& source, const std::string& name)>& use) {
  return WithOpenInput(
      console, path,
      [&](SniffedInput& input, ByteSource& source, const std::string& name) -> Status {
        if (input.made() == nullptr) return use(source, name);
        WarnOfRecording(console, input, name);
        // The text that `recover` writes.
        const Profile profile = std::move(*input.made());
        StringSink text;
        const Result<WriteReport> written =
            WriteForImage(profile, {.version = SmallestVersionFor(profile)}, text);
        if (!written.ok()) return written.status();
        StringSource from_text(text.text());
        return use(from_text, name);
      });
}

std::string NameOfInput(const std::string& path) { return path == "-" ? "standard input" : path; }

Result<Profile> ReadInput(Console& console, const std::string& path, SampleLabels labels) {
  Profile profile;
  const Status status = WithOpenInput(
      console, path,
      [&](SniffedInput& input, ByteSource& source, const std::string& name) -> Status {
        if (Profile* const made = input.made()) {
          WarnOfRecording(console, input, name);
          profile = std::move(*made);
          AddSplitPart(profile);  // for what an image build would be given
          profile = WithLabels(std::move(profile), labels);
          return {};
        }
        Result<Profile> read = ReadProfile(source, name, labels);
        if (!read.ok()) return read.status();
        profile = std::move(*read);
        return {};
      });
  if (!status.ok()) return status;
  return profile;
}

Status WriteOutput(Console& console, const std::string& path, bool gzip,
                   const std::function<Status(ByteSink& sink)>& write, Readers readers) {
  if (path == "-") {
    const bool terminal = isatty(console.out_fd()) == 1;
    if (gzip && terminal) {
      return Status(Code::kUsage, "compressed bytes are not written to a terminal");
    }
    ConsoleSink sink(console, terminal);
    return WriteThrough(sink, gzip, write);
  }
  Result<std::unique_ptr<AtomicFile>> file = AtomicFile::Create(path, SystemCalls::Real(), readers);
  if (!file.ok()) return file.status();
  if (Status status = WriteThrough(**file, gzip, write); !status.ok()) return status;
  return (*file)->Commit();
}

Status CheckIsNoFolder(const std::string& input) {
  std::error_code not_there;
  if (input == "-" || !std::filesystem::is_directory(input, not_there)) return {};
  return {Code::kIo, fmt::format("{0} is a folder: name a profile in it; 'iprof merge -o all.iprof "
                                 "--input-dir {0}' adds up "
                                 "all that are in it",
                                 input)};
}

Status CheckIsNoRawFile(const std::string& output) {
  if (output == "-" || !IsRawFile(output)) return {};
  return {Code::kUsage,
          fmt::format(
              "{} is a raw file, which the profile would replace: give the profile another name",
              output)};
}

Readers ReadersOf(const std::string& path) {
  struct stat info {};
  const int error = path == "-" ? fstat(STDIN_FILENO, &info) : stat(path.c_str(), &info);
  if (error != 0) return Readers::kByUmask;
  if (!S_ISREG(info.st_mode)) return Readers::kOwner;
  // With an access list, the group's bits are not the group's alone, and it may deny some what
  // others may.
  const InputFile file(path);
  const bool has_list = file.status().ok() && AccessList::IsOn(file.fd());
  if (has_list) return Readers::kOwner;
  if ((info.st_mode & S_IRGRP) == 0) return Readers::kOwner;
  if ((info.st_mode & S_IROTH) != 0) return Readers::kByUmask;
  return info.st_gid == getegid() ? Readers::kGroup : Readers::kOwner;
}

bool WantsGzip(bool asked, const std::string& path) { return asked || path.ends_with(".gz"); }

Status WriteProfileOutput(Console& console, const Profile& profile, const std::string& path,
                          const std::string& version, bool pretty, bool gzip, Readers readers) {
  WriteOptions options;
  options.pretty = pretty;
  options.version = SmallestVersionFor(profile);
  if (version != "auto") {
    const Result<FormatVersion> parsed = ParseFormatVersion(version);
    if (!parsed.ok()) return parsed.status();
    options.version = *parsed;
  }
  size_t left_out = 0;
  const auto write = [&](ByteSink& sink) -> Status {
    const Result<WriteReport> report = WriteForImage(profile, options, sink);
    if (!report.ok()) return report.status();
    left_out = report->entries_left_out;
    return {};
  };
  Status status = WriteOutput(console, path, WantsGzip(gzip, path), write, readers);
  if (status.ok() && left_out != 0) {
    console.Warn(fmt::format("{} left out: version {} has no table for them",
                             Counted(left_out, "entry was", "entries were"),
                             FormatVersionName(options.version)));
  }
  return status;
}

std::string DescribeWritten(const std::string& path, const Profile& profile) {
  return fmt::format("wrote {}: {}, of {}", EscapeForTerminal(path),
                     Counted(CountMethodsThatRan(profile), "method ran", "methods ran"),
                     Counted(profile.method_count() - ThreadFrames(profile).count(),
                             "that is declared", "that are declared"));
}

void PrintAdvice(Console& console, const std::string& path, const Profile& profile) {
  console.Print("{}\n", EscapeForTerminal(
                            fmt::format("{}: {}", path, AdviseOn(profile, {.file = path}).Line())));
}

ExitCode WarnOfNoSamples(Console& console, const std::string& path, const Profile& profile,
                         const std::string& selected) {
  console.Warn(
      fmt::format("{} has no samples{}", NameOfInput(path), WhyNoSamples(profile, selected)));
  return ExitCode::kNoSamples;
}

}  // namespace iprof::cli
