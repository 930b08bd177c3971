#include "agent/hotspot/pause_clock.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <vector>

#include "agent/hotspot/fake_structs.h"

namespace iprof::hotspot {
namespace {

using std::chrono::milliseconds;

// Builds performance memory as HotSpot lays it out.
class Counters {
 public:
  Counters() : bytes_(32) {
    Put<uint32_t>(0, __builtin_bswap32(0xcafec0c0));
    Put<uint32_t>(24, 32);
  }

  // Returns the offset of the value.
  size_t Add(const char* name, int64_t value) {
    const size_t at = bytes_.size();
    const size_t name_size = std::strlen(name) + 1;
    const size_t data = (20 + name_size + 7) / 8 * 8;
    bytes_.resize(at + data + 8);
    Put<uint32_t>(at, static_cast<uint32_t>(data + 8));
    Put<uint32_t>(at + 4, 20);
    Put<uint32_t>(at + 16, static_cast<uint32_t>(data));
    std::memcpy(&bytes_[at + 20], name, name_size);
    Put(at + data, value);
    Put<uint32_t>(28, ++count_);
    return at + data;
  }

  template <typename T>
  void Put(size_t at, T value) {
    std::memcpy(&bytes_[at], &value, sizeof value);
  }

  const uint8_t* start() const { return bytes_.data(); }

 private:
  std::vector<uint8_t> bytes_;
  uint32_t count_ = 0;
};

struct Vm {
  explicit Vm(const Counters& counters) : start(counters.start()) {
    fake.AddStatic("PerfMemory", "_start", &start);
  }
  const uint8_t* start;
  FakeStructs fake;
  OwnMemory memory;
};

TEST_CASE("pauses are counted in ticks of the JVM's clock") {
  Counters counters;
  counters.Add("sun.os.hrt.frequency", 1000);
  counters.Add("sun.rt.applicationTime", 99);
  const size_t at = counters.Add("sun.rt.safepointTime", 250);
  Vm vm(counters);
  const VmStructs structs(vm.memory, vm.fake.Symbols());
  const PauseClock clock(structs);
  CHECK(clock.Total() == milliseconds(250));
  counters.Put<int64_t>(at, 1250);
  CHECK(clock.Total() == milliseconds(1250));
}

TEST_CASE("without the counters nothing is said of pauses") {
  Counters counters;
  counters.Add("sun.os.hrt.frequency", 1000);
  SECTION("no such counter") {}
  SECTION("no frequency to convert it with") {
    counters = Counters();
    counters.Add("sun.rt.safepointTime", 250);
  }
  SECTION("not performance memory") {
    counters.Add("sun.rt.safepointTime", 1);
    counters.Put<uint32_t>(0, 7);
  }
  SECTION("an entry without a length") {
    counters.Put<uint32_t>(32, 0);
    counters.Add("sun.rt.safepointTime", 250);
  }
  Vm vm(counters);
  const VmStructs structs(vm.memory, vm.fake.Symbols());
  CHECK_FALSE(PauseClock(structs).Total());
}

TEST_CASE("a JVM without performance memory has no pause clock") {
  FakeStructs fake;
  const OwnMemory memory;
  const VmStructs structs(memory, fake.Symbols());
  CHECK_FALSE(PauseClock(structs).Total());
}

}  // namespace
}  // namespace iprof::hotspot
