#include "agent/hotspot/vm_structs.h"

namespace iprof::hotspot {

VmStructs::VmStructs(const Memory& memory, const SymbolOf& symbols) : memory_(memory) {
  bool complete = true;
  const auto number = [&](const char* name) -> uint64_t {
    const auto at = symbols(name);
    const auto value = at ? memory.Load<uint64_t>(*at) : std::nullopt;
    complete = complete && value.has_value();
    return value.value_or(0);
  };
  fields_ = {number("gHotSpotVMStructs"), number("gHotSpotVMStructEntryArrayStride"),
             number("gHotSpotVMStructEntryTypeNameOffset"),
             number("gHotSpotVMStructEntryFieldNameOffset")};
  field_offset_ = number("gHotSpotVMStructEntryOffsetOffset");
  field_address_ = number("gHotSpotVMStructEntryAddressOffset");
  field_is_static_ = number("gHotSpotVMStructEntryIsStaticOffset");
  types_ = {number("gHotSpotVMTypes"), number("gHotSpotVMTypeEntryArrayStride"),
            number("gHotSpotVMTypeEntryTypeNameOffset"), 0};
  type_size_ = number("gHotSpotVMTypeEntrySizeOffset");
  ints_ = {number("gHotSpotVMIntConstants"), number("gHotSpotVMIntConstantEntryArrayStride"),
           number("gHotSpotVMIntConstantEntryNameOffset"), 0};
  int_value_ = number("gHotSpotVMIntConstantEntryValueOffset");
  longs_ = {number("gHotSpotVMLongConstants"), number("gHotSpotVMLongConstantEntryArrayStride"),
            number("gHotSpotVMLongConstantEntryNameOffset"), 0};
  long_value_ = number("gHotSpotVMLongConstantEntryValueOffset");
  if (!complete) fields_ = types_ = ints_ = longs_ = {};
}

Address VmStructs::FindFrom(Address entry, const Table& table, std::string_view name,
                            std::string_view second) const {
  if (entry == 0 || table.stride == 0 || name.empty()) return 0;
  constexpr int kMost = 100'000;  // far more than exist; bounds the loop if the table is damaged
  for (int i = 0; i < kMost; ++i, entry += table.stride) {
    const Address text = memory_.Load<Address>(entry + table.name).value_or(0);
    // A name that cannot be read: the table or its stride is damaged, and nothing behind it helps.
    const auto first = text == 0 ? std::nullopt : memory_.Load<char>(text);
    if (!first) return 0;
    if (*first != name.front() || !memory_.HasText(text, name)) continue;
    if (second.empty() ||
        memory_.HasText(memory_.Load<Address>(entry + table.second).value_or(0), second))
      return entry;
  }
  return 0;
}

Address VmStructs::Fields::Find(std::string_view field, bool is_static) const {
  if (field.empty()) return 0;
  const Address entry = structs_.FindFrom(first_, structs_.fields_, type_, field);
  if (entry == 0) return 0;
  const auto found = structs_.memory_.Load<int32_t>(entry + structs_.field_is_static_);
  return found && (*found != 0) == is_static ? entry : 0;
}

std::optional<uint64_t> VmStructs::Fields::OffsetOf(std::string_view field) const {
  const Address entry = Find(field, false);
  if (entry == 0) return std::nullopt;
  return structs_.memory_.Load<uint64_t>(entry + structs_.field_offset_);
}

std::optional<Address> VmStructs::Fields::StaticField(std::string_view field) const {
  const Address entry = Find(field, true);
  if (entry == 0) return std::nullopt;
  return structs_.memory_.Load<Address>(entry + structs_.field_address_);
}

std::optional<uint64_t> VmStructs::SizeOf(std::string_view type) const {
  const Address entry = Find(types_, type, {});
  if (entry == 0) return std::nullopt;
  return memory_.Load<uint64_t>(entry + type_size_);
}

std::optional<int32_t> VmStructs::IntConstant(std::string_view name) const {
  const Address entry = Find(ints_, name, {});
  if (entry == 0) return std::nullopt;
  return memory_.Load<int32_t>(entry + int_value_);
}

std::optional<int64_t> VmStructs::LongConstant(std::string_view name) const {
  const Address entry = Find(longs_, name, {});
  if (entry == 0) return std::nullopt;
  return memory_.Load<int64_t>(entry + long_value_);
}

}  // namespace iprof::hotspot
