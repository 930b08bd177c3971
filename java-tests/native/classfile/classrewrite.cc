// classrewrite: rewrites the classes of jars, jmods, directories or files with a test plan.
//
//   classrewrite --mode=roundtrip|dense|nops|realistic|random [options] INPUT... OUTPUT
//
// INPUT is a .class, .jar, .jmod, a directory, or - for a list of such paths on standard input.
// OUTPUT is a .jar or a directory. The mode `random` inserts no-ops, sometimes thousands, so that
// branches grow and islands are needed. The mode `nops` is `dense` with one-byte probes. The results
// of both are compared with the original in lockstep. --list names the methods that are left
// unchanged. Totals go to standard output. Exits with 1 if the rewriter failed its own checks or a
// round trip changed a class, with 2 on wrong usage or unreadable input.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "cli/classpath/archive_builder.h"
#include "cli/classpath/zip_file.h"
#include "java-tests/native/classfile/checker.h"
#include "java-tests/native/classfile/lockstep.h"
#include "java-tests/native/classfile/random_plan.h"

namespace iprof::classfile {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

struct Entry {
  std::string name;
  std::vector<uint8_t> bytes;
};

struct Settings {
  PlanKind kind = PlanKind::kRealistic;
  ProbeHolder holder;
  RewriteOptions rewrite;
  bool json = false;
  bool list = false;
  bool random = false;
  uint64_t seed = 0;
  std::vector<std::string> paths;
};

struct Totals {
  uint64_t classes = 0;
  uint64_t classes_changed = 0;
  uint64_t methods = 0;
  uint64_t probes = 0;
  uint64_t bytes_in = 0;
  uint64_t bytes_out = 0;
  uint64_t failures = 0;
  uint64_t reasons[kReasonCount] = {};
  uint64_t class_reasons[kReasonCount] = {};
  double seconds = 0;
};

bool Refuse(const Status& status) {
  std::fprintf(stderr, "classrewrite: %s\n", status.message().c_str());
  return false;
}

// Appends all entries that are files.
bool ReadArchive(const std::string& path, std::vector<Entry>* out) {
  auto file = classpath::ByteFile::Open(path);
  if (!file.ok()) return Refuse(file.status());
  const auto zip = classpath::ZipFile::Open(std::move(*file));
  if (!zip.ok()) return Refuse(zip.status());
  for (const classpath::ZipFile::Entry& entry : zip->entries()) {
    if (entry.name.empty() || entry.name.back() == '/') continue;
    auto bytes = zip->Read(entry, UINT32_MAX);
    if (!bytes.ok()) return Refuse(bytes.status());
    out->push_back({std::string(entry.name), std::move(*bytes)});
  }
  return true;
}

bool ReadFile(const fs::path& path, std::vector<uint8_t>* out) {
  std::ifstream in(path, std::ios::binary);
  out->assign(std::istreambuf_iterator<char>(in), {});
  return in.good() || in.eof();
}

bool EndsWith(const std::string& s, const char* end) {
  const size_t n = std::strlen(end);
  return s.size() >= n && s.compare(s.size() - n, n, end) == 0;
}

bool ReadInput(const std::string& path, std::vector<Entry>* out) {
  std::error_code ec;
  if (path == "-") {
    std::string line;
    while (std::getline(std::cin, line)) {
      if (!line.empty() && !ReadInput(line, out)) return false;
    }
    return true;
  }
  if (fs::is_directory(path, ec)) {
    std::vector<fs::path> files;
    for (const fs::directory_entry& e : fs::recursive_directory_iterator(path, ec)) {
      if (e.is_regular_file()) files.push_back(e.path());
    }
    std::sort(files.begin(), files.end());
    for (const fs::path& f : files) {
      Entry entry{fs::relative(f, path, ec).generic_string(), {}};
      if (!ReadFile(f, &entry.bytes)) return false;
      out->push_back(std::move(entry));
    }
    return true;
  }
  if (!EndsWith(path, ".jar") && !EndsWith(path, ".jmod") && !EndsWith(path, ".zip")) {
    std::vector<uint8_t> bytes;
    if (!fs::is_regular_file(path, ec) || !ReadFile(path, &bytes)) {
      std::fprintf(stderr, "classrewrite: cannot read %s\n", path.c_str());
      return false;
    }
    out->push_back({fs::path(path).filename().generic_string(), std::move(bytes)});
    return true;
  }
  std::vector<Entry> entries;
  if (!ReadArchive(path, &entries)) return false;
  const bool is_jmod = EndsWith(path, ".jmod");
  for (Entry& e : entries) {
    if (is_jmod) {
      if (e.name.rfind("classes/", 0) != 0) continue;
      e.name.erase(0, 8);
    }
    // Signatures would not match the changed classes.
    if (e.name.rfind("META-INF/", 0) == 0 &&
        (EndsWith(e.name, ".SF") || EndsWith(e.name, ".RSA") || EndsWith(e.name, ".DSA"))) {
      continue;
    }
    out->push_back(std::move(e));
  }
  return true;
}

bool WriteOutput(const std::string& path, const std::vector<Entry>& entries) {
  std::error_code ec;
  if (EndsWith(path, ".jar")) {
    std::vector<classpath::TestEntry> stored;
    for (const Entry& e : entries) stored.push_back({e.name, classpath::ToText(e.bytes), false});
    classpath::ArchiveForm form;
    form.is_zip64 = entries.size() >= UINT16_MAX;
    const classpath::Bytes bytes = classpath::MakeArchive(stored, form);
    std::ofstream out(path, std::ios::binary);
    out.write(reinterpret_cast<const char*>(bytes.data()),
              static_cast<std::streamsize>(bytes.size()));
    return out.good();
  }
  for (const Entry& e : entries) {
    const fs::path to = fs::path(path) / e.name;
    fs::create_directories(to.parent_path(), ec);
    std::ofstream out(to, std::ios::binary);
    out.write(reinterpret_cast<const char*>(e.bytes.data()),
              static_cast<std::streamsize>(e.bytes.size()));
    if (!out.good()) {
      std::fprintf(stderr, "classrewrite: cannot write %s\n", to.c_str());
      return false;
    }
  }
  return true;
}

// Rewrites the same class once more with random no-ops instead of the plan's, and compares it in
// lockstep.
LockstepResult WalkRandomly(ByteSpan in, uint64_t seed, uint32_t* method, Workspace& memory,
                            Workspace& check_memory) {
  memory.Reset();
  uint64_t reasons[kReasonCount] = {};
  const ByteSpan result =
      RewriteRandomly(in, seed, RandomStyle::kNops, {0, false}, memory, reasons);
  return WalkClassInLockstep(in, result, check_memory, method);
}

void ListMethod(const ClassFile& file, const MemberInfo& method, Reason reason) {
  if (reason == Reason::kNoCode) return;
  const std::string name = std::string(file.name()) + "." + std::string(file.NameOf(method)) +
                           std::string(file.DescriptorOf(method));
  std::printf("left alone: %s: %s\n", name.c_str(), ReasonName(reason));
}

// Rewrites one class and checks the result.
void RewriteEntry(const Settings& settings, Workspace& memory, Workspace& check_memory,
                  Workspace& random_memory, Entry* entry, Totals* totals) {
  const ByteSpan in(entry->bytes);
  const auto start = Clock::now();
  memory.Reset();
  Reason class_reason = Reason::kOk;
  const ByteSpan result =
      settings.random ? RewriteRandomly(in, settings.seed + totals->classes, RandomStyle::kNops,
                                        {0, false}, memory, totals->reasons)
                      : RewriteClass(in, settings.kind, settings.holder, settings.rewrite, memory,
                                     totals->reasons, &class_reason, &totals->probes,
                                     settings.list ? ListMethod : nullptr);
  totals->seconds += std::chrono::duration<double>(Clock::now() - start).count();
  ++totals->classes;
  ++totals->class_reasons[static_cast<int>(class_reason)];
  totals->bytes_in += in.size();
  totals->bytes_out += result.size();
  const bool same = in.size() == result.size() && std::equal(in.begin(), in.end(), result.begin());
  if (!same) ++totals->classes_changed;
  if (settings.kind == PlanKind::kRoundTrip && !same) {
    std::fprintf(stderr, "classrewrite: round trip changed %s\n", entry->name.c_str());
    ++totals->failures;
  }
  if (result.data() != in.data()) {
    check_memory.Reset();
    const CheckResult check = CheckRewritten(in, result, check_memory);
    if (!check.ok()) {
      std::fprintf(stderr, "classrewrite: %s: method %u: %s at %u\n", entry->name.c_str(),
                   check.method, check.problem, check.offset);
      ++totals->failures;
    }
    if (settings.kind == PlanKind::kNops || settings.kind == PlanKind::kRoundTrip) {
      uint32_t method = 0;
      check_memory.Reset();
      const LockstepResult walk =
          settings.kind == PlanKind::kRoundTrip
              ? WalkClassInLockstep(in, result, check_memory, &method)
              : WalkRandomly(in, totals->classes, &method, random_memory, check_memory);
      if (!walk.ok()) {
        std::fprintf(stderr, "classrewrite: %s: method %u: %s at instruction %u\n",
                     entry->name.c_str(), method, walk.difference, walk.original);
        ++totals->failures;
      }
    }
  }
  entry->bytes.assign(result.begin(), result.end());
}

void Print(const Settings& settings, const Totals& t) {
  uint64_t methods = 0;
  for (const uint64_t n : t.reasons) methods += n;
  if (settings.json) {
    std::printf("{\"classes\": %zu, \"classes_changed\": %zu, \"methods\": %zu, ",
                size_t{t.classes}, size_t{t.classes_changed}, size_t{methods});
    std::printf("\"rewritten\": %zu, \"probes\": %zu, \"bytes_in\": %zu, \"bytes_out\": %zu, ",
                size_t{t.reasons[0]}, size_t{t.probes}, size_t{t.bytes_in}, size_t{t.bytes_out});
    std::printf("\"failures\": %zu, \"seconds\": %.6f", size_t{t.failures}, t.seconds);
    for (const bool of_classes : {false, true}) {
      std::printf(", \"%s\": {", of_classes ? "classes_left_alone" : "left_alone");
      const char* separator = "";
      for (int r = 1; r < kReasonCount; ++r) {
        const uint64_t n = of_classes ? t.class_reasons[r] : t.reasons[r];
        if (n == 0) continue;
        std::printf("%s\"%s\": %zu", separator, ReasonName(static_cast<Reason>(r)), size_t{n});
        separator = ", ";
      }
      std::printf("}");
    }
    std::printf("}\n");
    return;
  }
  std::printf("classes %zu, changed %zu; methods %zu, rewritten %zu; probes %zu\n",
              size_t{t.classes}, size_t{t.classes_changed}, size_t{methods}, size_t{t.reasons[0]},
              size_t{t.probes});
  std::printf("bytes %zu -> %zu in %.3f s; failures %zu\n", size_t{t.bytes_in}, size_t{t.bytes_out},
              t.seconds, size_t{t.failures});
  for (int r = 1; r < kReasonCount; ++r) {
    const auto reason = static_cast<Reason>(r);
    if (t.reasons[r] != 0) {
      std::printf("  methods left alone %8zu  %s (%s)\n", size_t{t.reasons[r]}, ReasonName(reason),
                  ReasonText(reason));
    }
    if (t.class_reasons[r] != 0) {
      std::printf("  classes left alone %8zu  %s (%s)\n", size_t{t.class_reasons[r]},
                  ReasonName(reason), ReasonText(reason));
    }
  }
}

// The number after an option's "=", within bounds.
template <typename T>
bool TakeNumber(const std::string& key, const std::string& value, T least, T most, T* out) {
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), *out);
  if (error == std::errc() && end == value.data() + value.size() && *out >= least && *out <= most) {
    return true;
  }
  std::fprintf(stderr, "classrewrite: %s needs a number, not '%s'\n", key.c_str(), value.c_str());
  return false;
}

