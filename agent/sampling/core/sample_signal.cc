#include "agent/sampling/core/sample_signal.h"

#include <cerrno>
#include <charconv>
#include <cstring>

namespace iprof::sampling {
namespace {

struct NamedSignal {
  std::string_view name;
  int number;
};
constexpr NamedSignal kNames[] = {
    {"HUP", SIGHUP},     {"INT", SIGINT},       {"QUIT", SIGQUIT}, {"ABRT", SIGABRT},
    {"USR1", SIGUSR1},   {"USR2", SIGUSR2},     {"PIPE", SIGPIPE}, {"ALRM", SIGALRM},
    {"TERM", SIGTERM},   {"STKFLT", SIGSTKFLT}, {"CHLD", SIGCHLD}, {"CONT", SIGCONT},
    {"TSTP", SIGTSTP},   {"TTIN", SIGTTIN},     {"TTOU", SIGTTOU}, {"URG", SIGURG},
    {"XCPU", SIGXCPU},   {"XFSZ", SIGXFSZ},     {"PROF", SIGPROF}, {"VTALRM", SIGVTALRM},
    {"WINCH", SIGWINCH}, {"IO", SIGIO},         {"PWR", SIGPWR}};

// Never used: they cannot be caught, or the JVM and the crash guard need them.
constexpr int kForbidden[] = {SIGKILL, SIGSTOP, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};

bool ParseWhole(std::string_view text, int* value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
  return error == std::errc() && end == text.data() + text.size();
}

int NumberOf(std::string_view text) {
  int number = 0;
  if (ParseWhole(text, &number)) return number;
  if (text.starts_with("SIG")) text.remove_prefix(3);
  for (const NamedSignal& each : kNames)
    if (each.name == text) return each.number;
  if (text == "RTMIN") return SIGRTMIN;
  if (text == "RTMAX") return SIGRTMAX;
  if (text.starts_with("RTMIN+") && ParseWhole(text.substr(6), &number) && number >= 0)
    return number <= SIGRTMAX - SIGRTMIN ? SIGRTMIN + number : 0;
  if (text.starts_with("RTMAX-") && ParseWhole(text.substr(6), &number) && number >= 0)
    return number <= SIGRTMAX - SIGRTMIN ? SIGRTMAX - number : 0;
  return 0;
}

// If the user names none, the first free one of these is taken. Terminal libraries such as JLine
// handle SIGWINCH; Go's runtime handles SIGURG.
constexpr int kChoices[] = {SIGURG, SIGWINCH};

enum class Taking { kTaken, kInUse, kRefused };

Taking Try(int signal, SampleHandler handler) {
  switch (OwnerOf(signal, handler)) {
    case SignalOwner::kUs:
      return Taking::kTaken;
    case SignalOwner::kIgnored:
    case SignalOwner::kOther:
      return Taking::kInUse;
    case SignalOwner::kDefault:
      break;
  }
  struct sigaction action {};
  action.sa_sigaction = handler;
  // SA_RESTART: a sample must not make the program's system calls fail. SA_ONSTACK: threads of
  // native libraries with tiny stacks (Go) have a signal stack.
  action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
  sigfillset(&action.sa_mask);
  for (const int synchronous : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP})
    sigdelset(&action.sa_mask, synchronous);
  return sigaction(signal, &action, nullptr) == 0 ? Taking::kTaken : Taking::kRefused;
}

}  // namespace

Result<int> ParseSignal(std::string_view text) {
  const int number = NumberOf(text);
  bool bad = number <= 0 || number > SIGRTMAX || (number >= 32 && number < SIGRTMIN);
  for (const int forbidden : kForbidden) bad = bad || number == forbidden;
  if (!bad) return number;
  return Status(Code::kUsage,
                "must be a signal that sampling may use, such as SIGPROF, SIGRTMIN+4 or 40");
}

std::string SignalName(int signal) {
  for (const NamedSignal& each : kNames)
    if (each.number == signal) return "SIG" + std::string(each.name);
  if (signal >= SIGRTMIN && signal <= SIGRTMAX)
    return "SIGRTMIN+" + std::to_string(signal - SIGRTMIN);
  return std::to_string(signal);
}

Result<int> TakeSignal(int wanted, SampleHandler handler) {
  if (wanted != 0) {
    switch (Try(wanted, handler)) {
      case Taking::kTaken:
        return wanted;
      case Taking::kInUse:
        return Status(Code::kUsage, "signal=" + SignalName(wanted) +
                                        " is handled or ignored by something else in this process; "
                                        "choose another signal, or omit the option");
      case Taking::kRefused:
        return Status(Code::kIo, "signal=" + SignalName(wanted) +
                                     " cannot be handled: " + std::strerror(errno));
    }
  }
  for (const int signal : kChoices)
    if (Try(signal, handler) == Taking::kTaken) return signal;
  return Status(Code::kLimit, "SIGURG and SIGWINCH are in use; name another with signal=");
}

SignalOwner OwnerOf(int signal, SampleHandler ours) {
  struct sigaction now {};
  if (sigaction(signal, nullptr, &now) != 0) return SignalOwner::kOther;
  if ((now.sa_flags & SA_SIGINFO) != 0)
    return now.sa_sigaction == ours ? SignalOwner::kUs : SignalOwner::kOther;
  if (now.sa_handler == SIG_DFL) return SignalOwner::kDefault;
  return now.sa_handler == SIG_IGN ? SignalOwner::kIgnored : SignalOwner::kOther;
}

std::string LossText(int signal, SignalOwner owner) {
  const std::string name = SignalName(signal) + ", the sampling signal";
  switch (owner) {
    case SignalOwner::kUs:
      return name + ", is ours";
    case SignalOwner::kDefault:
      return "something else in this process has reset " + name + ", to its default action";
    case SignalOwner::kIgnored:
      return "something else in this process ignores " + name;
    case SignalOwner::kOther:
      break;
  }
  return "something else in this process handles " + name;
}

bool EndsProcessByDefault(int signal) {
  switch (signal) {
    case SIGCHLD:
    case SIGCONT:
    case SIGURG:
    case SIGWINCH:
    case SIGTSTP:  // these three stop the process
    case SIGTTIN:
    case SIGTTOU:
      return false;
    default:
      return true;
  }
}

}  // namespace iprof::sampling
