// LiveFrameCount: how many activations of a method had not ended when the counters were read, by
// its key "java/lang/Object.wait(J)V". Each may put a derived count off by one.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace iprof::instrument {

using LiveFrameCount = std::function<uint64_t(std::string_view key)>;

inline std::string MethodKey(std::string_view owner, std::string_view name,
                             std::string_view descriptor) {
  std::string key;
  key.reserve(owner.size() + name.size() + descriptor.size() + 1);
  return key.append(owner).append(".").append(name).append(descriptor);
}

}  // namespace iprof::instrument