bool ParseSettings(int argc, char** argv, Settings* s) {
  s->rewrite.huge_method_limit = 0;
  for (int i = 1; i < argc; ++i) {
    const std::string a = argv[i];
    const size_t equals = a.find('=');
    const std::string key = a.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : a.substr(equals + 1);
    if (key == "--mode" && value == "roundtrip") {
      s->kind = PlanKind::kRoundTrip;
    } else if (key == "--mode" && value == "dense") {
      s->kind = PlanKind::kDense;
    } else if (key == "--mode" && value == "nops") {
      s->kind = PlanKind::kNops;
    } else if (key == "--mode" && value == "realistic") {
      s->kind = PlanKind::kRealistic;
    } else if (key == "--mode" && value == "random") {
      s->kind = PlanKind::kNops;
      s->random = true;
    } else if (key == "--seed") {
      if (!TakeNumber<uint64_t>(key, value, 0, UINT64_MAX, &s->seed)) return false;
    } else if (key == "--stats" && value == "json") {
      s->json = true;
    } else if (key == "--holder") {
      s->holder.owner = value;
    } else if (key == "--counters") {
      if (!TakeNumber<uint32_t>(key, value, 1, 32768, &s->holder.counters)) return false;
    } else if (key == "--huge-limit") {
      if (!TakeNumber<uint32_t>(key, value, 0, UINT32_MAX, &s->rewrite.huge_method_limit))
        return false;
    } else if (key == "--list") {
      s->list = true;
    } else if (a.size() > 1 && a[0] == '-') {
      std::fprintf(stderr, "classrewrite: unknown option %s\n", a.c_str());
      return false;
    } else {
      s->paths.push_back(a);
    }
  }
  if (s->paths.size() < 2) {
    std::fprintf(
        stderr,
        "usage: classrewrite --mode=roundtrip|dense|nops|realistic|random [--stats=json]\n"
        "         [--holder=CLASS] [--counters=N] [--huge-limit=BYTES] [--list] [--seed=N]\n"
        "         INPUT... OUTPUT\n");
    return false;
  }
  return true;
}

int Main(int argc, char** argv) {
  Settings settings;
  if (!ParseSettings(argc, argv, &settings)) return 2;
  const std::string output = settings.paths.back();
  settings.paths.pop_back();
  std::vector<Entry> entries;
  for (const std::string& path : settings.paths) {
    if (!ReadInput(path, &entries)) return 2;
  }
  Totals totals;
  Workspace memory;
  Workspace check_memory;
  Workspace random_memory;
  for (Entry& e : entries) {
    if (EndsWith(e.name, ".class"))
      RewriteEntry(settings, memory, check_memory, random_memory, &e, &totals);
  }
  totals.failures += totals.reasons[static_cast<int>(Reason::kInternal)];
  Print(settings, totals);
  if (!WriteOutput(output, entries)) return 2;
  return totals.failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace iprof::classfile

int main(int argc, char** argv) { return iprof::classfile::Main(argc, argv); }
