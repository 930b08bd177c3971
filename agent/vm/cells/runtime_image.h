// RuntimeImage: the bytes of the classes that the agent defines inside the JVM.
//
// Guarantees: pure. The bytes come from the compiled sources in runtime/; the chunk's number is
// written into the class name, and the number of stripes over its marker constant. Threads: any, in
// any phase. Failure: none.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace iprof::vm {

// The class with the stubs that probes call. It must be defined before the first chunk.
inline constexpr std::string_view kRuntimeClassName = "java/lang/IprofRuntime";

std::span<const uint8_t> RuntimeClassBytes();

// The class that knows all chunks by number, for code whose class loader may not find the holders.
inline constexpr std::string_view kReachClassName = "java/lang/IprofReach";
std::vector<uint8_t> ReachClassBytes(uint32_t stripes);

// "java/lang/IprofCounters7", or "java/lang/IprofStriped7" with more than one stripe.
std::string CounterHolderName(uint32_t chunk, uint32_t stripes);
std::vector<uint8_t> CounterHolderBytes(uint32_t chunk, uint32_t stripes);

// Class-counting sites: the class that their probes share, and the holder of a chunk,
// "java/lang/IprofReceivers7".
inline constexpr std::string_view kTypesClassName = "java/lang/IprofTypes";
inline constexpr uint32_t kChunkSites = 8192;
inline constexpr uint32_t kSiteRows = 4;
// With this many slots in each half of the spill table.
std::vector<uint8_t> TypesClassBytes(uint32_t spill_slots);
std::string SiteHolderName(uint32_t chunk);
std::vector<uint8_t> SiteHolderBytes(uint32_t chunk);

// Holders inside the program's class loaders (loader_holders.h). IsOwnClass knows their names:
// "iprof/agent/iprof$Sites7_12" is holder number 12, for chunk 7. They refer only to classes in
// java.lang.
inline constexpr std::string_view kLoaderPackage = "iprof/agent";
std::string LoaderHolderName(std::string_view package, std::string_view what, uint32_t chunk,
                             uint64_t number);
std::vector<uint8_t> LoaderCountersBytes(const std::string& name, uint32_t stripes);
std::vector<uint8_t> LoaderSitesBytes(const std::string& name);
inline constexpr std::string_view kSiteClassName = "java/lang/IprofSite";
std::span<const uint8_t> SiteClassBytes();
inline constexpr std::string_view kStripeClassName = "java/lang/IprofStripe";
std::span<const uint8_t> StripeClassBytes();
// The class whose probes take stacks (agent/instrument/probes/watched_code.h).
std::span<const uint8_t> ContextsClassBytes();

}  // namespace iprof::vm
