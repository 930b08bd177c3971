#include "cli/jvm/fake_jvm.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

namespace iprof::jvm {
namespace {

namespace fs = std::filesystem;

volatile sig_atomic_t quit_came = 0;

std::string AttachName(pid_t pid) { return ".attach_pid" + std::to_string(pid); }
std::string SocketName(pid_t pid) { return ".java_pid" + std::to_string(pid); }

// The file stays mapped until the process ends.
void MapFile(const std::string& path) {
  const int fd = open(path.c_str(), O_RDWR | O_CREAT, 0644);
  if (fd < 0 || ftruncate(fd, 4096) != 0) _exit(10);
  if (mmap(nullptr, 4096, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED) _exit(11);
  close(fd);
}

// In small pages, so that the kernel has to free many.
void TakeMemory(size_t bytes) {
  void* const memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) _exit(22);
  madvise(memory, bytes, MADV_NOHUGEPAGE);
  std::memset(memory, 1, bytes);
}

// Empty when the client went away before its request was whole.
std::string ReadRequest(int connection, bool knows_version_2) {
  std::string bytes;
  for (;;) {
    std::vector<std::string> words;
    size_t at = 0;
    for (size_t end = bytes.find('\0'); end != std::string::npos; end = bytes.find('\0', at)) {
      words.push_back(bytes.substr(at, end - at));
      at = end + 1;
    }
    bool is_whole = false;
    if (!words.empty() && words[0] == "2" && knows_version_2 && words.size() >= 2) {
      is_whole = bytes.size() == 2 + words[1].size() + 1 + std::stoul(words[1]);
      if (is_whole) words.erase(words.begin() + 1);
    } else if (!words.empty() && words[0] != "1") {
      return "bad version";
    } else {
      is_whole = words.size() == 5;
    }
    if (is_whole) {
      std::string joined;
      for (size_t i = 1; i < words.size(); ++i) joined += (i == 1 ? "" : "|") + words[i];
      return joined;
    }
    char buffer[4096];
    const ssize_t n = read(connection, buffer, sizeof buffer);
    if (n <= 0) return {};
    bytes.append(buffer, static_cast<size_t>(n));
  }
}

}  // namespace

FakeJvm::FakeJvm(Part part) : part_(std::move(part)) {
  char name[] = "/tmp/iprof-fake-jvm.XXXXXX";
  folder_ = mkdtemp(name);
  fs::permissions(folder_, fs::perms(0777));
  if (part_.in_own_root) {
    if (part_.tmp_link.empty()) {
      fs::create_directory(folder_ + "/tmp");
    } else {
      fs::create_directories(folder_ + part_.tmp_link);
      fs::create_symlink(part_.tmp_link, folder_ + "/tmp");
    }
    fs::permissions(tmp(), fs::perms(01777));
  }
  int ready[2];
  if (pipe(ready) != 0) std::abort();
  pid_ = fork();
  if (pid_ == 0) Play(ready[1]);
  close(ready[1]);
  char byte;
  if (read(ready[0], &byte, 1) != 1) std::abort();
  close(ready[0]);
  fs::remove(socket_path());  // of a JVM that had this number and was killed
}

void FakeJvm::Play(int ready) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (chdir(folder_.c_str()) != 0) _exit(12);
  if (part_.has_libjvm) MapFile("libjvm.so");
  if (!part_.maps.empty()) MapFile(part_.maps);
  if (part_.memory != 0) TakeMemory(part_.memory);
  if (part_.in_own_root && (chroot(".") != 0 || chdir("/") != 0)) _exit(13);
  if (part_.uid != 0) {
    if (setgid(part_.uid) != 0 || setuid(part_.uid) != 0) _exit(14);
    prctl(PR_SET_DUMPABLE, 1);  // as a program that was started as this user
  }
  signal(SIGQUIT, SIG_DFL);
  sigset_t quit, before;
  sigemptyset(&quit);
  sigaddset(&quit, SIGQUIT);
  sigprocmask(SIG_BLOCK, &quit, &before);
  sigdelset(&before, SIGQUIT);
  auto handle_quit = [] { signal(SIGQUIT, [](int) { quit_came = 1; }); };
  if (part_.quit_handled_after_ms == 0) handle_quit();
  const bool is_elsewhere = part_.starts_elsewhere && mkdir("elsewhere", 0777) == 0;
  if (is_elsewhere && chdir("elsewhere") != 0) _exit(20);
  if (write(ready, "r", 1) != 1) _exit(15);
  close(ready);
  if (part_.quit_handled_after_ms < 0) sigprocmask(SIG_SETMASK, &before, nullptr);
  if (part_.quit_handled_after_ms > 0) {
    usleep(static_cast<unsigned>(part_.quit_handled_after_ms) * 1000);
    if (is_elsewhere && chdir("..") != 0) _exit(21);
    handle_quit();
  }

