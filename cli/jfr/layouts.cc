#include "cli/jfr/layouts.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>

namespace iprof::jfr {
namespace {

constexpr int kMostNested = 32;  // elements of metadata; HotSpot's have 7

Status Bad(std::string_view what) {
  return {Code::kBadInput, fmt::format("its metadata is damaged: {}", what)};
}

bool ReadNumber(std::string_view text, int64_t* number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
  return error == std::errc() && end == text.data() + text.size();
}

Layout::Kind KindOf(std::string_view name) {
  constexpr std::pair<std::string_view, Layout::Kind> kKinds[] = {
      {"boolean", Layout::Kind::kByte},
      {"byte", Layout::Kind::kByte},
      {"char", Layout::Kind::kShort},
      {"short", Layout::Kind::kShort},
      {"int", Layout::Kind::kInt},
      {"long", Layout::Kind::kLong},
      {"float", Layout::Kind::kFloat},
      {"double", Layout::Kind::kDouble},
      {"java.lang.String", Layout::Kind::kText}};
  const auto* const found =
      std::ranges::find(kKinds, name, &std::pair<std::string_view, Layout::Kind>::first);
  return found == std::end(kKinds) ? Layout::Kind::kStructure : found->second;
}

TimeUnit UnitOf(std::string_view text) {
  if (text == "NANOSECONDS") return TimeUnit::kNanoseconds;
  if (text == "MICROSECONDS") return TimeUnit::kMicroseconds;
  if (text == "MILLISECONDS" || text == "MILLISECONDS_SINCE_EPOCH") return TimeUnit::kMilliseconds;
  if (text == "SECONDS") return TimeUnit::kSeconds;
  return TimeUnit::kTicks;
}

}  // namespace

struct Layouts::Element {
  uint32_t name = 0;
  std::vector<std::pair<uint32_t, uint32_t>> attributes;
  std::vector<Element> children;
};

// Strings, and elements with attributes that name them, as XML has.
class Layouts::Document {
 public:
  bool Read(FieldReader& reader) {
    const int32_t count = reader.Int();
    if (count < 0 || static_cast<size_t>(count) > reader.left()) return false;
    std::string made;
    for (int32_t i = 0; i < count; ++i) texts_.emplace_back(reader.ReadText(&made).text);
    return ReadElement(reader, root_, 0) && reader.ok();
  }
  const Element& root() const { return root_; }
  const std::string& TextOf(uint32_t number) const { return texts_[number]; }
  bool Is(const Element& element, std::string_view name) const {
    return texts_[element.name] == name;
  }
  // Empty if there is no such attribute.
  std::string_view Attribute(const Element& element, std::string_view name) const {
    for (const auto& [key, value] : element.attributes)
      if (texts_[key] == name) return texts_[value];
    return {};
  }

 private:
  bool ReadTextNumber(FieldReader& reader, uint32_t* number) const {
    *number = static_cast<uint32_t>(reader.Int());
    return reader.ok() && *number < texts_.size();
  }
  // Each of what follows takes a byte at least.
  static bool ReadCount(FieldReader& reader, size_t* count) {
    const int32_t read = reader.Int();
    *count = static_cast<size_t>(std::max(read, 0));
    return reader.ok() && read >= 0 && *count <= reader.left();
  }
  bool ReadElement(FieldReader& reader, Element& into, int depth) const {
    size_t count = 0;
    if (depth > kMostNested || !ReadTextNumber(reader, &into.name) || !ReadCount(reader, &count))
      return false;
    for (; count > 0; --count) {
      std::pair<uint32_t, uint32_t> attribute;
      if (!ReadTextNumber(reader, &attribute.first) || !ReadTextNumber(reader, &attribute.second))
        return false;
      into.attributes.push_back(attribute);
    }
    if (!ReadCount(reader, &count)) return false;
    for (; count > 0; --count) {
      if (!ReadElement(reader, into.children.emplace_back(), depth + 1)) return false;
    }
    return true;
  }

