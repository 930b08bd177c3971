#include "agent/vm/hidden_names.h"

#include <algorithm>

#include "agent/instrument/type_names.h"

namespace iprof::vm {
namespace {

// From an internal name to Class.getName()'s, or back: a hidden class's dot and the slashes change
// places.
std::string OtherSpelling(std::string_view name) {
  std::string other(name);
  for (char& c : other) {
    if (c == '.') {
      c = '/';
    } else if (c == '/') {
      c = '.';
    }
  }
  return other;
}

}  // namespace

std::string HiddenNames::NumberLambda(CapturingClass capturing, const std::string& base) {
  const std::lock_guard lock(mutex_);
  return instrument::NumberedLambdaName(base, rule_, lambdas_[capturing][base]++);
}

void HiddenNames::Drop(CapturingClass capturing) {
  const std::lock_guard lock(mutex_);
  lambdas_.erase(capturing);
}

std::string HiddenNames::NumberProxy(const std::string& base, const std::string& text) {
  const std::lock_guard lock(mutex_);
  std::vector<std::string>& texts = proxies_[base];
  const auto known = std::find(texts.begin(), texts.end(), text);
  const auto number = static_cast<uint32_t>(known - texts.begin());
  if (known == texts.end()) texts.push_back(text);
  return instrument::NumberedProxyName(base, number);
}

void HiddenNames::Add(std::string_view hotspot_name, std::string_view stable_name) {
  const std::lock_guard lock(mutex_);
  // HotSpot uses the address of an unloaded class again: the newest class is the one meant.
  stable_.insert_or_assign(std::string(hotspot_name), std::string(stable_name));
}

std::string HiddenNames::InternalName(std::string_view hotspot_name) const {
  const std::lock_guard lock(mutex_);
  const auto found = stable_.find(std::string(hotspot_name));
  return found == stable_.end() ? std::string(hotspot_name) : found->second;
}

std::optional<std::string> HiddenNames::StableName(std::string_view hotspot_name) const {
  const std::lock_guard lock(mutex_);
  const auto found = stable_.find(OtherSpelling(hotspot_name));
  if (found == stable_.end()) return std::nullopt;
  return OtherSpelling(found->second);
}

std::optional<std::string> HiddenNames::ProfileName(std::string_view signature) const {
  const size_t dimensions = std::min(signature.find_first_not_of('['), signature.size());
  if (dimensions > 0) {
    const auto element = ProfileName(signature.substr(dimensions));
    const auto whole = instrument::TypeNameOf(signature);
    if (!element || !whole) return std::nullopt;
    // An array of a renamed class; all others keep the spelling of Class.getName().
    if (signature[dimensions] != 'L') return instrument::ToUtf8(*whole);
    return std::string(dimensions, '[') + "L" + *element + ";";
  }
  auto name = instrument::TypeNameOf(signature);
  if (!name) return std::nullopt;
  if (auto stable = StableName(*name)) return instrument::ToUtf8(*stable);
  if (instrument::IsHiddenClass(signature)) return std::nullopt;
  return instrument::ToUtf8(*name);
}

size_t HiddenNames::size() const {
  const std::lock_guard lock(mutex_);
  return stable_.size();
}

}  // namespace iprof::vm
