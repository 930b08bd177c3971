#include "cli/classpath/image_builder.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <string_view>

#include "cli/classpath/archive_builder.h"

namespace iprof::classpath {
namespace {

template <typename T>
void Put(Bytes* out, T value) {
  const size_t at = out->size();
  out->resize(at + sizeof value);
  std::memcpy(out->data() + at, &value, sizeof value);
}

void Append(Bytes* out, const Bytes& bytes) { out->insert(out->end(), bytes.begin(), bytes.end()); }

// The format's hash, by its description.
uint32_t HashOf(const std::string& text, uint32_t seed) {
  uint64_t hash = seed;
  for (const char c : text) hash = ((hash * 16777619u) & 0xFFFFFFFF) ^ static_cast<uint8_t>(c);
  return static_cast<uint32_t>(hash & 0x7FFFFFFF);
}

class Strings {
 public:
  Strings() : bytes_(1) {}  // the empty text is at 0
  uint32_t Add(std::string_view text) {
    if (text.empty()) return 0;
    const auto [found, is_new] = places_.emplace(text, static_cast<uint32_t>(bytes_.size()));
    if (is_new) {
      bytes_.insert(bytes_.end(), text.begin(), text.end());
      bytes_.push_back(0);
    }
    return found->second;
  }
  const Bytes& bytes() const { return bytes_; }

 private:
  Bytes bytes_;
  std::map<std::string, uint32_t, std::less<>> places_;
};

struct Resource {
  std::string path;
  Bytes location;
};

void PutAttribute(Bytes* out, uint8_t kind, uint64_t value) {
  int length = 1;
  while (length < 8 && value >> (8 * length) != 0) ++length;
  out->push_back(static_cast<uint8_t>(kind << 3 | (length - 1)));
  for (int i = length - 1; i >= 0; --i) out->push_back(static_cast<uint8_t>(value >> (8 * i)));
}

// jlink's short form of numbers: one to three bytes, or four bytes without a flag.
void PutNumber(Bytes* out, uint32_t number) {
  if (number < 0x20) {
    out->push_back(static_cast<uint8_t>(0x80 | 1 << 5 | number));
  } else if (number < 0x2000) {
    out->push_back(static_cast<uint8_t>(0x80 | 2 << 5 | number >> 8));
    out->push_back(static_cast<uint8_t>(number));
  } else if (number < 0x200000) {
    out->push_back(static_cast<uint8_t>(0x80 | 3 << 5 | number >> 16));
    out->push_back(static_cast<uint8_t>(number >> 8));
    out->push_back(static_cast<uint8_t>(number));
  } else {
    for (int shift = 24; shift >= 0; shift -= 8) {
      out->push_back(static_cast<uint8_t>(number >> shift));
    }
  }
}

// A text of the constant pool in jlink's form: class names of descriptors are strings of their own.
void PutSharedText(Bytes* out, std::string_view text, Strings* strings) {
  if (!text.starts_with('(')) {
    out->push_back(23);
    return PutNumber(out, strings->Add(text));
  }
  std::string form;
  Bytes names;
  for (size_t at = 0; at < text.size(); ++at) {
    form += text[at];
    if (text[at] != 'L') continue;
    const size_t end = text.find(';', at);
    const std::string_view name = text.substr(at + 1, end - at - 1);
    const size_t slash = name.rfind('/');
    const bool has_package = slash != std::string_view::npos;
    PutNumber(&names, strings->Add(has_package ? name.substr(0, slash) : ""));
    PutNumber(&names, strings->Add(has_package ? name.substr(slash + 1) : name));
    at = end - 1;
  }
  out->push_back(25);
  PutNumber(out, strings->Add(form));
  PutNumber(out, static_cast<uint32_t>(names.size()));
  Append(out, names);
}

Bytes WithSharedTexts(const Bytes& file, Strings* strings) {
  Bytes out(file.begin(), file.begin() + 10);
  size_t at = 10;
  const int count = file[8] << 8 | file[9];
  for (int i = 1; i < count; ++i) {
    const size_t size = static_cast<size_t>(file[at + 1] << 8 | file[at + 2]);
    PutSharedText(&out, {reinterpret_cast<const char*>(file.data()) + at + 3, size}, strings);
    at += 3 + size;
  }
  out.insert(out.end(), file.begin() + static_cast<ptrdiff_t>(at), file.end());
  return out;
}

Bytes Pack(const TestResource& resource, Strings* strings) {
  const char* name = "zip";
  Bytes content = Deflated(ToText(resource.bytes), true);
  if (resource.packing == Packing::kSharedConstants) {
    name = "compact-cp";
    content = WithSharedTexts(resource.bytes, strings);
  } else if (resource.packing == Packing::kUnknown) {
    name = "brotli";
  }
  Bytes out;
  Put<uint32_t>(&out, 0xCAFEFAFA);
  Put<uint64_t>(&out, content.size());
  Put<uint64_t>(&out, resource.bytes.size());
  Put<uint32_t>(&out, strings->Add(name));
  Put<uint32_t>(&out, 0);
  out.push_back(1);
  Append(&out, content);
  return out;
}

// Assigns a place to each path, so that the format's two hashes find it.
struct Table {
  std::vector<int32_t> redirect;
  std::vector<size_t> resource_at;
};
Table MakeTable(const std::vector<Resource>& resources) {
  const size_t count = resources.size();
  std::vector<std::vector<size_t>> buckets(count);
  for (size_t r = 0; r < count; ++r) {
    buckets[HashOf(resources[r].path, 16777619) % count].push_back(r);
  }
  std::vector<size_t> order(count);
  for (size_t b = 0; b < count; ++b) order[b] = b;
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return buckets[a].size() > buckets[b].size(); });
  Table table{std::vector<int32_t>(count), std::vector<size_t>(count)};
  std::vector<bool> taken(count);
  for (const size_t b : order) {
    if (buckets[b].empty()) continue;
    if (buckets[b].size() == 1) {
      const auto free =
          static_cast<size_t>(std::find(taken.begin(), taken.end(), false) - taken.begin());
      table.redirect[b] = -1 - static_cast<int32_t>(free);
      table.resource_at[free] = buckets[b].front();
      taken[free] = true;
      continue;
    }
    std::set<size_t> places;
    for (int32_t seed = 1; places.size() != buckets[b].size(); ++seed) {
      places.clear();
      for (const size_t r : buckets[b]) {
        const size_t place = HashOf(resources[r].path, static_cast<uint32_t>(seed)) % count;
        if (!taken[place]) places.insert(place);
      }
      table.redirect[b] = seed;
    }
    for (const size_t r : buckets[b]) {
      const size_t place =
          HashOf(resources[r].path, static_cast<uint32_t>(table.redirect[b])) % count;
      table.resource_at[place] = r;
      taken[place] = true;
    }
  }
  return table;
}

}  // namespace

