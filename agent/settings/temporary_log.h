// TemporaryLog: a log file for tests.
//
// Guarantees: the file is removed together with the object. Threads: one. Failure: the test fails
// if the file cannot be created.
#pragma once

#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace iprof::vm {

class TemporaryLog {
 public:
  TemporaryLog() {
    std::string name = (std::filesystem::temp_directory_path() / "iprof-log.XXXXXX").string();
    const int file = mkstemp(name.data());
    REQUIRE(file >= 0);
    close(file);
    path_ = name;
  }
  ~TemporaryLog() { std::filesystem::remove(path_); }
  const std::string& path() const { return path_; }
  std::vector<std::string> lines() const {
    std::ifstream file(path_);
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
  }

 private:
  std::string path_;
};

}  // namespace iprof::vm
