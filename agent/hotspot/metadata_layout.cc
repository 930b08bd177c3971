#include "agent/hotspot/metadata_layout.h"

#include <string>

#include "agent/hotspot/frame_facts.h"

namespace iprof::hotspot {
namespace {

// Looks up offsets and remembers the first one that is missing.
class Finder {
 public:
  explicit Finder(const VmStructs& structs) : structs_(structs) {}

  uint64_t Offset(const char* type, const char* field) {
    constexpr uint64_t kLargest = 4096;  // no HotSpot structure is as large
    const auto offset = structs_.OffsetOf(type, field);
    if (!offset || *offset > kLargest) Miss(std::string(type) + "::" + field);
    return offset.value_or(0);
  }
  // For a field whose name depends on the version.
  uint64_t Offset(const char* type, const char* field, const char* other) {
    return structs_.OffsetOf(type, field) ? Offset(type, field) : Offset(type, other);
  }
  uint64_t Size(const char* type) {
    const auto size = structs_.SizeOf(type);
    if (!size || *size == 0 || *size > 4096) Miss(std::string("the size of ") + type);
    return size.value_or(0);
  }
  Address Static(const char* type, const char* field) {
    const auto at = structs_.StaticField(type, field);
    if (!at || *at == 0) Miss(std::string(type) + "::" + field);
    return at.value_or(0);
  }
  // A constant on whose value this code relies.
  void Expect(const char* name, int32_t value) {
    const auto found = structs_.IntConstant(name);
    if (!found || *found != value) Miss(std::string("the value of ") + name);
  }
  void Miss(const std::string& what) {
    if (missing_.empty()) missing_ = what;
  }
  const std::string& missing() const { return missing_; }

