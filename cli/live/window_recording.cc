#include "cli/live/window_recording.h"

#include <fmt/core.h>

#include <utility>
#include <vector>

#include "agent/settings/out_path.h"
#include "cli/files/raw_input.h"
#include "cli/jvm/target_wait.h"
#include "cli/live/program_wait.h"
#include "cli/live/session_options.h"
#include "cli/live/session_report.h"
#include "writer/profile/io/byte_stream.h"
#include "writer/profile/io/reader.h"

namespace iprof::cli {
namespace {

using jvm::HeldSignals;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;
using HowEnded = RecordedWindow::HowEnded;

// If this tool is killed, the agent stops by itself this long after it should have been stopped.
constexpr milliseconds kMargin{60'000};
// A stop that follows a start which has not answered waits this long for it, also without this tool.
constexpr milliseconds kLongStart{3'600'000};
// In the private folder; see MakeFolder.
constexpr char kAgentsFile[] = "agent.iprof";
constexpr char kAgentsRawFile[] = "agent.iraw";
// A stop that fails because the program is ending fails shortly before the process has ended.
constexpr milliseconds kEndPatience{5'000};

milliseconds Since(Clock::time_point start) {
  return std::chrono::duration_cast<milliseconds>(Clock::now() - start);
}

bool Names(std::string_view options, std::string_view name) {
  return options.starts_with(name) || options.find(fmt::format(",{}", name)) != options.npos;
}

}  // namespace

Status CheckWindow(const WindowOrder& order, std::string_view command, std::string_view option) {
  const std::string& options = order.options;
  if (Names(options, "command=") || Names(options, "start=") || Names(options, "reply=")) {
    return Status(
        Code::kUsage,
        fmt::format("'{}' sets start=, reply= and command= itself: leave them out", command));
  }
  if (order.duration > control::kLongestTime - kMargin) {
    return Status(Code::kUsage,
                  fmt::format("{} is at most 23 hours and 59 minutes (1439m)", option));
  }
  return Status();
}

Status WindowRecording::Check() {
  Result<jvm::JvmTarget> opened = jvm::JvmTarget::Open(order_.address.pid, order_.timeouts.listen);
  if (!opened.ok()) return opened.status();
  target_ = std::make_shared<jvm::JvmTarget>(std::move(*opened));
  return CheckFree();
}

Result<RecordedWindow> WindowRecording::Record() {
  if (Status status = Check(); !status.ok()) return status;
  if (order_.warmup.count() != 0) {
    const Ending ending = WaitFor(console_, target_->process, "warm-up", order_.warmup);
    if (ending == Ending::kProgramEnded) return target_->process.Ended();
    if (ending == Ending::kInterrupt) {
      return Status(Code::kIo, "interrupted during the warm-up: nothing was recorded");
    }
  }
  if (users_out_.empty() && !Names(order_.options, "out=")) {
    if (Status status = MakeFolder(); !status.ok()) return status;
  }
  if (!has_agent_) {
    if (Status status = Load(); !status.ok()) return status;
  }
  const Clock::time_point asked = Clock::now();
  if (Status status = Start(); !status.ok()) {
    if (HeldSignals::IsPending()) {
      // The agent may record by now. What interrupts the stop in turn ends this tool.
      HeldSignals::Take(milliseconds(0));
      return Stop(Since(asked), kLongStart);
    }
    return Since(asked) < order_.timeouts.answer ? status : TakeBack();
  }
  const Clock::time_point start = Clock::now();  // to change thousands of classes takes its time
  const Ending ending =
      WaitFor(console_, target_->process, "recording",
              order_.duration.count() != 0 ? std::optional(order_.duration) : std::nullopt,
              [this] { return window_ != nullptr && window_->HasNews(); });
  const milliseconds recorded = Since(start);
  if (ending == Ending::kProgramEnded) return SaveLast(recorded);
  return Stop(recorded);
}

// An agent that is loaded must not record for somebody else.
Status WindowRecording::CheckFree() {
  if (!target_->jvm.agent) return Status();
  const Result<control::Answer> said = SendCommand(order_.address, {}, order_.timeouts);
  if (!said.ok()) return said.status();
  const control::Answer& answer = *said;
  // A harvest or a refresh has loaded the library alone.
  if (answer.status && answer.status->state == "idle") return Status();
  has_agent_ = true;
  if (answer.status) users_out_ = answer.status->out;
  if (order_.only_samples) {
    if (Status status = CheckIsSampler(answer); !status.ok()) return status;
  } else if (!order_.options.empty()) {
    return Status(
        Code::kUsage,
        fmt::format("{}: the agent is loaded already, and keeps the options of its first load: "
                    "leave the options out",
                    target_->process.Name()));
  }
  if (answer.outcome != control::Outcome::kDone) return NotDone(answer);
  if (!answer.status || answer.status->state != "recording") return Status();
  return Status(Code::kIo,
                fmt::format("{}: the agent is recording already: 'iprof stop {}' stops "
                            "it, 'iprof dump {} -o FILE' writes what it has",
                            target_->process.Name(), order_.address.pid, order_.address.pid));
}

// An agent that counts changes the classes, and HotSpot would count their code with probes, or from zero.
Status WindowRecording::CheckIsSampler(const control::Answer& answer) const {
  if (!answer.status || answer.status->records == std::vector<std::string>{"samples"})
    return Status();
  return Status(
      Code::kUsage,
      fmt::format("{}: the agent is loaded already, and would not record samples alone: record "
                  "with it instead ('iprof profile'), or harvest without samples",
                  target_->process.Name()));
}

// An agent without a file of the user keeps in a private folder what must survive a kill. So no folder of the program needs
// to be writable, and what is left is found. The recording names the folder itself, because the agent may have been loaded
// by an earlier run of this tool, whose folder is gone.
Status WindowRecording::MakeFolder() {
  Result<jvm::PrivateFolder> folder = jvm::PrivateFolder::Make(*target_);
  if (!folder.ok()) return folder.status();
  folder_.emplace(std::move(*folder));
  return Status();
}

Status WindowRecording::Load() {
  std::string own = "start=n";
  if (folder_) own += ",out=" + folder_->PathOf(kAgentsFile);
  Result<jvm::JvmConnection> connection = jvm::JvmConnection::Open(target_, order_.timeouts);
  if (!connection.ok()) return connection.status();
  return LoadAgent(*connection, order_.library, order_.options, own).status();
}

Status WindowRecording::Start() {
  control::Start wish{.window = order_.form};
  if (folder_) wish.folder = folder_->path();
  if (order_.duration.count() != 0) wish.duration = order_.duration + kMargin;
  const Result<control::Answer> answer = Ask(wish, milliseconds(0), {}, &window_);
  if (answer.ok() && answer->outcome != control::Outcome::kDone) return NotDone(*answer);
  if (answer.ok() && answer->status && !folder_) users_out_ = answer->status->out;
  only_end_is_news_ = answer.ok();
  return answer.status();
}

// The agent has not answered to the start in time, and may still carry it out: into a folder that would be
// gone, and for ever if there is no duration. So a stop follows.
Status WindowRecording::TakeBack() {
  const Status late(Code::kIo,
                    fmt::format("{}: the recording did not begin within {} (--timeout)",
                                target_->process.Name(), jvm::InSeconds(order_.timeouts.answer)));
  const Result<control::Answer> answer = Ask(control::Stop(), kLongStart);
  if (answer.ok() && answer->outcome == control::Outcome::kDone)
    return Status(late.code(), late.message() + "; it was stopped again");
  if (folder_ && !target_->process.HasEnded()) folder_->Keep();  // the stop may be refused
  const Status why = answer.ok() ? NotDone(*answer) : answer.status();
  return Status(late.code(),
                fmt::format("{}, and was not stopped: {}", late.message(), why.message()));
}

Result<RecordedWindow> WindowRecording::Stop(milliseconds recorded, milliseconds patience) {
  Status not_saved;
  bool is_saved = false;
  const auto take = [&](ByteSource& profile) {
    const Status saved = order_.save(profile);
    is_saved = saved.ok();
    if (!saved.ok()) not_saved = NotSaved(saved, order_.address.pid);
    return not_saved;
  };
  const Result<control::Answer> answer = Ask(control::Stop{{.sent = order_.form}}, patience, take);
  // Also if the program has ended before the agent's last word.
  if (is_saved) {
    const bool has_status = answer.ok() && answer->status;
    const uint64_t renewed = has_status ? answer->status->methods_compiled_anew : 0;
    return RecordedWindow{recorded, HowEnded::kByStop, renewed};
  }
  if (answer.ok() && answer->outcome == control::Outcome::kDone)
    return Status(Code::kIo,
                  fmt::format("{}: the agent wrote no profile", target_->process.Name()));
  const Status not_stopped = answer.ok() ? NotDone(*answer) : answer.status();
  const bool is_ending = answer.ok() && answer->end != control::ProgramEnd::kNone;
  // An agent that is ending has cut the profile short, and sends the last one over the window.
  if (!not_saved.ok() && !is_ending && !target_->process.HasEnded()) {
    // Otherwise what survives a kill has no place.
    if (folder_) folder_->Keep();
    return not_stopped;
  }
  only_end_is_news_ = only_end_is_news_ || is_ending;
  // Only the program's end is worth a wait; another refusal is the reason.
  const bool is_refused = answer.ok() && !is_ending;
  if (is_refused ? target_->process.HasEnded() : HasEndedSoon()) {
    if (answer.ok() && answer->end != control::ProgramEnd::kOvertook)
      why_no_stop_ = not_stopped.message();
    return SaveLast(recorded, not_stopped);
  }
  // The agent may go on recording, or its stop may fail: then it writes to its own file.
  if (folder_ && !target_->process.HasEnded()) folder_->Keep();
  return not_stopped;
}

bool WindowRecording::HasEndedSoon() const {
  if (target_->process.HasEnded()) return true;
  if (HeldSignals::IsPending()) return false;
  return WaitFor(console_, target_->process, "the program's end", kEndPatience, [this] {
           return only_end_is_news_ && window_ != nullptr && window_->HasNews();
         }) == Ending::kProgramEnded;
}

// The program ended during the recording. If it ends well, the agent sends its profile.
Result<RecordedWindow> WindowRecording::SaveLast(milliseconds recorded, const Status& not_stopped) {
  Status not_saved;
  bool is_saved = false;
  const auto take = [&](ByteSource& profile) {
    not_saved = order_.save(profile);
    is_saved = not_saved.ok();
    return not_saved;
  };
  bool has_profile = false;
  if (window_ != nullptr) {
    Result<control::Answer> last = window_->HearAnswer(take);
    const std::string start(VerbName(control::Start()));
    if (last.ok() && last->command == start) last = window_->HearAnswer(take);  // it came late
    if (is_saved) return RecordedWindow{recorded, HowEnded::kByItself};
    if (last.ok() && last->outcome != control::Outcome::kDone && why_no_stop_.empty())
      why_no_stop_ = NotDone(*last).message();
    has_profile = window_->has_profile();
    window_.reset();  // so that the agent does not wait, but keeps what it has recorded
    if (has_profile || only_end_is_news_) HasEndedSoon();
  }
  // What came was not the end. So the raw file is that of a program that goes on.
  if (!not_stopped.ok() && !has_profile && !target_->process.HasEnded()) {
    if (folder_) folder_->Keep();
    return not_stopped;
  }
  const OwnedFd raw = folder_ ? folder_->OpenFile(kAgentsRawFile) : OwnedFd();
  if (raw.is_open()) {
    if (has_profile && !not_saved.ok()) return KeptIn(kAgentsRawFile, not_saved);
    return Recover(kAgentsRawFile, raw, recorded);
  }
  const OwnedFd file = folder_ ? folder_->OpenFile(kAgentsFile) : OwnedFd();
  if (file.is_open()) {
    // Without a raw file, the agent writes there what we could not save.
    if (has_profile && !not_saved.ok()) return KeptIn(kAgentsFile, not_saved);
    return SaveAgentsFile(file, recorded);
  }
  return not_saved.ok() ? Elsewhere() : not_saved;
}

// The agent has written its own file: its duration= was over, or it took us for gone.
Result<RecordedWindow> WindowRecording::SaveAgentsFile(const OwnedFd& file, milliseconds recorded) {
  const std::string name = fmt::format("the profile of {}", target_->process.Name());
  FdSource source(file.get(), name);
  const Result<Profile> read = ReadProfile(source, name);
  const Status saved = read.ok() ? order_.save_recovered(*read) : read.status();
  if (!saved.ok()) return KeptIn(kAgentsFile, saved);
  return RecordedWindow{recorded, HowEnded::kByItself};
}

// The program was killed, or has crashed.
Result<RecordedWindow> WindowRecording::Recover(const char* file, const OwnedFd& raw,
                                                milliseconds recorded) {
  const std::string name = target_->process.Name();
  const Result<RawProfile> made = ReadRawFile(raw.get(), fmt::format("the raw file of {}", name));
  if (!made.ok()) {
    return Status(
        made.status().code(),
        fmt::format("{} has ended without writing its profile; {}; for an hour that file is {}",
                    name, made.status().message(), Keep(file)));
  }
  const Status saved = order_.save_recovered(made->profile);
  if (!saved.ok()) return KeptIn(file, saved);
  console_.Warn(
      fmt::format("{} has ended without writing its profile, which was recovered from its raw "
                  "file: {}",
                  name, made->note.Describe()));
  return RecordedWindow{recorded, HowEnded::kKilled};
}

// What it recorded could not be saved, and stays in this file of our folder.
Status WindowRecording::KeptIn(const char* file, const Status& why) {
  return {why.code(), fmt::format("{}; what was recorded is in {}, where it stays for an hour",
                                  why.message(), Keep(file))};
}

// The file's path.
std::string WindowRecording::Keep(const char* file) {
  std::string path = folder_->PathOf(file);
  folder_->Keep();
  return path;
}

// What there is, is in the user's files, if anywhere.
Status WindowRecording::Elsewhere() const {
  std::string where;
  if (users_out_.empty()) {
    where = " without writing its profile";
  } else {
    where = fmt::format(": its profile, if it could write one, is {}", users_out_);
  }
  const std::string raw = users_out_.empty() ? "" : vm::RawPathBeside(users_out_);
  if (Names(order_.options, "raw=")) {
    where += "; if it was killed, 'iprof recover' makes one of the raw file that raw= names";
  } else if (!raw.empty()) {
    // An earlier file is never replaced.
    where += fmt::format(
        "; if it was killed, 'iprof recover' makes one of its raw file, which is the newest of "
        "{}, {} and so on, unless the agent's raw= names another",
        raw, vm::NumberedName(raw, 1));
  } else if (has_agent_) {
    where += ", and left no raw file to recover one from, unless the agent's raw= names one";
  } else {
    where += ", and left no raw file to recover one from";
  }
  if (!why_no_stop_.empty())
    where += fmt::format("; the agent's last answer was: {}", why_no_stop_);
  return {Code::kIo,
          fmt::format("{} has ended during the recording{}", target_->process.Name(), where)};
}

Status WindowRecording::NotDone(const control::Answer& answer) const {
  return Status(Code::kIo, fmt::format("{}: {}", target_->process.Name(), answer.message));
}

Result<control::Answer> WindowRecording::Ask(control::Wish wish, milliseconds patience,
                                             const jvm::TakeProfile& take,
                                             std::unique_ptr<jvm::AgentConnection>* kept) const {
  if (target_->process.HasEnded()) return target_->process.Ended();
  Progress line(console_, "");
  const jvm::AgentRequest request{
      .wish = std::move(wish), .patience = patience, .progress = ShownOn(line)};
  return SendCommand(order_.address, request, order_.timeouts, take, kept);
}

}  // namespace iprof::cli
