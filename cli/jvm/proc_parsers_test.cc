// What is parsed of other processes' files: /proc/PID/status and maps, hsperfdata, release files and
// command lines. Any bytes may be in them, so each is also given mutated texts.
#include <sys/types.h>

#include <catch2/catch.hpp>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "cli/jvm/mapped_files.h"
#include "cli/jvm/perf_data.h"
#include "cli/jvm/process_status.h"
#include "cli/jvm/running_jvm.h"

namespace iprof::jvm {
namespace {

const std::string kStatus =
    "Name:\tjava\nState:\tS (sleeping)\nTgid:\t4711\nPid:\t4711\nUid:\t1000\t1001\t1000\t1000\n"
    "Gid:\t100\t101\t100\t100\nGroups:\t4 24 100 \nNStgid:\t4711\t17\t1\nNSpid:\t4711\t17\t1\n"
    "SigBlk:\t0000000000000000\nSigCgt:\t0000000101005ccf\n";

const std::string kMaps =
    "55d0c0000000-55d0c0001000 r--p 00000000 08:01 123                        /opt/jdk "
    "17/bin/java\n"
    "7f0000000000-7f0000001000 r-xp 00000000 08:01 124 /opt/jdk 17/lib/server/libjvm.so\n"
    "7f0000001000-7f0000002000 rw-p 00000000 08:01 124 /opt/jdk 17/lib/server/libjvm.so\n"
    "7f0000002000-7f0000003000 rw-p 00000000 00:00 0 \n"
    "7f0000003000-7f0000004000 r-xp 00000000 08:01 125 /tmp/x\\012y/libiprofagent.so (deleted)\n"
    "7f0000004000-7f0000005000 r-xp 00000000 08:01 124 /opt/jdk 17/lib/server/libjvm.so\n"
    "7ffc00000000-7ffc00001000 rw-p 00000000 00:00 0 [stack]\n";

void Append(std::string& bytes, uint32_t number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

std::string PerfEntry(const std::string& name, const std::string& value) {
  const auto name_size = static_cast<uint32_t>(name.size() + 1);
  const auto value_size = static_cast<uint32_t>(value.size() + 1);
  std::string entry;
  Append(entry, 20 + name_size + value_size);
  Append(entry, 20);
  Append(entry, value_size);
  entry += std::string("B\0\0\1", 4);
  Append(entry, 20 + name_size);
  return entry + name + '\0' + value + '\0';
}

std::string PerfFile(const std::string& entries, uint32_t count) {
  std::string bytes("\xca\xfe\xc0\xc0\1\2\0\1", 8);
  bytes.append(16, '\0');
  Append(bytes, 32);
  Append(bytes, count);
  return bytes + entries;
}

// Calls it with texts that are cut, or in which bytes are changed; it must return each time.
template <typename Parser>
void Mutate(const std::string& text, const Parser& parse) {
  for (size_t size = 0; size < text.size(); ++size) parse(text.substr(0, size));
  std::mt19937 random(1);
  for (int round = 0; round < 20'000; ++round) {
    std::string changed = text;
    for (uint32_t i = 0; i <= random() % 4; ++i) {
      changed[random() % changed.size()] = static_cast<char>(random());
    }
    parse(changed);
  }
}

TEST_CASE("a process's status") {
  const auto status = ParseProcessStatus(kStatus, 4711);
  REQUIRE(status);
  CHECK(status->state == 'S');
  CHECK(status->uid == 1001);
  CHECK(status->gid == 101);
  CHECK(status->groups == std::vector<gid_t>{4, 24, 100});
  CHECK(status->inner_pid == 1);
  CHECK(status->catches_quit);
  CHECK_FALSE(status->is_stopped());
  CHECK_FALSE(status->has_ended());
}

TEST_CASE("SIGQUIT is bit 2 of the mask") {
  auto with = [](const std::string& mask) {
    return ParseProcessStatus("State: T\nUid: 1 1\nGid: 1 1\nSigCgt: " + mask + "\n", 5);
  };
  CHECK(with("0000000000000004")->catches_quit);
  CHECK_FALSE(with("fffffffffffffffb")->catches_quit);
  CHECK_FALSE(with("4")->quit_is_pending);
  CHECK(with("0\nShdPnd:\t4")->quit_is_pending);
  CHECK(with("0")->inner_pid == 5);
  CHECK(with("0")->is_stopped());
  CHECK_FALSE(with(""));
  CHECK_FALSE(ParseProcessStatus("", 5));
}

TEST_CASE("a status names the memory of a process that has some") {
  CHECK_FALSE(ParseProcessStatus(kStatus, 4711)->has_memory);
  std::string ended = kStatus;
  ended.replace(ended.find("S (sl"), 1, "Z");
  CHECK(ParseProcessStatus(ended, 4711)->has_ended());
  CHECK(ParseProcessStatus(ended + "Threads:\t1\n", 4711)->has_ended());
  CHECK_FALSE(ParseProcessStatus(ended + "Threads:\t2\n", 4711)->has_ended());
  CHECK(ParseProcessStatus(kStatus + "VmSize:\t    9000 kB\n", 4711)->has_memory);
}

TEST_CASE("a status of a thread names its process") {
  CHECK(ParseProcessStatus(kStatus, 4711)->thread_of == 0);
  std::string of_thread = kStatus;
  of_thread.replace(of_thread.find("\nPid:\t4711"), 10, "\nPid:\t4712");
  CHECK(ParseProcessStatus(of_thread, 4712)->thread_of == 4711);
}

TEST_CASE("mapped files") {
  const auto files = MappedFiles(kMaps);
  REQUIRE(files.size() == 3);
  CHECK(files[0].path == "/opt/jdk 17/bin/java");
  CHECK(FindNamed(files, "libjvm.so")->path == "/opt/jdk 17/lib/server/libjvm.so");
  CHECK_FALSE(FindNamed(files, "libjvm.so")->deleted);
  const MappedFile* agent = FindNamed(files, kAgentLibrary);
  REQUIRE(agent != nullptr);
  CHECK(agent->path == "/tmp/x\ny/libiprofagent.so");
  CHECK(agent->deleted);
  CHECK(FindNamed(files, "libj9vm29.so") == nullptr);
  CHECK(KindOfJvm(files) == JvmKind::kHotSpot);
  CHECK(KindOfJvm({}) == JvmKind::kNone);
  CHECK(KindOfJvm({{"/j/lib/default/libj9vm29.so"}, {"/j/libjvm.so"}}) == JvmKind::kOpenJ9);
}

TEST_CASE("HotSpot's published texts") {
  const std::string file = PerfFile(PerfEntry("sun.rt.javaCommand", "Main a b") +
                                        PerfEntry("java.property.java.version", "17.0.15"),
                                    2);
  const PerfTexts texts = ReadPerfTexts(file);
  CHECK(texts.size() == 2);
  CHECK(texts.at("sun.rt.javaCommand") == "Main a b");
  CHECK(texts.at("java.property.java.version") == "17.0.15");
  CHECK(ReadPerfTexts(file.substr(0, file.size() - 1)).size() == 1);
  std::string big_endian = file;
  big_endian[4] = 0;
  CHECK(ReadPerfTexts(big_endian).empty());
  CHECK_FALSE(SaysStarting(file));
  std::string early = file;
  early[7] = 0;
  CHECK(SaysStarting(early));
  CHECK_FALSE(SaysStarting({}));
}

TEST_CASE("the program on a command line") {
  CHECK(ProgramOf({"java", "-Xmx1g", "-cp", "a:b", "com.acme.Main", "-jar", "x"}) ==
        "com.acme.Main");
  CHECK(ProgramOf({"java", "--add-opens", "java.base/java.lang=ALL-UNNAMED", "-jar", "app.jar"}) ==
        "app.jar");
  CHECK(ProgramOf({"java", "-p", "mods", "-m", "acme/com.acme.Main"}) == "acme/com.acme.Main");
  CHECK(ProgramOf({"java", "--module=acme"}) == "acme");
  CHECK(ProgramOf({"java", "@arguments"}).empty());
  CHECK(ProgramOf({"java", "-jar"}).empty());
  CHECK(ProgramOf({}).empty());
}

TEST_CASE("the version in a release file") {
  CHECK(VersionOf("IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"21.0.8\"\nOS_NAME=\"Linux\"\n") == "21.0.8");
  CHECK(VersionOf("JAVA_VERSION=\"25") == "25");
  CHECK(VersionOf("NO_JAVA_VERSION=\"25\"").empty());
  CHECK(VersionOf("").empty());
}

TEST_CASE("damaged texts are read without harm") {
  size_t read = 0;  // so that nothing is optimised away
  Mutate(kStatus,
         [&](const std::string& text) { read += ParseProcessStatus(text, 1).has_value(); });
  Mutate(kMaps, [&](const std::string& text) { read += MappedFiles(text).size(); });
  Mutate(PerfFile(PerfEntry("a", "b") + PerfEntry("c", "d"), 2), [&](const std::string& text) {
    // On the heap, with no byte behind it, so that sanitizers see what is read beyond it.
    const std::vector<char> exact(text.begin(), text.end());
    read += ReadPerfTexts(exact).size();
  });
  Mutate("A=\"1\"\nJAVA_VERSION=\"17\"\n",
         [&](const std::string& text) { read += VersionOf(text).size(); });
  CHECK(read > 0);
}

}  // namespace
}  // namespace iprof::jvm
