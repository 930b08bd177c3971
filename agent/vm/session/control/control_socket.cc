#include "agent/vm/session/control/control_socket.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>
#include <vector>

#include "agent/vm/jvmti/attached_thread.h"
#include "writer/control/message.h"
#include "writer/profile/io/file_place.h"

namespace iprof::vm {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// How long a listener may take to accept.
constexpr timeval kPatience{5, 0};
constexpr int kBacklog = 16;

Status Failed(const std::string& path, std::string_view what, int error) {
  return {Code::kIo, fmt::format("cannot {} '{}': {}", what, path, std::strerror(error))};
}

void SetTimeouts(int socket) {
  setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof kPatience);
  setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &kPatience, sizeof kPatience);
}

// The path of the folder may be too long for a socket, or may lead elsewhere by now.
sockaddr_un AddressIn(const OwnedFd& folder, const std::string& name) {
  const std::string path = fmt::format("/proc/self/fd/{}/{}", folder.get(), name);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), std::min(path.size(), sizeof address.sun_path - 1));
  return address;
}

// A socket that has another name in the same folder until it listens. Otherwise a client could find the
// path before that, be refused, and take the socket for one that a dead process left behind.
class Draft {
 public:
  // The path is `name` in the folder.
  Draft(const OwnedFd& folder, std::string name)
      : folder_(folder),
        target_(std::move(name)),
        name_(fmt::format(".iprof-control-{}", getpid())) {}
  ~Draft() {
    const int error = errno;
    if (is_bound_) unlinkat(folder_.get(), name_.c_str(), 0);
    errno = error;
  }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;

  // Returns false if it fails, with errno.
  bool Listen(int socket) {
    // Linux creates the path with the mode of the descriptor.
    fchmod(socket, 0600);
    unlinkat(folder_.get(), name_.c_str(), 0);  // of a killed JVM with the same number
    const sockaddr_un address = AddressIn(folder_, name_);
    is_bound_ = bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    return is_bound_ && fchmodat(folder_.get(), name_.c_str(), 0600, 0) == 0 &&
           listen(socket, kBacklog) == 0;
  }
  // Returns false if it fails, with errno; EEXIST if the path exists.
  bool Place() const {
    return linkat(folder_.get(), name_.c_str(), folder_.get(), target_.c_str(), 0) == 0;
  }

 private:
  const OwnedFd& folder_;
  const std::string target_;
  const std::string name_;
  bool is_bound_ = false;
};

// Whether the path is a socket of this user without a listener.
bool IsLeftBehind(const OwnedFd& folder, const std::string& name) {
  struct stat found {};
  if (fstatat(folder.get(), name.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0 ||
      !S_ISSOCK(found.st_mode) || found.st_uid != geteuid())
    return false;
  const int client = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (client < 0) return false;
  SetTimeouts(client);
  const sockaddr_un address = AddressIn(folder, name);
  const bool refused =
      connect(client, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 &&
      errno == ECONNREFUSED;
  close(client);
  return refused;
}

// The clients that have not sent their line yet, in order of arrival.
class SilentClients {
 public:
  SilentClients(const ControlSocket::Handler& handler, const ToolConnection::IsEnding& is_ending,
                milliseconds patience)
      : handler_(handler), is_ending_(is_ending), patience_(patience) {}

  void Add(OwnedFd socket) {
    if (!ToolConnection::IsOurs(socket.get())) return;
    if (clients_.size() == ControlSocket::kMostSilent) clients_.erase(clients_.begin());
    clients_.push_back({std::make_shared<ToolConnection>(std::move(socket), is_ending_),
                        {},
                        Clock::now() + patience_});
  }

  // What poll shall watch.
  void AddTo(std::vector<pollfd>* watched) const {
    for (const Each& each : clients_) watched->push_back({each.client->fd(), POLLIN, 0});
  }

  // Reads from those that poll reports, in the order of AddTo, and drops those whose time is up.
  void Read(const pollfd* reported) {
    const auto now = Clock::now();
    std::vector<Each> left;
    for (Each& each : clients_) {
      const bool is_ready = reported++->revents != 0;
      if (is_ready ? ReadLine(each) : now < each.deadline) left.push_back(std::move(each));
    }
    clients_ = std::move(left);
  }

  // Until the first one's time is up; -1: no client waits.
  int PollMs() const {
    if (clients_.empty()) return -1;
    const auto left =
        std::chrono::ceil<milliseconds>(clients_.front().deadline - Clock::now()).count();
    return static_cast<int>(std::max<int64_t>(left, 0));
  }

 private:
  struct Each {
    std::shared_ptr<ToolConnection> client;
    std::string line;
    Clock::time_point deadline;
  };

  // Returns true if the rest of the line is still to come.
  bool ReadLine(Each& each) {
    char bytes[1024];
    const ssize_t got = recv(each.client->fd(), bytes, sizeof bytes, MSG_DONTWAIT);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) return true;
    if (got <= 0) return false;
    const auto* const end =
        static_cast<const char*>(std::memchr(bytes, '\n', static_cast<size_t>(got)));
    each.line.append(static_cast<const char*>(bytes), end == nullptr ? bytes + got : end);
    if (each.line.size() > control::kLongestLine) return false;
    if (end == nullptr) return true;
    handler_(each.line, std::move(each.client));
    return false;
  }

  const ControlSocket::Handler& handler_;
  const ToolConnection::IsEnding& is_ending_;
  const milliseconds patience_;
  std::vector<Each> clients_;
};

// Returns false if Close was called.
bool Accept(int listener, SilentClients& clients) {
  OwnedFd client(accept4(listener, nullptr, nullptr, SOCK_CLOEXEC));
  if (client.is_open()) {
    clients.Add(std::move(client));
    return true;
  }
  if (errno == EINTR || errno == ECONNABORTED || errno == EAGAIN) return true;
  if (errno != EMFILE && errno != ENFILE && errno != ENOBUFS && errno != ENOMEM) return false;
  // No descriptors are left; try again when there may be.
  poll(nullptr, 0, 1000);
  return true;
}

void Listen(int listener, const ControlSocket::Handler& handler,
            const ToolConnection::IsEnding& is_ending, milliseconds patience) {
  SilentClients clients(handler, is_ending, patience);
  std::vector<pollfd> watched;
  for (;;) {
    watched.assign(1, {listener, POLLIN, 0});
    clients.AddTo(&watched);
    if (poll(watched.data(), watched.size(), clients.PollMs()) < 0) {
      if (errno != EINTR && errno != EAGAIN && errno != ENOMEM) return;
      continue;
    }
    clients.Read(watched.data() + 1);
    if (watched.front().revents != 0 && !Accept(listener, clients)) return;
  }
}

}  // namespace

