#include "agent/hotspot/vm_flags.h"

#include <algorithm>

namespace iprof::hotspot {
namespace {

// Far more than exist; bounds the loops if the tables are damaged.
constexpr uint64_t kMostFlags = 100'000;
constexpr uint64_t kMostArguments = 100'000;
// Arguments can be long class paths.
constexpr size_t kLongestText = 1 << 20;

}  // namespace

VmFlags::VmFlags(const VmStructs& structs) : memory_(structs.memory()) {
  const auto pointer = [&](const VmStructs::Fields& fields, const char* field) -> Address {
    const auto at = fields.StaticField(field);
    return at ? memory_.Load<Address>(*at).value_or(0) : 0;
  };
  const VmStructs::Fields arguments = structs.FieldsOf("Arguments");
  arguments_ = pointer(arguments, "_jvm_args_array");
  if (const auto at = arguments.StaticField("_num_jvm_args")) {
    const int32_t count = memory_.Load<int32_t>(*at).value_or(0);
    argument_count_ = std::min(static_cast<uint64_t>(std::max(count, 0)), kMostArguments);
  }
  const VmStructs::Fields flag = structs.FieldsOf("JVMFlag");
  const auto name_at = flag.OffsetOf("_name");
  const auto address_at = flag.OffsetOf("_addr");
  const auto size = structs.SizeOf("JVMFlag");
  if (!name_at || !address_at || !size || *size == 0) return;
  name_offset_ = *name_at;
  address_offset_ = *address_at;
  size_ = *size;
  flags_ = pointer(flag, "flags");
  if (flags_ != 0) ReadFirstLetters(std::min<uint64_t>(pointer(flag, "numFlags"), kMostFlags));
}

void VmFlags::ReadFirstLetters(uint64_t count) {
  first_letters_.reserve(count);
  for (uint64_t i = 0; i < count; ++i) {
    const Address text = memory_.Load<Address>(flags_ + i * size_ + name_offset_).value_or(0);
    const auto first = text == 0 ? '\0' : memory_.Load<char>(text);
    if (!first) return;  // the table is damaged
    first_letters_ += *first;
  }
}

Address VmFlags::AddressOf(std::string_view name) const {
  if (name.empty()) return 0;
  for (size_t i = first_letters_.find(name.front()); i != std::string::npos;
       i = first_letters_.find(name.front(), i + 1)) {
    const Address flag = flags_ + i * size_;
    if (memory_.HasText(memory_.Load<Address>(flag + name_offset_).value_or(0), name))
      return memory_.Load<Address>(flag + address_offset_).value_or(0);
  }
  return 0;
}

std::vector<std::string> VmFlags::Arguments() const {
  std::vector<std::string> all;
  for (uint64_t i = 0; arguments_ != 0 && i < argument_count_; ++i) {
    const Address entry = arguments_ + i * sizeof(Address);
    auto text = memory_.Text(memory_.Load<Address>(entry).value_or(0), kLongestText);
    if (!text) break;  // the array is damaged
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

}  // namespace iprof::hotspot
