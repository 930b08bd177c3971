#include "cli/classpath/class_path.h"

#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "cli/classpath/byte_file.h"
#include "cli/classpath/jdk_image.h"
#include "cli/classpath/manifest.h"
#include "cli/classpath/zip_file.h"
#include "writer/base/open_file.h"
#include "writer/base/small_file.h"

namespace iprof::classpath {
// One place of a ClassPath: a folder, an archive, the image of a JDK. Names are internal ones, "java/lang/Object", and safe: no
// part of a path leaves its folder.
class ClassElement {
 public:
  virtual ~ClassElement() = default;
  virtual Result<std::optional<Bytes>> Find(std::string_view internal_name) const = 0;
  virtual void AddNames(std::set<std::string>& names) const = 0;
  const std::string& place() const { return place_; }

 protected:
  explicit ClassElement(std::string place) : place_(std::move(place)) {}

 private:
  std::string place_;
};

namespace {

class FolderElement : public ClassElement {
 public:
  explicit FolderElement(std::string path) : ClassElement(std::move(path)) {}
  Result<std::optional<Bytes>> Find(std::string_view internal_name) const override;
  void AddNames(std::set<std::string>& names) const override;
};

// The classes below a folder of an archive: "" or "BOOT-INF/classes/".
class ArchiveElement : public ClassElement {
 public:
  // `release`: for archives with several versions of a class.
  ArchiveElement(std::shared_ptr<const ZipFile> archive, std::string folder,
                 const Manifest& manifest, int release);
  Result<std::optional<Bytes>> Find(std::string_view internal_name) const override;
  void AddNames(std::set<std::string>& names) const override;

 private:
  std::shared_ptr<const ZipFile> archive_;
  std::string folder_;
  std::vector<int> versions_;  // those that this JVM uses, the newest first
};

class JdkElement : public ClassElement {
 public:
  explicit JdkElement(JdkImage image, std::string place)
      : ClassElement(std::move(place)), image_(std::move(image)) {}
  Result<std::optional<Bytes>> Find(std::string_view internal_name) const override;
  void AddNames(std::set<std::string>& /*names*/) const override {}