 private:
  const VmStructs& structs_;
  std::string missing_;
};

void ExpectTags(Finder& find) {
  constexpr const char* kTags[] = {"no_tag",
                                   "bit_data_tag",
                                   "counter_data_tag",
                                   "jump_data_tag",
                                   "receiver_type_data_tag",
                                   "virtual_call_data_tag",
                                   "ret_data_tag",
                                   "branch_data_tag",
                                   "multi_branch_data_tag",
                                   "arg_info_data_tag",
                                   "call_type_data_tag",
                                   "virtual_call_type_data_tag",
                                   "parameters_type_data_tag",
                                   "speculative_trap_data_tag"};
  int32_t value = 0;
  for (const char* tag : kTags) find.Expect((std::string("DataLayout::") + tag).c_str(), value++);
  find.Expect("DataLayout::cell_size", 8);
  find.Expect("JVM_CONSTANT_UnresolvedClass", 100);
  find.Expect("JVM_CONSTANT_UnresolvedClassInError", 103);
}

void ReadCache(Finder& find, const VmStructs& structs, MetadataLayout& all) {
  auto& cache = all.cache;
  cache.size = find.Size("ConstantPoolCache");
  cache.references = find.Offset("ConstantPoolCache", "_reference_map");
  const auto resolved = [&](const char* field, const char* type) {
    const std::string array = std::string("Array<") + type + ">";
    decltype(cache.fields) found{};
    found.at = find.Offset("ConstantPoolCache", field);
    found.index = find.Offset(type, "_cpool_index");
    found.size = find.Size(type);
    found.data = find.Offset(array.c_str(), "_data", "_data[0]");
    return found;
  };
  if (structs.SizeOf("ResolvedIndyEntry"))
    cache.dynamic = resolved("_resolved_indy_entries", "ResolvedIndyEntry");
  if (structs.SizeOf("ResolvedMethodEntry"))
    cache.methods = resolved("_resolved_method_entries", "ResolvedMethodEntry");
  if (structs.SizeOf("ResolvedFieldEntry"))
    cache.fields = resolved("_resolved_field_entries", "ResolvedFieldEntry");
  if (cache.methods.size != 0 && cache.fields.size != 0 && cache.dynamic.size != 0) return;
  cache.length = find.Offset("ConstantPoolCache", "_length");
  cache.entry_size = find.Size("ConstantPoolCacheEntry");
  cache.entry_index = find.Offset("ConstantPoolCacheEntry", "_indices");
}

void ReadMethodData(Finder& find, const VmStructs& structs, MetadataLayout& all) {
  all.data.method = find.Offset("MethodData", "_method");
  all.data.data_size = find.Offset("MethodData", "_data_size");
  all.data.data = find.Offset("MethodData", "_data[0]");
  all.data.fixed_size = find.Size("MethodData");
  const uint64_t traps = find.Offset("MethodData", "_tenure_traps");
  const uint64_t returned = find.Offset("MethodData", "_arg_returned");
  if (traps != returned + 28 && traps != returned + 24)
    find.Miss("MethodData's counters before _tenure_traps");
  all.data.invocations = traps - 16;
  all.data.back_edges = traps - 12;
  all.counters.invocations = find.Offset("MethodCounters", "_invocation_counter");
  all.counters.back_edges = find.Offset("MethodCounters", "_backedge_counter");
  const auto shift = structs.LongConstant("InvocationCounter::count_shift");
  if (!shift || *shift < 0 || *shift > 8) find.Miss("InvocationCounter::count_shift");
  all.counters.shift = static_cast<int32_t>(shift.value_or(0));
  const auto breakpoints = structs.OffsetOf("MethodCounters", "_number_of_breakpoints");
  if (breakpoints && *breakpoints + 4 <= structs.SizeOf("MethodCounters").value_or(0))
    all.counters.highest = *breakpoints + 2;
  if (find.Offset("DataLayout", "_header._struct._tag") != 0 ||
      find.Offset("DataLayout", "_header._struct._flags") != 1 ||
      find.Offset("DataLayout", "_header._struct._bci") != 2 ||
      find.Offset("DataLayout", "_cells[0]") != 8) {
    find.Miss("DataLayout's header");
  }
}

// Optional: only what invokedynamic calls is read from objects.
std::optional<MetadataLayout::Heap> ReadHeap(const VmStructs& structs) {
  const auto value = [&]<typename T>(const char* type, const char* field, const char* other, T) {
    auto at = structs.StaticField(type, field);
    if (!at) at = structs.StaticField(type, other);
    return at ? structs.memory().Load<T>(*at) : std::optional<T>();
  };
  constexpr const char* kKlassPointers = "CompressedKlassPointers";
  const auto klass = structs.OffsetOf("oopDesc", "_metadata._compressed_klass");
  const auto references = structs.OffsetOf("ConstantPoolCache", "_resolved_references");
  const auto base = value("CompressedOops", "_narrow_oop._base", "_base", Address{});
  const auto shift = value("CompressedOops", "_narrow_oop._shift", "_shift", uint32_t{});
  const auto klass_base = value(kKlassPointers, "_narrow_klass._base", "_base", Address{});
  const auto klass_shift = value(kKlassPointers, "_narrow_klass._shift", "_shift", uint32_t{});
  constexpr uint32_t kLargestShift = 10;
  if (!klass || !references || !base || !shift || !klass_base || !klass_shift ||
      *shift > kLargestShift || *klass_shift > kLargestShift) {
    return std::nullopt;
  }
  return MetadataLayout::Heap{*klass, *references, *base, *klass_base, *shift, *klass_shift};
}

}  // namespace

Result<MetadataLayout> MetadataLayout::Read(const VmStructs& structs) {
  Finder find(structs);
  MetadataLayout all;
  const auto major = ReadMajorVersion(structs);
  if (!major) find.Miss("the version of Java");
  all.major = major.value_or(0);
  all.loaders = find.Static("ClassLoaderDataGraph", "_head");
  all.archive = structs.StaticField("FileMapInfo", "_current_info").value_or(0);
  all.loader = {find.Offset("ClassLoaderData", "_next"), find.Offset("ClassLoaderData", "_klasses"),
                find.Offset("ClassLoaderData", "_has_class_mirror_holder")};
  all.klass = {find.Offset("Klass", "_next_link"),     find.Offset("Klass", "_name"),
               find.Offset("Klass", "_layout_helper"), find.Offset("Klass", "_super"),
               find.Offset("Klass", "_access_flags"),  find.Offset("Klass", "_class_loader_data")};
  all.instance = {find.Offset("InstanceKlass", "_methods"),
                  find.Offset("InstanceKlass", "_constants"),
                  find.Offset("InstanceKlass", "_local_interfaces"),
                  find.Offset("InstanceKlass", "_breakpoints"),
                  find.Offset("InstanceKlass", "_init_state"),
                  static_cast<uint8_t>(structs.IntConstant("InstanceKlass::linked").value_or(0))};
  if (all.instance.linked == 0) find.Miss("InstanceKlass::linked");
  all.method = {find.Offset("Method", "_constMethod"),
                find.Offset("Method", "_method_data"),
                find.Offset("Method", "_method_counters"),
                find.Offset("Method", "_access_flags"),
                find.Offset("Method", "_intrinsic_id"),
                find.Offset("Method", "_code"),
                static_cast<uint32_t>(structs.IntConstant("JVM_ACC_IS_OLD").value_or(0))};
  all.code = {find.Offset("ConstMethod", "_constants"),
              find.Offset("ConstMethod", "_code_size"),
              find.Offset("ConstMethod", "_name_index"),
              find.Offset("ConstMethod", "_signature_index"),
              find.Offset("ConstMethod", "_flags", "_flags._flags"),
              find.Size("ConstMethod")};
  all.pool = {find.Offset("ConstantPool", "_tags"), find.Offset("ConstantPool", "_cache"),
              find.Offset("ConstantPool", "_length"), find.Size("ConstantPool"), 0};
  if (all.pool.size >= all.pool.length + 8) all.pool.version = all.pool.length + 4;
  all.array = {find.Offset("Array<int>", "_length"), find.Offset("Array<u1>", "_data"),
               find.Offset("Array<Method*>", "_data"), find.Offset("Array<u2>", "_data")};
  all.symbol = {find.Offset("Symbol", "_length"), find.Offset("Symbol", "_body", "_body[0]")};
  all.breakpoint = {
      find.Offset("BreakpointInfo", "_orig_bytecode"), find.Offset("BreakpointInfo", "_bci"),
      find.Offset("BreakpointInfo", "_name_index"),
      find.Offset("BreakpointInfo", "_signature_index"), find.Offset("BreakpointInfo", "_next")};
  all.level = structs.OffsetOf("nmethod", "_comp_level");
  all.bootstraps = structs.OffsetOf("ConstantPool", "_operands");
  all.heap = ReadHeap(structs);
  ReadCache(find, structs, all);
  ReadMethodData(find, structs, all);
  ExpectTags(find);
  if (!find.missing().empty()) {
    return Status{Code::kBadInput,
                  "has an unknown layout: HotSpot's tables do not tell " + find.missing()};
  }
  return all;
}

}  // namespace iprof::hotspot
