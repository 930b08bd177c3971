#include "bench/overhead/percall/call_times.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <ctime>
#include <deque>
#include <mutex>
#include <vector>

namespace percall {
namespace {

constexpr int32_t kMethods = 1 << 18;

struct Times {
  std::atomic<uint64_t> calls;
  std::atomic<uint64_t> total_ns;
  std::atomic<uint64_t> own_ns;
};

struct Frame {
  int32_t method;
  uint64_t entered_ns;
  uint64_t callees_ns;
};

std::array<Times, kMethods> times;
std::mutex names_mutex;
// Never destroyed, because threads may still run when static objects are destroyed.
std::deque<std::string>& names = *new std::deque<std::string>(1);

thread_local std::vector<Frame> frames;

uint64_t NowNs() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

}  // namespace

int32_t Name(std::string method) {
  const std::lock_guard lock(names_mutex);
  if (names.size() >= kMethods) return 0;
  names.push_back(std::move(method));
  return static_cast<int32_t>(names.size() - 1);
}

void Enter(int32_t method) {
  times[static_cast<size_t>(method)].calls.fetch_add(1, std::memory_order_relaxed);
  frames.push_back({method, NowNs(), 0});
}

void Leave(int32_t method) {
  const auto mine = std::find_if(frames.rbegin(), frames.rend(),
                                 [method](const Frame& frame) { return frame.method == method; });
  if (mine == frames.rend()) return;
  const uint64_t now_ns = NowNs();
  const auto depth = static_cast<size_t>(frames.rend() - mine);
  while (frames.size() >= depth) {
    const Frame frame = frames.back();
    frames.pop_back();
    const uint64_t total_ns = now_ns - frame.entered_ns;
    Times& sum = times[static_cast<size_t>(frame.method)];
    sum.total_ns.fetch_add(total_ns, std::memory_order_relaxed);
    sum.own_ns.fetch_add(total_ns - std::min(total_ns, frame.callees_ns),
                         std::memory_order_relaxed);
    if (!frames.empty()) frames.back().callees_ns += total_ns;
  }
}

bool Write(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (file == nullptr) return false;
  const std::lock_guard lock(names_mutex);
  struct Row {
    uint64_t calls;
    uint64_t total_ns;
    uint64_t own_ns;
    size_t method;
  };
  std::vector<Row> rows;
  for (size_t i = 1; i < names.size(); ++i) {
    if (times[i].calls.load() != 0) {
      rows.push_back({times[i].calls.load(), times[i].total_ns.load(), times[i].own_ns.load(), i});
    }
  }
  std::sort(rows.begin(), rows.end(),
            [](const Row& a, const Row& b) { return a.own_ns > b.own_ns; });
  for (const Row& row : rows) {
    std::fprintf(file, "%llu %llu %llu %s\n", static_cast<unsigned long long>(row.calls),
                 static_cast<unsigned long long>(row.total_ns),
                 static_cast<unsigned long long>(row.own_ns), names[row.method].c_str());
  }
  return std::fclose(file) == 0;
}

}  // namespace percall
