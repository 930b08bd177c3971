#include "cli/classpath/manifest.h"

#include <algorithm>
#include <optional>

namespace iprof::classpath {
namespace {

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool SameIgnoringCase(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return Lower(x) == Lower(y); });
}

// Takes one line without its end, which is CR LF, LF or CR.
std::string_view TakeLine(std::string_view* text) {
  const size_t end = text->find_first_of("\r\n");
  const std::string_view line = text->substr(0, end);
  if (end == std::string_view::npos) {
    *text = {};
    return line;
  }
  text->remove_prefix(text->substr(end).starts_with("\r\n") ? end + 2 : end + 1);
  return line;
}

std::vector<std::string> Words(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    if (end != 0) words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

void Use(std::string_view attribute, Manifest* manifest) {
  const size_t colon = attribute.find(':');
  if (colon == std::string_view::npos) return;
  const std::string_view name = attribute.substr(0, colon);
  std::string_view value = attribute.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (SameIgnoringCase(name, "Multi-Release")) {
    manifest->is_multi_release = SameIgnoringCase(value, "true");
  } else if (SameIgnoringCase(name, "Class-Path")) {
    manifest->class_path = Words(value);
  }
}

std::optional<int> DigitOf(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (Lower(c) >= 'a' && Lower(c) <= 'f') return Lower(c) - 'a' + 10;
  return std::nullopt;
}

std::string Decoded(std::string_view url) {
  std::string text;
  for (size_t i = 0; i < url.size(); ++i) {
    if (url[i] == '%' && i + 2 < url.size()) {
      const auto high = DigitOf(url[i + 1]);
      const auto low = DigitOf(url[i + 2]);
      if (high && low) {
        text += static_cast<char>(*high * 16 + *low);
        i += 2;
        continue;
      }
    }
    text += url[i];
  }
  return text;
}

}  // namespace

Manifest ParseManifest(std::string_view text) {
  Manifest manifest;
  std::string attribute;
  while (!text.empty()) {
    const std::string_view line = TakeLine(&text);
    if (line.starts_with(' ')) {
      attribute += line.substr(1);
      continue;
    }
    Use(attribute, &manifest);
    attribute = line;
    if (line.empty()) break;  // what follows is about single entries
  }
  Use(attribute, &manifest);
  return manifest;
}

std::string PathOfManifestEntry(std::string_view folder, std::string_view url) {
  constexpr std::string_view kFile = "file:";
  if (url.starts_with(kFile)) {
    url.remove_prefix(kFile.size());
    if (url.starts_with("//")) url.remove_prefix(std::min(url.find('/', 2), url.size()));
  } else if (url.find("://") != std::string_view::npos) {
    return {};
  }
  std::string path = Decoded(url);
  if (path.empty() || path.find('\0') != std::string::npos) return {};
  if (path.front() == '/' || folder.empty()) return path;
  return std::string(folder) + "/" + path;
}

}  // namespace iprof::classpath
