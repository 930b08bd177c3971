// Harvests a small JVM whose memory was changed at random places: it must end, in bounds, with a
// profile or a refusal. So must a harvest that takes either memory for what the JVM began with. Input: groups of offset (two bytes) and new byte.
#include <cstddef>
#include <cstdint>

#include "agent/harvest/fake_hotspot.h"
#include "agent/harvest/harvest.h"
#include "agent/harvest/harvest_profile.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace iprof::hotspot;
  FakeProgram fake;
  FakeProgram before;
  for (size_t at = 0; at + 3 <= size; at += 3)
    fake.vm.bytes()[static_cast<size_t>(data[at] | data[at + 1] << 8) % fake.vm.used()] =
        data[at + 2];
  const UnchangedMemory began = BeganWith(before.vm.bytes());
  const UnchangedMemory began_changed = BeganWith(fake.vm.bytes());
  static_cast<void>(HarvestProgram(fake.vm, fake.vm.layout(), TrainedFlags(), 0, {}, &began).ok());
  static_cast<void>(
      HarvestProgram(before.vm, before.vm.layout(), TrainedFlags(), 0, {}, &began_changed).ok());
  const auto program = HarvestProgram(fake.vm, fake.vm.layout(), NoFlags(), 0);
  if (!program.ok()) return 0;
  iprof::Profile profile;
  profile.AddStandardTypes();
  WriteHarvest(**program, RawScales(**program), {}, profile);
  return 0;
}