 private:
  JdkImage image_;
};

constexpr std::string_view kVersions = "META-INF/versions/";
constexpr std::string_view kClassSuffix = ".class";

// Adds "a/b/C" for "a/b/C.class". No package is META-INF, BOOT-INF or WEB-INF.
void AddNameOf(std::string_view path, std::set<std::string>& names) {
  if (!path.ends_with(kClassSuffix) || path.substr(0, path.find('/')).ends_with("-INF")) return;
  path.remove_suffix(kClassSuffix.size());
  const std::string_view simple = path.substr(path.rfind('/') + 1);
  if (!simple.empty() && simple != "module-info" && simple != "package-info") names.emplace(path);
}

// The versions that the archive's folder has and this JVM uses, the newest first.
std::vector<int> VersionsIn(const ZipFile& archive, const std::string& folder, int release) {
  constexpr int kFirstVersion = 9;
  const std::string start = fmt::format("{}{}", folder, kVersions);
  std::vector<int> versions;
  for (const ZipFile::Entry& entry : archive.entries()) {
    if (!entry.name.starts_with(start)) continue;
    const std::string_view rest = entry.name.substr(start.size());
    int version = 0;
    const auto parsed = std::from_chars(rest.data(), rest.data() + rest.size(), version);
    if (parsed.ec != std::errc() || parsed.ptr == rest.data() + rest.size() || *parsed.ptr != '/') {
      continue;
    }
    if (version < kFirstVersion || version > release) continue;
    if (std::find(versions.begin(), versions.end(), version) == versions.end()) {
      versions.push_back(version);
    }
  }
  std::sort(versions.rbegin(), versions.rend());
  return versions;
}

Result<std::optional<Bytes>> FolderElement::Find(std::string_view internal_name) const {
  const std::string path = fmt::format("{}/{}.class", place(), internal_name);
  struct stat facts {};
  if (stat(path.c_str(), &facts) != 0) return std::optional<Bytes>();
  const auto file = ByteFile::Open(path);
  if (!file.ok()) return file.status();
  if (file->size() > kMostClassBytes) {
    return Status(Code::kLimit, fmt::format("{} is too large for a class file", path));
  }
  auto bytes = file->Read(0, file->size());
  if (!bytes.ok()) return bytes.status();
  return std::optional<Bytes>(std::move(*bytes));
}

void FolderElement::AddNames(std::set<std::string>& names) const {
  namespace fs = std::filesystem;
  std::error_code error;
  const std::string root = place().ends_with('/') ? place() : place() + "/";
  for (fs::recursive_directory_iterator
           at(root, fs::directory_options::skip_permission_denied, error),
       end;
       !error && at != end; at.increment(error)) {
    std::error_code ignored;
    const std::string path = at->path().string();
    if (at->is_regular_file(ignored)) AddNameOf(std::string_view(path).substr(root.size()), names);
  }
}

ArchiveElement::ArchiveElement(std::shared_ptr<const ZipFile> archive, std::string folder,
                               const Manifest& manifest, int release)
    : ClassElement(archive->name()), archive_(std::move(archive)), folder_(std::move(folder)) {
  if (manifest.is_multi_release) versions_ = VersionsIn(*archive_, folder_, release);
}

Result<std::optional<Bytes>> ArchiveElement::Find(std::string_view internal_name) const {
  const auto entry_of = [&]() -> const ZipFile::Entry* {
    for (const int version : versions_) {
      const auto* const entry = archive_->Find(
          fmt::format("{}{}{}/{}.class", folder_, kVersions, version, internal_name));
      if (entry != nullptr) return entry;
    }
    return archive_->Find(fmt::format("{}{}.class", folder_, internal_name));
  };
  const ZipFile::Entry* const entry = entry_of();
  if (entry == nullptr) return std::optional<Bytes>();
  auto bytes = archive_->Read(*entry, kMostClassBytes);
  if (!bytes.ok()) return bytes.status();
  return std::optional<Bytes>(std::move(*bytes));
}

void ArchiveElement::AddNames(std::set<std::string>& names) const {
  for (const ZipFile::Entry& entry : archive_->entries()) {
    if (!entry.name.starts_with(folder_)) continue;
    const std::string_view path = entry.name.substr(folder_.size());
    AddNameOf(path, names);
    for (const int version : versions_) {
      const std::string start = fmt::format("{}{}/", kVersions, version);
      if (path.starts_with(start)) AddNameOf(path.substr(start.size()), names);
    }
  }
}

Result<std::optional<Bytes>> JdkElement::Find(std::string_view internal_name) const {
  return image_.FindClass(internal_name, kMostClassBytes);
}

constexpr uint64_t kMostManifestBytes = uint64_t{8} << 20;

// Archives that have classes in a folder and libraries in others.
struct Layout {
  std::string_view classes;
  std::vector<std::string_view> libraries;
};
const Layout kLayouts[] = {
    {"BOOT-INF/classes/", {"BOOT-INF/lib/"}},
    {"WEB-INF/classes/", {"WEB-INF/lib/", "WEB-INF/lib-provided/"}},
};

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return {};
  return slash == 0 ? "/" : path.substr(0, slash);
}

bool IsJarName(std::string_view name) { return name.ends_with(".jar") || name.ends_with(".JAR"); }

// Whether the name can be that of a class file in a folder, and stays in it.
bool IsSafeName(std::string_view name) {
  if (name.empty() || name.find('\0') != std::string_view::npos) return false;
  if (name.find_first_of("[;.") != std::string_view::npos) return false;
  return name.front() != '/' && name.back() != '/' && name.find("//") == std::string_view::npos;
}

Result<Manifest> ReadManifest(const ZipFile& archive) {
  const ZipFile::Entry* const entry = archive.Find(kManifestEntry);
  if (entry == nullptr) return Manifest();
  const auto bytes = archive.Read(*entry, kMostManifestBytes);
  if (!bytes.ok()) return bytes.status();
  return ParseManifest({reinterpret_cast<const char*>(bytes->data()), bytes->size()});
}

bool IsLibrary(std::string_view entry, std::string_view folder) {
  return entry.starts_with(folder) && IsJarName(entry) &&
         entry.find('/', folder.size()) == std::string_view::npos;
}

using Elements = std::vector<std::unique_ptr<ClassElement>>;

// Adds the archive's classes, and those of the libraries inside. Returns its manifest.
Result<Manifest> AddClasses(ByteFile file, int release, bool is_nested, Elements* elements) {
  auto opened = ZipFile::Open(std::move(file));
  if (!opened.ok()) return opened.status();
  const auto archive = std::make_shared<const ZipFile>(std::move(*opened));
  auto manifest = ReadManifest(*archive);
  if (!manifest.ok()) return manifest;
  const auto add = [&](std::string_view folder) {
    elements->push_back(
        std::make_unique<ArchiveElement>(archive, std::string(folder), *manifest, release));
  };
  add("");
  if (is_nested) return manifest;
  for (const Layout& layout : kLayouts) {
    const auto& entries = archive->entries();
    const auto is_inside = [&](const ZipFile::Entry& entry) {
      return entry.name.starts_with(layout.classes);
    };
    if (std::any_of(entries.begin(), entries.end(), is_inside)) add(layout.classes);
    for (const std::string_view libraries : layout.libraries) {
      for (const ZipFile::Entry& entry : entries) {
        if (!IsLibrary(entry.name, libraries)) continue;
        auto library = archive->OpenEntry(entry, kMostNestedBytes);
        if (!library.ok()) return library.status();
        const auto added = AddClasses(std::move(*library), release, true, elements);
        if (!added.ok()) return added.status();
      }
    }
  }
  return manifest;
}

Result<Manifest> AddClasses(const std::string& path, int release, Elements* elements) {
  auto file = ByteFile::Open(path);
  if (!file.ok()) return file.status();
  return AddClasses(std::move(*file), release, false, elements);
}

}  // namespace

