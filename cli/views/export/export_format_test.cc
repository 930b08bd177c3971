#include "cli/views/export/export_format.h"

#include <catch2/catch.hpp>
#include <set>

#include "cli/views/coverage/coverage.h"
#include "writer/ops/ops_test_profiles.h"

namespace iprof {
namespace {

TEST_CASE("formats are found by their names, which are unique") {
  std::set<std::string_view> names;
  for (const ExportFormat& format : ExportFormats()) {
    CHECK(names.insert(format.name).second);
    CHECK(FindExportFormat(format.name) == &format);
  }
  CHECK(names.size() == 7);
  CHECK(FindExportFormat("html") == nullptr);
}

class FailingSink final : public ByteSink {
 public:
  Status Write(std::string_view) override { return Status(Code::kIo, "full"); }
};

TEST_CASE("every format passes the failure of its sink on") {
  Profile p = ParseTables(R"(,"samplingProfiles":[{"ctx":"1:4","records":[3]}])");
  for (int bci = 0; bci < 20'000; ++bci)  // more than one buffer
    p.AddCount(Table::kSamples, p.AddContext(kNoContext, MethodIndex{0}, bci), 1);
  Coverage coverage;
  coverage.classes.push_back({"a/B", "B.java", "a/B.java", {}});
  coverage.classes[0].methods.push_back(
      {"m", "()V", 1, 1, 1, 0, {{1, 1, 1, 0}}, {{1, true, {1, 0}}}});
  for (const ExportFormat& format : ExportFormats()) {
    INFO(format.name);
    FailingSink sink;
    CHECK(format.write(p, {.bci = true, .coverage = &coverage}, sink).message() == "full");
  }
}

}  // namespace
}  // namespace iprof
