// All that a process writes into its files, or answers over its socket, is read safely. The first byte
// chooses the parser.
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/jvm/attach_protocol.h"
#include "cli/jvm/mapped_files.h"
#include "cli/jvm/perf_data.h"
#include "cli/jvm/process_status.h"
#include "cli/jvm/running_jvm.h"

namespace {

using namespace iprof::jvm;

void Require(bool holds) {
  if (!holds) std::abort();
}

void TryAnswer(std::string_view bytes) {
  const auto answer = ParseAnswer(bytes);
  if (!answer.ok()) return Require(!answer.status().message().empty());
  Require(answer->text.size() < bytes.size());
  static_cast<void>(VersionIn(*answer));
  static_cast<void>(JudgeLoad(*answer, "/libiprofagent.so"));
}

void TryMaps(std::string_view text) {
  const std::vector<MappedFile> files = MappedFiles(text);
  for (const MappedFile& file : files) {
    Require(!file.path.empty());
    Require(FindNamed(files, file.name()) != nullptr);
  }
  static_cast<void>(KindOfJvm(files));
}

// The bytes as a file, and as the entries after a right header, which says that there are 100.
void TryPerfData(std::string_view bytes) {
  using namespace std::string_view_literals;
  std::string file("\xca\xfe\xc0\xc0\1\2\0\1"sv);
  file.append(16, '\0').append("\40\0\0\0\144\0\0\0"sv).append(bytes);
  for (const auto& [name, text] : ReadPerfTexts(file)) {
    Require(name.size() + text.size() < bytes.size());
  }
  for (const auto& [name, text] : ReadPerfTexts(bytes))
    Require(name.size() + text.size() < bytes.size());
  static_cast<void>(SaysStarting(bytes));
}

void TryCommandLine(std::string_view text) {
  std::vector<std::string> arguments(1);
  for (const char c : text) {
    if (c != '\n') {
      arguments.back() += c;
    } else {
      arguments.emplace_back();
    }
  }
  static_cast<void>(ProgramOf(arguments));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 6) {
    case 0:
      TryAnswer(text);
      break;
    case 1:
      TryMaps(text);
      break;
    case 2:
      TryPerfData(text);
      break;
    case 3:
      TryCommandLine(text);
      break;
    case 4:
      static_cast<void>(ParseProcessStatus(text, 1));
      break;
    default:
      static_cast<void>(VersionOf(text));
      break;
  }
  return 0;
}