Bytes ClassOfTexts(const std::vector<std::string>& texts) {
  Bytes file{0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, 61};
  file.push_back(static_cast<uint8_t>((texts.size() + 1) >> 8));
  file.push_back(static_cast<uint8_t>(texts.size() + 1));
  for (const std::string& text : texts) {
    file.push_back(1);
    file.push_back(static_cast<uint8_t>(text.size() >> 8));
    file.push_back(static_cast<uint8_t>(text.size()));
    file.insert(file.end(), text.begin(), text.end());
  }
  for (int i = 0; i < 14; ++i) file.push_back(static_cast<uint8_t>(i));
  return file;
}

Bytes MakeImage(const std::vector<TestResource>& resources) {
  Strings strings;
  Bytes contents;
  std::vector<Resource> located;
  std::map<std::string, std::set<std::string>> packages;
  const auto add = [&](std::string path, std::string_view module, std::string_view parent,
                       std::string_view base, std::string_view extension, uint64_t packed_size,
                       uint64_t size) {
    Bytes location;
    PutAttribute(&location, 1, strings.Add(module));
    if (!parent.empty()) PutAttribute(&location, 2, strings.Add(parent));
    PutAttribute(&location, 3, strings.Add(base));
    if (!extension.empty()) PutAttribute(&location, 4, strings.Add(extension));
    if (!contents.empty()) PutAttribute(&location, 5, contents.size());
    if (packed_size != 0) PutAttribute(&location, 6, packed_size);
    PutAttribute(&location, 7, size);
    location.push_back(0);
    located.push_back({std::move(path), std::move(location)});
  };
  for (const TestResource& resource : resources) {
    const bool is_packed = resource.packing != Packing::kNone;
    const Bytes content = is_packed ? Pack(resource, &strings) : resource.bytes;
    const std::string_view path = resource.path;
    const size_t slash = path.rfind('/');
    const size_t dot = path.rfind('.');
    const bool has_parent = slash != std::string_view::npos;
    const size_t base = has_parent ? slash + 1 : 0;
    add("/" + resource.module + "/" + resource.path, resource.module,
        has_parent ? path.substr(0, slash) : "", path.substr(base, dot - base),
        path.substr(dot + 1), is_packed ? content.size() : 0, resource.bytes.size());
    Append(&contents, content);
    if (!has_parent) continue;
    std::string package(path.substr(0, slash));
    std::replace(package.begin(), package.end(), '/', '.');
    packages[package].insert(resource.module);
  }
  for (const auto& [package, modules] : packages) {
    Bytes list;
    for (const std::string& module : modules) {
      Put<uint32_t>(&list, 0);
      Put<uint32_t>(&list, strings.Add(module));
    }
    add("/packages/" + package, "packages", "", package, "", 0, list.size());
    Append(&contents, list);
  }
  const Table table = MakeTable(located);
  Bytes offsets;
  Bytes locations{0};
  for (const size_t r : table.resource_at) {
    Put<uint32_t>(&offsets, static_cast<uint32_t>(locations.size()));
    Append(&locations, located[r].location);
  }
  Bytes image;
  Put<uint32_t>(&image, 0xCAFEDADA);
  Put<uint32_t>(&image, 1 << 16);
  Put<uint32_t>(&image, 0);
  Put<uint32_t>(&image, static_cast<uint32_t>(located.size()));
  Put<uint32_t>(&image, static_cast<uint32_t>(located.size()));
  Put<uint32_t>(&image, static_cast<uint32_t>(locations.size()));
  Put<uint32_t>(&image, static_cast<uint32_t>(strings.bytes().size()));
  for (const int32_t redirect : table.redirect) Put(&image, redirect);
  Append(&image, offsets);
  Append(&image, locations);
  Append(&image, strings.bytes());
  Append(&image, contents);
  return image;
}

}  // namespace iprof::classpath
