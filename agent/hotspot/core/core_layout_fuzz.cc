// Reads any bytes as a core file: it must end, in bounds, with a layout or a refusal.
#include <cstddef>
#include <cstdint>

#include "agent/hotspot/core/archive_identity.h"
#include "agent/hotspot/core/build_id.h"
#include "agent/hotspot/core/core_memory.h"
#include "agent/hotspot/core/fake_core.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace iprof::hotspot;
  const BytesMemory file(std::vector<uint8_t>(data, data + size));
  DifferenceOfArchive(file, {"OpenJDK", ArchiveHead{}});
  const auto layout = CoreLayout::Read(file, file.size());
  if (!layout.ok()) return 0;
  const CoreMemory memory(file, *layout);
  for (const Address base : layout->BasesOf("libjvm.so")) BuildIdOf(memory, base);
  for (const CoreSegment& segment : layout->segments) {
    memory.Load<uint64_t>(segment.at);
    memory.Load<uint64_t>(segment.at + segment.size - 1);
  }
  return 0;
}
