#include "agent/vm/cells/runtime_image.h"

#include <cstring>

#include "runtime_classes.inc"
#include "writer/names/own_classes.h"

namespace iprof::vm {
namespace {

constexpr std::string_view kCountersName = "java/lang/IprofCounters";
constexpr std::string_view kStripedName = "java/lang/IprofStriped";
constexpr std::string_view kSitesName = "java/lang/IprofReceivers";

// Marker constants in the templates, to be replaced.
constexpr uint32_t kStripesMarker = 0x51515151;
constexpr uint32_t kFirstSiteMarker = 0x52525252;
constexpr uint32_t kSpillSlotsMarker = 0x53535353;

// The differences between a template and its copy.
struct Changes {
  std::string old_name;
  std::string new_name;
  uint32_t marker;
  uint32_t value;
};

void AppendU2(std::vector<uint8_t>& out, size_t value) {
  out.push_back(static_cast<uint8_t>(value >> 8));
  out.push_back(static_cast<uint8_t>(value));
}

// Copies one of our own templates. Its shape is known: it contains only tags that javac wrote.
std::vector<uint8_t> Specialise(std::span<const uint8_t> in, const Changes& changes) {
  auto u2 = [&](size_t at) { return static_cast<size_t>(in[at] << 8 | in[at + 1]); };
  std::vector<uint8_t> out(in.begin(), in.begin() + 10);
  const size_t constants = u2(8);
  size_t at = 10;
  for (size_t index = 1; index < constants; ++index) {
    const uint8_t tag = in[at];
    size_t size = 5;  // Fieldref, Methodref, NameAndType, Integer
    if (tag == 1) {
      const size_t length = u2(at + 1);
      const std::string_view text(reinterpret_cast<const char*>(&in[at + 3]), length);
      if (text == changes.old_name) {
        out.push_back(1);
        AppendU2(out, changes.new_name.size());
        out.insert(out.end(), changes.new_name.begin(), changes.new_name.end());
        at += 3 + length;
        continue;
      }
      size = 3 + length;
    } else if (tag == 7 || tag == 8) {
      size = 3;
    } else if (tag == 5) {  // Long, which takes two indices
      size = 9;
      ++index;
    }
    const size_t start = out.size();
    out.insert(out.end(), in.begin() + static_cast<std::ptrdiff_t>(at),
               in.begin() + static_cast<std::ptrdiff_t>(at + size));
    if (tag == 3) {
      const uint32_t value = static_cast<uint32_t>(u2(at + 1) << 16 | u2(at + 3));
      if (value == changes.marker) {
        for (size_t i = 0; i < 4; ++i)
          out[start + 1 + i] = static_cast<uint8_t>(changes.value >> (24 - 8 * i));
      }
    }
    at += size;
  }
  out.insert(out.end(), in.begin() + static_cast<std::ptrdiff_t>(at), in.end());
  return out;
}

}  // namespace

std::span<const uint8_t> RuntimeClassBytes() { return kIprofRuntimeClass; }

std::vector<uint8_t> ReachClassBytes(uint32_t stripes) {
  return Specialise(kIprofReachClass, {std::string(kReachClassName), std::string(kReachClassName),
                                       kStripesMarker, stripes});
}

std::string CounterHolderName(uint32_t chunk, uint32_t stripes) {
  return std::string(stripes > 1 ? kStripedName : kCountersName) + std::to_string(chunk);
}

std::vector<uint8_t> CounterHolderBytes(uint32_t chunk, uint32_t stripes) {
  const std::span<const uint8_t> source = stripes > 1
                                              ? std::span<const uint8_t>(kIprofStriped0Class)
                                              : std::span<const uint8_t>(kIprofCounters0Class);
  return Specialise(source, {CounterHolderName(0, stripes), CounterHolderName(chunk, stripes),
                             kStripesMarker, stripes});
}

std::vector<uint8_t> TypesClassBytes(uint32_t spill_slots) {
  return Specialise(kIprofTypesClass, {std::string(kTypesClassName), std::string(kTypesClassName),
                                       kSpillSlotsMarker, spill_slots});
}

std::string SiteHolderName(uint32_t chunk) {
  return std::string(kSitesName) + std::to_string(chunk);
}

std::vector<uint8_t> SiteHolderBytes(uint32_t chunk) {
  return Specialise(kIprofReceivers0Class, {SiteHolderName(0), SiteHolderName(chunk),
                                            kFirstSiteMarker, chunk * kChunkSites});
}

std::string LoaderHolderName(std::string_view package, std::string_view what, uint32_t chunk,
                             uint64_t number) {
  std::string name(package);
  if (!name.empty()) name += '/';
  return name.append(kOwnPrefix)
      .append(what)
      .append(std::to_string(chunk))
      .append("_")
      .append(std::to_string(number));
}

std::vector<uint8_t> LoaderCountersBytes(const std::string& name, uint32_t stripes) {
  if (stripes > 1)
    return Specialise(kLoaderStripedClass, {"iprof/agent/LoaderStriped", name, 0, 0});
  return Specialise(kLoaderCountersClass, {"iprof/agent/LoaderCounters", name, 0, 0});
}

std::vector<uint8_t> LoaderSitesBytes(const std::string& name) {
  return Specialise(kLoaderSitesClass, {"iprof/agent/LoaderSites", name, 0, 0});
}

std::span<const uint8_t> SiteClassBytes() { return kIprofSiteClass; }
std::span<const uint8_t> StripeClassBytes() { return kIprofStripeClass; }
std::span<const uint8_t> ContextsClassBytes() { return kIprofContextsClass; }

}  // namespace iprof::vm
