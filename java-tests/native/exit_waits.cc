// An agent for tests: prints how often HotSpot's VM thread waited between the unloading of agents and the
// end of the process. HotSpot waits 30 times 10 ms for threads in native code. It works where a program
// calls System.exit, because the VM thread then ends the process.
#include <jvmti.h>
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace {

constexpr std::string_view kCount = "voluntary_ctxt_switches:";

long waits_before = -1;

std::string FirstLine(const std::filesystem::path& file) {
  std::string line;
  std::getline(std::ifstream(file), line);
  return line;
}

// How often the VM thread has waited so far; -1 if it is not found.
long VmThreadWaits() {
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    if (FirstLine(task.path() / "comm") != "VM Thread") continue;
    std::ifstream status(task.path() / "status");
    for (std::string line; std::getline(status, line);)
      if (line.starts_with(kCount)) return std::strtol(line.c_str() + kCount.size(), nullptr, 10);
  }
  return -1;
}

void Tell() {
  rusage now{};
  getrusage(RUSAGE_THREAD, &now);
  std::fprintf(stderr, "exit_waits: %s waited %ld times\n",
               FirstLine("/proc/thread-self/comm").c_str(), now.ru_nvcsw - waits_before);
}

}  // namespace

extern "C" JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM* /*vm*/, char* /*options*/,
                                               void* /*reserved*/) {
  return std::atexit(Tell) == 0 ? JNI_OK : JNI_ERR;
}

extern "C" JNIEXPORT void JNICALL Agent_OnUnload(JavaVM* /*vm*/) { waits_before = VmThreadWaits(); }
