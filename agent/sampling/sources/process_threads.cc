#include "agent/sampling/sources/process_threads.h"

#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <string>
#include <string_view>

#include "writer/base/open_file.h"
#include "writer/base/small_file.h"

namespace iprof::sampling {

std::vector<pid_t> ThreadsOfProcess() {
  std::vector<pid_t> tids;
  for (const std::string& name : NamesIn("/proc/self/task")) {
    pid_t tid = 0;
    const char* const end = name.data() + name.size();
    if (std::from_chars(name.data(), end, tid).ptr == end && tid > 0) tids.push_back(tid);
  }
  return tids;
}

bool ThreadIsGone(pid_t tid) {
  return syscall(SYS_tgkill, getpid(), tid, 0) != 0 && errno == ESRCH;
}

bool TakesSignal(pid_t tid, int signal) {
  constexpr std::string_view kBlocked = "\nSigBlk:\t";
  constexpr int kHexadecimal = 16;
  const auto status = ReadSmallFile("/proc/self/task/" + std::to_string(tid) + "/status");
  if (!status) return false;
  const size_t found = status->find(kBlocked);
  if (found == std::string::npos) return true;  // unknown
  uint64_t blocked = 0;
  std::from_chars(status->data() + found + kBlocked.size(), status->data() + status->size(),
                  blocked, kHexadecimal);
  return ((blocked >> (signal - 1)) & 1) == 0;
}

bool IsCompilerThread(pid_t tid) {
  const auto name = ReadSmallFile("/proc/self/task/" + std::to_string(tid) + "/comm");
  return name && name->find("CompilerThre") != std::string::npos;
}

StackBounds OwnStack() {
  StackBounds bounds;
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return bounds;
  void* low = nullptr;
  size_t size = 0;
  if (pthread_attr_getstack(&attributes, &low, &size) == 0) {
    bounds.low = reinterpret_cast<uintptr_t>(low);
    bounds.high = bounds.low + size;
  }
  pthread_attr_destroy(&attributes);
  return bounds;
}

}  // namespace iprof::sampling
