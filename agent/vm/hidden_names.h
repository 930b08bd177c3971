// HiddenNames: which class of this JVM has which name in a profile, for the classes whose own name
// no image build would know: lambdas and proxies.
//
// Guarantees: any thread, any phase; a short mutex, held across no call. A name once given stays
// the class's. Lambdas that do the same are numbered within the class that captures them, so that
// a class which several loaders define gives each of them the same names. Knows no JVM.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "agent/instrument/stable_names.h"
#include "agent/vm/sampling_profile.h"

namespace iprof::vm {

// Identifies a class that captures lambdas while it is loaded.
enum class CapturingClass : int64_t {};

class HiddenNames final : public HiddenClassNames {
 public:
  explicit HiddenNames(instrument::NamingRule rule) : rule_(rule) {}
  HiddenNames(const HiddenNames&) = delete;
  HiddenNames& operator=(const HiddenNames&) = delete;

  instrument::NamingRule rule() const { return rule_; }

  // The internal name of the next lambda with this base name.
  std::string NumberLambda(CapturingClass capturing, const std::string& base);
  // Forgets how far the class's lambdas were numbered: it was unloaded.
  void Drop(CapturingClass capturing);
  // The internal name of a proxy; the same for the same text.
  std::string NumberProxy(const std::string& base, const std::string& text);

  // Both names internal: "a/B$$Lambda.0x01", as in the signature that JVMTI gives.
  void Add(std::string_view hotspot_name, std::string_view stable_name);

  // The stable name, or the name itself where it has none; both internal.
  std::string InternalName(std::string_view hotspot_name) const;

  // In Class.getName()'s form, as samples have it.
  std::optional<std::string> StableName(std::string_view hotspot_name) const override;
  // From JVMTI's signature to the name that a profile gives any class, in UTF-8; nothing where an
  // image would have no such class.
  std::optional<std::string> ProfileName(std::string_view signature) const;

  size_t size() const;

 private:
  const instrument::NamingRule rule_;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::string> stable_;  // both internal
  std::unordered_map<CapturingClass, std::unordered_map<std::string, uint32_t>> lambdas_;
  std::unordered_map<std::string, std::vector<std::string>> proxies_;  // texts by base name
};

}  // namespace iprof::vm
