#include "agent/vm/vm_flags.h"

#include <dlfcn.h>

#include <cstdint>
#include <cstring>

namespace iprof::vm {
namespace {

// A symbol of the library that holds `address`, whether or not it was loaded globally.
const void* SymbolBeside(const void* address, const char* name) {
  Dl_info info;
  if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) return nullptr;
  void* library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return nullptr;
  const void* symbol = dlsym(library, name);
  dlclose(library);  // only the extra reference
  return symbol;
}

template <typename T>
T Load(const void* base, size_t offset) {
  T value;
  std::memcpy(&value, static_cast<const char*>(base) + offset, sizeof value);
  return value;
}

// One number that libjvm exports under this name.
std::optional<uint64_t> Exported(const void* inside, const char* name) {
  const void* at = SymbolBeside(inside, name);
  if (at == nullptr) return std::nullopt;
  return Load<uint64_t>(at, 0);
}

// Walks an exported array of entries that ends with a null name. Where a name lies in an entry, and
// how long an entry is, is exported as well.
struct EntryTable {
  const char* first = nullptr;
  uint64_t stride = 0;

  static EntryTable Find(const void* inside, const char* table, const char* stride_name) {
    const auto first = Exported(inside, table);
    const auto stride = Exported(inside, stride_name);
    if (!first || !stride || *stride == 0) return {};
    return {reinterpret_cast<const char*>(static_cast<uintptr_t>(*first)), *stride};
  }
};

bool Same(const char* text, const char* wanted) {
  return text != nullptr && std::strcmp(text, wanted) == 0;
}

}  // namespace

VmFlags::VmFlags(JavaVM* vm) {
  const void* inside = reinterpret_cast<const void*>(vm->functions->GetEnv);
  const EntryTable fields =
      EntryTable::Find(inside, "gHotSpotVMStructs", "gHotSpotVMStructEntryArrayStride");
  const EntryTable types =
      EntryTable::Find(inside, "gHotSpotVMTypes", "gHotSpotVMTypeEntryArrayStride");
  const auto type_name = Exported(inside, "gHotSpotVMStructEntryTypeNameOffset");
  const auto field_name = Exported(inside, "gHotSpotVMStructEntryFieldNameOffset");
  const auto field_offset = Exported(inside, "gHotSpotVMStructEntryOffsetOffset");
  const auto field_address = Exported(inside, "gHotSpotVMStructEntryAddressOffset");
  const auto size_name = Exported(inside, "gHotSpotVMTypeEntryTypeNameOffset");
  const auto size_offset = Exported(inside, "gHotSpotVMTypeEntrySizeOffset");
  if (fields.first == nullptr || types.first == nullptr || !type_name || !field_name ||
      !field_offset || !field_address || !size_name || !size_offset) {
    return;
  }
  const char* flags = nullptr;
  std::optional<size_t> name_at;
  std::optional<size_t> addr_at;
  for (const char* entry = fields.first; Load<const char*>(entry, *type_name) != nullptr;
       entry += fields.stride) {
    const char* type = Load<const char*>(entry, *type_name);
    const char* field = Load<const char*>(entry, *field_name);
    if (Same(type, "Arguments")) {
      const void* at = Load<const void*>(entry, *field_address);
      if (Same(field, "_jvm_args_array")) arguments_ = Load<const char* const*>(at, 0);
      if (Same(field, "_num_jvm_args")) argument_count_ = static_cast<size_t>(Load<int>(at, 0));
    }
    if (!Same(type, "JVMFlag")) continue;
    if (Same(field, "_name")) name_at = Load<uint64_t>(entry, *field_offset);
    if (Same(field, "_addr")) addr_at = Load<uint64_t>(entry, *field_offset);
    if (Same(field, "flags"))
      flags = Load<const char*>(Load<const void*>(entry, *field_address), 0);
    if (Same(field, "numFlags")) count_ = Load<size_t>(Load<const void*>(entry, *field_address), 0);
  }
  for (const char* entry = types.first; Load<const char*>(entry, *size_name) != nullptr;
       entry += types.stride) {
    if (Same(Load<const char*>(entry, *size_name), "JVMFlag"))
      size_ = Load<uint64_t>(entry, *size_offset);
  }
  if (!name_at || !addr_at || size_ == 0) return;
  name_offset_ = *name_at;
  addr_offset_ = *addr_at;
  flags_ = flags;
}

const void* VmFlags::AddressOf(std::string_view name) const {
  if (flags_ == nullptr) return nullptr;
  for (size_t i = 0; i < count_; ++i) {
    const char* flag = flags_ + i * size_;
    const char* flag_name = Load<const char*>(flag, name_offset_);
    if (flag_name != nullptr && name == flag_name) return Load<const void*>(flag, addr_offset_);
  }
  return nullptr;
}

std::vector<std::string> VmFlags::Arguments() const {
  std::vector<std::string> all;
  for (size_t i = 0; arguments_ != nullptr && i < argument_count_; ++i) {
    if (arguments_[i] != nullptr) all.emplace_back(arguments_[i]);
  }
  return all;
}

std::optional<std::string> VmFlags::LastArgument(std::string_view prefix) const {
  for (size_t i = arguments_ == nullptr ? 0 : argument_count_; i > 0; --i) {
    const char* argument = arguments_[i - 1];
    if (argument != nullptr && std::string_view(argument).starts_with(prefix))
      return std::string(argument);
  }
  return std::nullopt;
}

std::optional<bool> VmFlags::Bool(std::string_view name) const {
  const void* address = AddressOf(name);
  if (address == nullptr) return std::nullopt;
  return Load<uint8_t>(address, 0) != 0;
}

std::optional<std::string> VmFlags::Text(std::string_view name) const {
  const void* address = AddressOf(name);
  if (address == nullptr) return std::nullopt;
  const char* text = Load<const char*>(address, 0);
  if (text == nullptr) return std::nullopt;
  return std::string(text);
}

}  // namespace iprof::vm
