#include "agent/instrument/names/lambda_numbers.h"

#include <string>
#include <vector>

#include "agent/classfile/arena.h"
#include "writer/base/murmur3.h"

namespace iprof::instrument {
namespace {

uint64_t KeyOf(std::string_view class_name) { return Murmur3(class_name).low; }

uint64_t KeyOf(std::string_view class_name, std::string_view method, std::string_view descriptor,
               DynamicCall call) {
  std::string text;
  text.reserve(class_name.size() + method.size() + descriptor.size() + 5);
  text.append(class_name).append(1, '.').append(method).append(descriptor);
  for (const uint16_t part : {call.ordinal, call.count}) {
    text += static_cast<char>(part >> 8);
    text += static_cast<char>(part & 0xff);
  }
  return Murmur3(text).low;
}

}  // namespace

void LambdaNumbers::Note(classfile::ByteSpan class_file) {
  classfile::Arena arena(8192);
  // Most classes make no lambdas, and their constants show it.
  classfile::ConstantPool pool;
  if (pool.Parse(class_file, arena) != classfile::Reason::kOk || !MayMakeLambdas(pool)) return;
  classfile::ClassFile file;
  if (file.Parse(class_file, arena) != classfile::Reason::kOk) return;
  const std::vector<LambdaSite> sites = ReadLambdaSites(file, rule_, unboxing_);
  const uint64_t class_key = KeyOf(file.name());
  bool any = AnyIn(file.name());
  for (const LambdaSite& site : sites) any = any || site.number > 0;
  if (!any) return;
  const std::lock_guard lock(mutex_);
  for (const LambdaSite& site : sites) {
    const uint64_t key =
        KeyOf(file.name(), file.NameOf(*site.method), file.DescriptorOf(*site.method), site.call);
    const auto known = numbers_.find(key);
    if (known != numbers_.end()) {
      if (site.number > 0) {
        known->second = site.number;
        continue;
      }
      numbers_.erase(known);
      if (--classes_[class_key] == 0) classes_.erase(class_key);
    } else if (site.number > 0) {
      if (numbers_.size() >= kMostSites) {
        ++refused_;
        continue;
      }
      numbers_.emplace(key, site.number);
      ++classes_[class_key];
    }
  }
}

bool LambdaNumbers::AnyIn(std::string_view class_name) const {
  const uint64_t key = KeyOf(class_name);
  const std::lock_guard lock(mutex_);
  return classes_.contains(key);
}

uint32_t LambdaNumbers::NumberOf(std::string_view class_name, std::string_view method,
                                 std::string_view descriptor, DynamicCall call) const {
  const uint64_t key = KeyOf(class_name, method, descriptor, call);
  const std::lock_guard lock(mutex_);
  const auto found = numbers_.find(key);
  return found == numbers_.end() ? 0 : found->second;
}

size_t LambdaNumbers::size() const {
  const std::lock_guard lock(mutex_);
  return numbers_.size();
}

size_t LambdaNumbers::bytes() const {
  constexpr size_t kNode = 32;  // two words, the pair, malloc's overhead
  const std::lock_guard lock(mutex_);
  return (numbers_.size() + classes_.size()) * kNode +
         (numbers_.bucket_count() + classes_.bucket_count()) * sizeof(void*);
}

uint64_t LambdaNumbers::refused() const {
  const std::lock_guard lock(mutex_);
  return refused_;
}

}  // namespace iprof::instrument