  std::vector<std::string> texts_;
  Element root_;
};

Result<Layouts> Layouts::Parse(FieldReader reader) {
  if (reader.left() > kMostBytes) {
    return Status(Code::kLimit, fmt::format("its metadata has {} bytes, and {} are read at most",
                                            reader.left(), kMostBytes));
  }
  reader.Long();  // when it was written
  reader.Long();  // how long that took
  reader.Long();  // its number
  Document document;
  if (!document.Read(reader)) return Bad("its elements are cut short");
  Layouts layouts;
  for (const Element& metadata : document.root().children) {
    if (!document.Is(metadata, "metadata")) continue;
    for (const Element& type : metadata.children) {
      if (!document.Is(type, "class")) continue;
      if (Status status = layouts.Add(document, type); !status.ok()) return status;
    }
  }
  if (Status status = layouts.Resolve(); !status.ok()) return status;
  return layouts;
}

Status Layouts::Add(const Document& document, const Element& type) {
  Layout layout;
  layout.name = document.Attribute(type, "name");
  layout.kind = KindOf(layout.name);
  if (!ReadNumber(document.Attribute(type, "id"), &layout.id)) return Bad("a type has no number");
  std::vector<int64_t> field_types;
  for (const Element& child : type.children) {
    if (!document.Is(child, "field")) continue;
    Layout::Field field;
    field.name = document.Attribute(child, "name");
    field.is_key = document.Attribute(child, "constantPool") == "true";
    int64_t dimension = 0;
    field.is_array =
        ReadNumber(document.Attribute(child, "dimension"), &dimension) && dimension > 0;
    for (const Element& note : child.children) {
      // "NANOSECONDS", of an annotation with one value
      if (document.Is(note, "annotation")) {
        const std::string_view value = document.Attribute(note, "value");
        if (UnitOf(value) != TimeUnit::kTicks) field.unit = UnitOf(value);
      }
    }
    if (!ReadNumber(document.Attribute(child, "class"), &field_types.emplace_back()))
      return Bad(fmt::format("a field of {} has no type", layout.name));
    layout.fields.push_back(std::move(field));
  }
  const auto number = static_cast<uint32_t>(layouts_.size());
  if (!by_id_.emplace(layout.id, number).second) return Bad("two types have one number");
  layouts_.push_back(std::move(layout));
  field_types_.push_back(std::move(field_types));
  return {};
}

Status Layouts::Resolve() {
  for (size_t i = 0; i < layouts_.size(); ++i) {
    for (size_t j = 0; j < layouts_[i].fields.size(); ++j) {
      const auto found = by_id_.find(field_types_[i][j]);
      if (found == by_id_.end())
        return Bad(fmt::format("a field of {} has a type that is not there", layouts_[i].name));
      layouts_[i].fields[j].layout = found->second;
    }
  }
  field_types_.clear();
  return {};
}

const Layout* Layouts::Find(int64_t id) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : &layouts_[found->second];
}

const Layout* Layouts::Named(std::string_view name) const {
  const auto found = std::ranges::find(layouts_, name, &Layout::name);
  return found == layouts_.end() ? nullptr : &*found;
}

Layouts::Slots Layouts::SlotsOf(const Layout& layout, std::span<const Wanted> wanted) {
  Slots slots(layout.fields.size(), kNoSlot);
  for (size_t i = 0; i < slots.size(); ++i) {
    const auto found = std::ranges::find(wanted, layout.fields[i].name, &Wanted::first);
    if (found != wanted.end()) slots[i] = found->second;
  }
  return slots;
}

bool Layouts::Read(FieldReader& reader, const Layout& layout, const Slots& slots,
                   std::span<FieldValue> values) const {
  for (FieldValue& value : values) value.field = nullptr;
  for (size_t i = 0; i < layout.fields.size(); ++i) {
    const Layout::Field& field = layout.fields[i];
    if (slots[i] == kNoSlot) {
      if (!SkipField(reader, field, 0)) return false;
      continue;
    }
    FieldValue& value = values[slots[i]];
    value.field = &field;
    value.number = 0;
    value.text = {};
    value.bytes = {};
    const Layout::Kind kind = TypeOf(field).kind;
    if (field.is_array || (!field.is_key && kind == Layout::Kind::kStructure)) {
      FieldReader before = reader;
      if (!SkipField(reader, field, 0)) return false;
      value.bytes = before.Bytes(reader.at() - before.at());
    } else if (field.is_key || kind == Layout::Kind::kLong) {
      value.number = reader.Long();
    } else if (kind == Layout::Kind::kByte) {
      value.number = reader.Byte();
    } else if (kind == Layout::Kind::kShort) {
      value.number = reader.Short();
    } else if (kind == Layout::Kind::kInt) {
      value.number = reader.Int();
    } else if (kind == Layout::Kind::kText) {
      value.text = reader.ReadText(&value.made);
    } else {
      SkipOne(reader, TypeOf(field), 0);
    }
  }
  return reader.ok();
}

bool Layouts::SkipField(FieldReader& reader, const Layout::Field& field, int depth) const {
  const auto skip_one = [&](FieldReader& from) {
    if (!field.is_key) return SkipOne(from, TypeOf(field), depth + 1);
    from.Long();
    return from.ok();
  };
  if (!field.is_array) return skip_one(reader);
  const int32_t count = reader.Int();
  if (count < 0 || static_cast<size_t>(count) > reader.left()) reader.Fail();
  for (int32_t i = 0; i < count && reader.ok(); ++i) {
    if (!skip_one(reader)) return false;
  }
  return reader.ok();
}

bool Layouts::SkipOne(FieldReader& reader, const Layout& layout, int depth) const {
  std::string made;
  switch (layout.kind) {
    case Layout::Kind::kByte:
      reader.Byte();
      break;
    case Layout::Kind::kShort:
      reader.Short();
      break;
    case Layout::Kind::kInt:
      reader.Int();
      break;
    case Layout::Kind::kLong:
      reader.Long();
      break;
    case Layout::Kind::kFloat:
      reader.Fixed(4);
      break;
    case Layout::Kind::kDouble:
      reader.Fixed(8);
      break;
    case Layout::Kind::kText:
      reader.ReadText(&made);
      break;
    case Layout::Kind::kStructure:
      // Without a field, it would take no byte.
      if (depth > kMostDepth || layout.fields.empty()) reader.Fail();
      for (const Layout::Field& field : layout.fields) {
        if (!reader.ok() || !SkipField(reader, field, depth)) break;
      }
      break;
  }
  return reader.ok();
}

}  // namespace iprof::jfr
