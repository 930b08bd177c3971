#include "cli/jfr/constants.h"

#include <fmt/core.h>

#include <limits>

namespace iprof::jfr {
namespace {

using Wanted = Layouts::Wanted;

struct PoolFacts {
  std::string_view type;
  std::array<Wanted, 3> wanted;
};
// In the order of PoolId.
constexpr PoolFacts kPoolFacts[] = {
    {"jdk.types.StackTrace", {{{"truncated", 0}, {"frames", 1}}}},
    {"jdk.types.Method", {{{"type", 0}, {"name", 1}, {"descriptor", 2}}}},
    {"java.lang.Class", {{{"name", 0}}}},
    {"jdk.types.Symbol", {{{"string", 0}}}},
    {"java.lang.Thread", {{{"javaName", 0}, {"osName", 1}}}},
    {"jdk.types.FrameType", {{{"description", 0}}}},
    {"java.lang.String", {}},
};
constexpr Wanted kFrameFields[] = {
    {"method", 0}, {"lineNumber", 1}, {"bytecodeIndex", 2}, {"type", 3}};

Status Damaged(std::string_view what) {
  return {Code::kBadInput, fmt::format("constants are damaged: {}", what)};
}

}  // namespace

Constants::Constants(const Layouts& layouts, bool compressed)
    : layouts_(layouts), compressed_(compressed) {
  for (size_t i = 0; i < kPools; ++i) {
    pools_[i].layout = layouts.Named(kPoolFacts[i].type);
    if (pools_[i].layout != nullptr)
      pools_[i].slots = Layouts::SlotsOf(*pools_[i].layout, kPoolFacts[i].wanted);
  }
  frame_layout_ = layouts.Named("jdk.types.StackFrame");
  if (frame_layout_ != nullptr) frame_slots_ = Layouts::SlotsOf(*frame_layout_, kFrameFields);
}

uint64_t Constants::DistanceBack(FieldReader reader) {
  reader.Long();  // when it was written
  reader.Long();  // how long that took
  const int64_t delta = reader.Long();
  const bool goes_back = reader.ok() && delta < 0 && delta > std::numeric_limits<int64_t>::min();
  return goes_back ? static_cast<uint64_t>(-delta) : 0;
}

Status Constants::AddCheckpoint(FieldReader reader) {
  reader.Long();
  reader.Long();
  reader.Long();
  reader.Byte();  // why it was written
  const int32_t pools = reader.Int();
  if (pools < 0 || !reader.ok()) return Damaged("a checkpoint is cut short");
  for (int32_t i = 0; i < pools; ++i) {
    if (Status status = AddPool(reader); !status.ok()) return status;
  }
  return {};
}

Status Constants::AddPool(FieldReader& reader) {
  const int64_t type = reader.Long();
  const int32_t count = reader.Int();
  const Layout* const layout = layouts_.Find(type);
  if (!reader.ok()) return Damaged("a pool is cut short");
  if (layout == nullptr) return Damaged("a pool has a type that is not in the metadata");
  Pool* kept = nullptr;
  for (Pool& pool : pools_)
    if (pool.layout == layout) kept = &pool;
  for (int32_t i = 0; i < count; ++i) {
    const int64_t key = reader.Long();
    FieldReader value = reader;
    if (!reader.ok() || !layouts_.Skip(reader, *layout))
      return Damaged(fmt::format("a constant of {}", layout->name));
    if (kept == nullptr) continue;
    const auto bytes = value.Bytes(reader.at() - value.at());
    kept->places.insert_or_assign(key, Place{bytes_.size(), static_cast<uint32_t>(bytes.size())});
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  return {};
}

std::optional<FieldReader> Constants::Find(PoolId pool, int64_t key) const {
  const auto found = pools_[pool].places.find(key);
  if (found == pools_[pool].places.end()) return std::nullopt;
  return FieldReader(std::span(bytes_).subspan(found->second.at, found->second.size), compressed_);
}

bool Constants::Load(PoolId pool, int64_t key) {
  auto reader = Find(pool, key);
  return reader && layouts_.Read(*reader, *pools_[pool].layout, pools_[pool].slots, values_);
}

std::string Constants::TextOf(const FieldValue& value) {
  if (!value.is_given()) return {};
  if (!value.text.is_key) return std::string(value.text.text);
  auto reader = Find(kStrings, value.text.key);
  if (!reader) return {};
  std::string made;
  return std::string(reader->ReadText(&made).text);
}

std::string Constants::Symbol(int64_t key) {
  return Load(kSymbols, key) ? TextOf(values_[0]) : std::string();
}

std::string Constants::ClassName(int64_t key) {
  return Load(kClasses, key) ? Symbol(values_[0].number) : std::string();
}

std::string Constants::ThreadName(int64_t key) {
  if (!Load(kThreads, key)) return {};
  std::string name = TextOf(values_[0]);
  return name.empty() ? TextOf(values_[1]) : name;
}

std::optional<MethodFacts> Constants::FindMethod(int64_t key) {
  if (!Load(kMethods, key)) return std::nullopt;
  const int64_t type = values_[0].number;
  const int64_t name = values_[1].number;
  const int64_t descriptor = values_[2].number;
  return MethodFacts{ClassName(type), Symbol(name), Symbol(descriptor)};
}

bool Constants::IsNative(int64_t frame_type) {
  const auto [known, is_new] = native_types_.try_emplace(frame_type);
  if (is_new && Load(kFrameTypes, frame_type)) known->second = TextOf(values_[0]) == "Native";
  return known->second;
}

std::optional<Stack> Constants::FindStack(int64_t key, size_t most) {
  if (frame_layout_ == nullptr || !Load(kStacks, key)) return std::nullopt;
  Stack stack;
  stack.is_truncated = values_[0].number != 0;
  const std::span<const uint8_t> frames = values_[1].bytes;
  // What is given has been skipped once, so it is whole; a field of another kind has no bytes.
  if (!values_[1].is_given() || &layouts_.TypeOf(*values_[1].field) != frame_layout_ ||
      values_[1].field->is_key || !values_[1].field->is_array)
    return std::nullopt;
  std::array<FieldValue, 4> values;
  std::vector<int64_t> types;
  Layouts::ForEach(FieldReader(frames, compressed_), [&](FieldReader& reader) {
    if (stack.frames.size() == most) {
      stack.is_truncated = true;
      return false;
    }
    if (!layouts_.Read(reader, *frame_layout_, frame_slots_, values)) return false;
    StackFrame frame{.method = values[0].number};
    if (values[1].is_given()) frame.line = static_cast<int32_t>(values[1].number);
    if (values[2].is_given()) frame.bci = static_cast<int32_t>(values[2].number);
    types.push_back(values[3].is_given() ? values[3].number : -1);
    stack.frames.push_back(frame);
    return true;
  });
  for (size_t i = 0; i < types.size(); ++i) stack.frames[i].is_native = IsNative(types[i]);
  return stack;
}

}  // namespace iprof::jfr
