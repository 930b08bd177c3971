#include "agent/vm/jvmti/vm_flags.h"

namespace iprof::vm {

using hotspot::Address;

VmFlags::VmFlags(JavaVM* vm)
    : structs_(memory_, hotspot::OwnSymbols(reinterpret_cast<const void*>(vm->functions->GetEnv))) {
  const auto pointer = [&](const char* type, const char* field) -> Address {
    const auto at = structs_.StaticField(type, field);
    return at ? memory_.Load<Address>(*at).value_or(0) : 0;
  };
  arguments_ = pointer("Arguments", "_jvm_args_array");
  if (const auto at = structs_.StaticField("Arguments", "_num_jvm_args"))
    argument_count_ = memory_.Load<int32_t>(*at).value_or(0);
  const auto name_at = structs_.OffsetOf("JVMFlag", "_name");
  const auto address_at = structs_.OffsetOf("JVMFlag", "_addr");
  const auto size = structs_.SizeOf("JVMFlag");
  if (!name_at || !address_at || !size || *size == 0) return;
  name_offset_ = *name_at;
  address_offset_ = *address_at;
  size_ = *size;
  count_ = pointer("JVMFlag", "numFlags");
  flags_ = pointer("JVMFlag", "flags");
}

Address VmFlags::AddressOf(std::string_view name) const {
  for (uint64_t i = 0; flags_ != 0 && i < count_; ++i) {
    const Address flag = flags_ + i * size_;
    const Address text = memory_.Load<Address>(flag + name_offset_).value_or(0);
    if (text != 0 && memory_.Text(text) == name)
      return memory_.Load<Address>(flag + address_offset_).value_or(0);
  }
  return 0;
}

std::vector<std::string> VmFlags::Arguments() const {
  std::vector<std::string> all;
  for (int32_t i = 0; arguments_ != 0 && i < argument_count_; ++i) {
    const Address entry = arguments_ + static_cast<Address>(i) * sizeof(Address);
    if (auto text = memory_.Text(memory_.Load<Address>(entry).value_or(0), kLongestText))
      all.push_back(std::move(*text));
  }
  return all;
}

std::optional<std::string> VmFlags::LastArgument(std::string_view prefix) const {
  std::optional<std::string> last;
  for (std::string& argument : Arguments()) {
    if (argument.starts_with(prefix)) last = std::move(argument);
  }
  return last;
}

std::optional<bool> VmFlags::Bool(std::string_view name) const {
  const auto value = memory_.Load<uint8_t>(AddressOf(name));
  if (!value) return std::nullopt;
  return *value != 0;
}

std::optional<uint64_t> VmFlags::Number(std::string_view name) const {
  return memory_.Load<uint64_t>(AddressOf(name));
}

std::optional<std::string> VmFlags::Text(std::string_view name) const {
  const auto text = memory_.Load<Address>(AddressOf(name));
  return text ? memory_.Text(*text, kLongestText) : std::nullopt;
}

}  // namespace iprof::vm
