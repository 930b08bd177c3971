#include "agent/vm/sampling_methods.h"

namespace iprof::vm {

const std::string* SampledMethods::Shared(std::string_view text) {
  return &*texts_.emplace(text).first;
}

void SampledMethods::AddClass(std::string_view class_descriptor,
                              std::span<const MethodOfClass> methods, ClassNaming naming) {
  if (methods.empty()) return;
  const std::lock_guard<std::mutex> guard(lock_);
  const std::string* shared_class = Shared(class_descriptor);
  for (const MethodOfClass& method : methods)
    by_id_[method.id] = {shared_class, Shared(method.name), Shared(method.descriptor),
                         method.version, naming};
}

std::optional<SampledMethod> SampledMethods::Find(const void* id) const {
  const std::lock_guard<std::mutex> guard(lock_);
  const auto found = by_id_.find(id);
  if (found == by_id_.end()) return std::nullopt;
  return SampledMethod{*found->second.class_descriptor, *found->second.name,
                       *found->second.descriptor, found->second.version, found->second.naming};
}

size_t SampledMethods::size() const {
  const std::lock_guard<std::mutex> guard(lock_);
  return by_id_.size();
}

}  // namespace iprof::vm
