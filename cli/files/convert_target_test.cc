#include "cli/files/convert_target.h"

#include <catch2/catch.hpp>

namespace iprof::cli {
namespace {

std::string Refusal(std::string_view text) {
  ConvertTarget target;
  return ConvertTarget::Parse(text, target);
}

bool EndsWith(const std::string& text, std::string_view end) { return text.ends_with(end); }

TEST_CASE("all names are accepted") {
  for (const std::string& name : ConvertTarget::Names()) {
    INFO(name);
    CHECK(Refusal(name).empty());
    CHECK(ConvertTarget::Description().find(name) != std::string::npos);
  }
  ConvertTarget target;
  CHECK(ConvertTarget::Parse("pretty@1.1.0", target).empty());
  CHECK(target.is_profile());
  CHECK(target.pretty);
  CHECK(target.version == "1.1.0");
  CHECK(ConvertTarget::Parse("pprof", target).empty());
  CHECK_FALSE(target.is_profile());
  CHECK(target.version.empty());
  CHECK(target.other->name == "pprof");
  CHECK(ConvertTarget::Parse("parquet", target).empty());
  CHECK_FALSE(target.is_profile());
  CHECK(target.data_set);
}

TEST_CASE("what people type instead is answered with what they want") {
  CHECK(EndsWith(Refusal("html"), "; an HTML page is written by 'iprof report'"));
  CHECK(EndsWith(Refusal("json"), "; did you mean 'pretty'?"));
  CHECK(EndsWith(Refusal("text"), "; 'iprof show' prints a profile as text"));
  CHECK(EndsWith(Refusal("xml"), "; did you mean 'jacoco'?"));
  CHECK(EndsWith(Refusal("folded"), "; did you mean 'collapsed'?"));
  CHECK(EndsWith(Refusal("colapsed"), "; did you mean 'collapsed'?"));
  CHECK(EndsWith(Refusal("PPROF"), "; did you mean 'pprof'?"));
  CHECK(EndsWith(Refusal("1.1.0"), "; did you mean 'iprof@1.1.0'?"));
  const std::string refusal = Refusal("iprof@2.0.0");
  CHECK(refusal.starts_with("'iprof@2.0.0' names no version that can be written: iprof@1.0.0"));
  CHECK(EndsWith(refusal, " can"));
  CHECK(Refusal("csv@1.0.0").starts_with("'csv@1.0.0' is not one of pretty, "));
  CHECK(Refusal("xyz") ==
        "'xyz' is not one of pretty, iprof, csv, collapsed, pprof, speedscope, hprof, lcov, "
        "jacoco, parquet");
}

TEST_CASE("a format's own options stand behind its name") {
  ConvertTarget target;
  CHECK(ConvertTarget::Parse("hprof", target).empty());
  CHECK(target.options.hprof.depth == 4);
  CHECK(target.options.hprof.cutoff == 0.0001);
  CHECK(target.options.hprof.lineno);
  CHECK_FALSE(target.options.hprof.thread);
  CHECK(ConvertTarget::Parse("hprof@depth=8,cutoff=0,lineno=n,thread=y", target).empty());
  CHECK(target.other->name == "hprof");
  CHECK(target.options.hprof.depth == 8);
  CHECK(target.options.hprof.cutoff == 0);
  CHECK_FALSE(target.options.hprof.lineno);
  CHECK(target.options.hprof.thread);
  for (const std::string_view wrong :
       {"depth=0", "depth=1.5", "depth=", "depth", "cutoff=-1", "cutoff=2", "cutoff=1e-4",
        "cutoff=5%", "lineno=yes", "thread=", "interval=10", "="}) {
    INFO(wrong);
    CHECK_FALSE(Refusal("hprof@" + std::string(wrong)).empty());
  }
  CHECK(Refusal("hprof@depth=0") == "'depth=0': hprof@depth takes a number of frames, at least 1");
  CHECK(Refusal("hprof@interval=10") ==
        "'interval=10' is none of hprof's options: depth, cutoff, lineno, thread");
  CHECK(Refusal("pprof@depth=8").starts_with("'pprof@depth=8' is not one of pretty, "));
}

}  // namespace
}  // namespace iprof::cli