  const pid_t own = getpid();
  if (part_.stops_when_asked) {
    sigset_t pending;
    while (sigpending(&pending) == 0 && sigismember(&pending, SIGQUIT) == 0) usleep(1000);
    raise(SIGSTOP);
  }
  int listener = Listen(before);
  for (;;) {
    const int connection = accept(listener, nullptr, nullptr);
    const std::string request = ReadRequest(connection, part_.knows_version_2);
    if (!request.empty()) {
      if (part_.dies) _exit(0);
      while (part_.hangs) pause();
      const std::string answer = request == "bad version" ? "101\n" : part_.answer(request);
      if (write(connection, answer.data(), answer.size()) < 0) _exit(19);
    }
    close(connection);
    if (part_.drops_socket) {
      part_.drops_socket = false;
      unlink(("/tmp/" + SocketName(own)).c_str());
      close(listener);
      listener = Listen(before);
    }
  }
}

int FakeJvm::Listen(const sigset_t& before) {
  const pid_t own = getpid();
  quit_came = 0;
  for (;;) {
    sigsuspend(&before);
    // A real JVM prints its threads where there is no file.
    const bool was_asked = access(AttachName(own).c_str(), F_OK) == 0 ||
                           access(("/tmp/" + AttachName(own)).c_str(), F_OK) == 0;
    if (quit_came == 0 || !part_.listens || !was_asked) continue;
    if (part_.loses_socket) {
      part_.loses_socket = false;
      prctl(PR_SET_NAME, "Attach Listener");
      continue;
    }
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string path = "/tmp/" + SocketName(own);
    std::strcpy(address.sun_path, (path + ".tmp").c_str());
    const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    if (bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) _exit(16);
    if (listen(listener, 5) != 0 || chmod(address.sun_path, 0600) != 0) _exit(17);
    if (rename(address.sun_path, path.c_str()) != 0) _exit(18);
    return listener;
  }
}

FakeJvm::~FakeJvm() {
  End();
  std::error_code ignored;
  fs::remove(socket_path(), ignored);
  fs::remove_all(folder_, ignored);
}

void FakeJvm::End() {
  if (pid_ <= 0 || !IsRunning()) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

std::string FakeJvm::tmp() const {
  return part_.in_own_root ? folder_ + (part_.tmp_link.empty() ? "/tmp" : part_.tmp_link) : "/tmp";
}

std::string FakeJvm::socket_path() const { return tmp() + "/" + SocketName(pid_); }

bool FakeJvm::IsRunning() const { return waitpid(pid_, nullptr, WNOHANG) == 0; }

bool FakeJvm::IsTidy() const {
  if (fs::exists(folder_ + "/" + AttachName(pid_)) || fs::exists(tmp() + "/" + AttachName(pid_))) {
    return false;
  }
  if (!part_.in_own_root) return true;
  for (const auto& entry : fs::directory_iterator(tmp())) {
    if (entry.path().filename().string().starts_with(".iprof-")) return false;
  }
  return true;
}

}  // namespace iprof::jvm