ClassPath::ClassPath(int release) : release_(release) {}
ClassPath::~ClassPath() = default;
ClassPath::ClassPath(ClassPath&&) noexcept = default;
ClassPath& ClassPath::operator=(ClassPath&&) noexcept = default;

Status ClassPath::Add(std::string_view elements) {
  while (true) {
    const size_t end = std::min(elements.find(':'), elements.size());
    const std::string element(elements.substr(0, end));
    const Status status = AddElement(element.empty() ? "." : element);
    if (!status.ok() || end == elements.size()) return status;
    elements.remove_prefix(end + 1);
  }
}

Status ClassPath::AddElement(const std::string& path) {
  if (path == "*" || path.ends_with("/*")) return AddWildcard(path.substr(0, path.size() - 1));
  struct stat facts {};
  if (stat(path.c_str(), &facts) != 0) {
    return {Code::kIo, fmt::format("cannot open {}: {}", path, std::strerror(errno))};
  }
  if (!S_ISDIR(facts.st_mode)) return AddArchive(path);
  if (added_.insert(path).second) elements_.push_back(std::make_unique<FolderElement>(path));
  return {};
}

Status ClassPath::AddWildcard(const std::string& folder) {
  const std::string opened = folder.empty() ? "." : folder;
  const Result<OwnedFd> list = OpenFile(opened, O_RDONLY, FileKind::kFolder);
  if (!list.ok()) {
    return {Code::kIo, fmt::format("cannot open {}: {}", opened, list.status().message())};
  }
  std::vector<std::string> jars;
  for (const std::string& file : NamesIn(list->get())) {
    if (IsJarName(file)) jars.push_back(folder + file);
  }
  std::sort(jars.begin(), jars.end());
  for (const std::string& jar : jars) {
    const Status status = AddArchive(jar);
    if (!status.ok()) return status;
  }
  return {};
}