ControlSocket::ControlSocket(std::string path, std::shared_ptr<int> listener, dev_t device,
                             ino_t inode)
    : path_(std::move(path)), listener_(std::move(listener)), device_(device), inode_(inode) {}

Result<std::unique_ptr<ControlSocket>> ControlSocket::Open(const std::string& path) {
  const sockaddr_un address{};
  if (path.size() >= sizeof address.sun_path) {
    return Status(Code::kUsage, fmt::format("'{}' is too long for a socket: at most {} characters",
                                            path, sizeof address.sun_path - 1));
  }
  const size_t name_at = path.rfind('/') + 1;  // npos + 1 is 0
  const std::string name = path.substr(name_at);
  const Result<OwnedFd> folder =
      FilePlace::FindFolder(name_at == 0 ? "." : path.substr(0, name_at), MissingFolders::kMake);
  if (!folder.ok()) {
    return Status(Code::kIo,
                  fmt::format("cannot create '{}': {}", path, folder.status().message()));
  }
  const int opened = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (opened < 0) return Failed(path, "open a socket for", errno);
  const std::shared_ptr<int> listener(new int(opened), [](int* file) {
    close(*file);
    delete file;
  });
  Draft draft(*folder, name);
  if (!draft.Listen(opened)) return Failed(path, "create", errno);
  bool is_placed = draft.Place();
  if (!is_placed && errno == EEXIST) {
    if (!IsLeftBehind(*folder, name))
      return Status(
          Code::kUsage,
          fmt::format("'{}' exists already, and is not a socket that a killed JVM left", path));
    unlinkat(folder->get(), name.c_str(), 0);
    is_placed = draft.Place();
  }
  if (!is_placed) return Failed(path, "create", errno);
  struct stat made {};
  if (fstatat(folder->get(), name.c_str(), &made, AT_SYMLINK_NOFOLLOW) != 0)
    return Failed(path, "look at", errno);
  return std::unique_ptr<ControlSocket>(
      new ControlSocket(path, listener, made.st_dev, made.st_ino));
}

Status ControlSocket::Serve(Handler handler, ToolConnection::IsEnding is_ending,
                            milliseconds line_patience) {
  return StartNativeThread("iprof-control", [listener = listener_, handler = std::move(handler),
                                             is_ending = std::move(is_ending), line_patience] {
    Listen(*listener, handler, is_ending, line_patience);
  });
}

void ControlSocket::Close() {
  // This ends the accept of the thread.
  if (shutdown(*listener_, SHUT_RDWR) != 0) return;
  struct stat found {};
  if (lstat(path_.c_str(), &found) == 0 && found.st_dev == device_ && found.st_ino == inode_)
    unlink(path_.c_str());
}

}  // namespace iprof::vm