Status ClassPath::AddArchive(const std::string& path) {
  // Manifests name further archives. The list is worked off in the order in which a JVM searches.
  std::vector<std::string> waiting{path};
  while (!waiting.empty()) {
    const std::string next = std::move(waiting.back());
    waiting.pop_back();
    if (!added_.insert(next).second) continue;
    const bool is_asked_for = next == path;
    struct stat facts {};
    if (!is_asked_for && stat(next.c_str(), &facts) != 0) continue;
    if (!is_asked_for && S_ISDIR(facts.st_mode)) {
      elements_.push_back(std::make_unique<FolderElement>(next));
      continue;
    }
    Elements added;
    const auto manifest = AddClasses(next, release_, &added);
    if (!manifest.ok() && is_asked_for) return manifest.status();
    if (!manifest.ok()) continue;
    std::move(added.begin(), added.end(), std::back_inserter(elements_));
    const auto& named = manifest->class_path;
    for (auto url = named.rbegin(); url != named.rend(); ++url) {
      std::string named_path = PathOfManifestEntry(FolderOf(next), *url);
      if (!named_path.empty()) waiting.push_back(std::move(named_path));
    }
  }
  return {};
}

Status ClassPath::AddJdk(const std::string& home) {
  const std::string path = home + "/lib/modules";
  auto file = ByteFile::Open(path);
  if (!file.ok()) {
    return {file.status().code(), fmt::format("{} (a JDK's folder has this file from JDK 9 on)",
                                              file.status().message())};
  }
  auto image = JdkImage::Open(std::move(*file));
  if (!image.ok()) return image.status();
  jdk_ = std::make_unique<JdkElement>(std::move(*image), path);
  return {};
}

Result<std::optional<FoundClass>> ClassPath::Find(std::string_view name) const {
  std::string internal_name(name);
  std::replace(internal_name.begin(), internal_name.end(), '.', '/');
  if (!IsSafeName(internal_name)) return std::optional<FoundClass>();
  const auto find_in = [&](const ClassElement& element,
                           bool is_jdk) -> Result<std::optional<FoundClass>> {
    auto bytes = element.Find(internal_name);
    if (!bytes.ok()) return bytes.status();
    if (!*bytes) return std::optional<FoundClass>();
    return std::optional<FoundClass>(
        FoundClass{.bytes = std::move(**bytes), .place = element.place(), .is_jdk = is_jdk});
  };
  if (jdk_ != nullptr) {
    auto found = find_in(*jdk_, true);
    if (!found.ok() || *found) return found;
  }
  for (const auto& element : elements_) {
    auto found = find_in(*element, false);
    if (!found.ok() || *found) return found;
  }
  return std::optional<FoundClass>();
}

std::set<std::string> ClassPath::Names() const {
  std::set<std::string> names;
  for (const auto& element : elements_) element->AddNames(names);
  std::erase_if(names, [](const std::string& name) { return !IsSafeName(name); });
  return names;
}

Result<ClassPath> OpenClassPath(std::string_view elements, const std::string& jdk_home,
                                int release) {
  if (!jdk_home.empty()) {
    const auto version = JdkVersion(jdk_home);
    if (!version.ok()) return version.status();
    release = FeatureRelease(*version);
  }
  ClassPath classes(release);
  if (!jdk_home.empty()) {
    const Status status = classes.AddJdk(jdk_home);
    if (!status.ok()) return status;
  }
  if (!elements.empty()) {
    const Status status = classes.Add(elements);
    if (!status.ok()) return status;
  }
  return classes;
}

Result<std::string> JdkVersion(const std::string& home) {
  const std::string path = home + "/release";
  const auto read = ReadSmallFile(path);
  if (!read) return Status(Code::kIo, fmt::format("cannot read {}: is {} a JDK?", path, home));
  constexpr std::string_view kKey = "JAVA_VERSION=\"";
  std::string_view text = *read;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (!line.starts_with(kKey)) continue;
    line.remove_prefix(kKey.size());
    std::string version(line.substr(0, line.find('"')));
    if (FeatureRelease(version) != 0) return version;
  }
  return Status(Code::kBadInput, fmt::format("{} does not name the version of a JDK", path));
}

}  // namespace iprof::classpath
