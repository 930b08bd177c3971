// Every class and method is reported once, under the most specific reason.
#include "agent/instrument/outcome_tally.h"

#include <catch2/catch.hpp>

namespace iprof::instrument {
namespace {

using classfile::Reason;

MethodOutcome Counted(Effort::Step step = Effort::Step::kAsAsked) {
  MethodOutcome m;
  m.reason = Reason::kOk;
  m.effort.step = step;
  return m;
}

MethodOutcome Refused(Refusal refusal) {
  MethodOutcome m;
  m.reason = Reason::kCodeTooLong;
  m.counters_refused = refusal;
  return m;
}

MethodOutcome LeftFor(Reason reason) {
  MethodOutcome m;
  m.reason = reason;
  return m;
}

TEST_CASE("nothing happened: no line about what was left alone") {
  CHECK(OutcomeTally().Report() ==
        "classes: 0 counted, 0 without code to count\n"
        "methods: 0 counted; because of their length or monitors, 0 with shorter probes, 0 of "
        "these without some "
        "branches or receivers, and 0 with calls only\n");
  CHECK(OutcomeTally().LeftAlone().empty());
}

TEST_CASE("a class is counted when one of its methods is, and else has one reason") {
  OutcomeTally tally;
  tally.NoteClass({LeftFor(Reason::kNoCode), Counted(), Refused(Refusal::kCap)});
  tally.NoteClass({LeftFor(Reason::kNoCode)});
  tally.NoteClass({});
  tally.NoteClass({Refused(Refusal::kNotReady), LeftFor(Reason::kBadFrames)});
  tally.NoteClass({LeftFor(Reason::kBadFrames)});
  tally.NoteUnreadable(Reason::kUnsupportedVersion);
  CHECK(
      tally.Report() ==
      "classes: 1 counted, 2 without code to count\n"
      "methods: 1 counted; because of their length or monitors, 0 with shorter probes, 0 of these "
      "without some "
      "branches or receivers, and 0 with calls only\n"
      "methods without code, abstract or native: 2\n");
  CHECK(
      tally.LeftAlone() ==
      "classes left alone: 1 (class-file version outside 45 to 71)\n"
      "classes left alone: 1 (no counters were left for any of their methods)\n"
      "classes left alone: 1 (every method with code was left alone)\n"
      "methods left alone: 2 (StackMapTable does not follow its format or does not fit the code)\n"
      "methods left alone: 1 (the memory limit, memory=, was reached)\n"
      "methods left alone: 1 (no chunk of counters was ready)\n");
}

TEST_CASE("methods that got less than was asked for") {
  OutcomeTally tally;
  MethodOutcome without_sites = Counted();
  without_sites.sites_refused = true;
  MethodOutcome nothing = Counted();
  nothing.nothing_to_count = true;
  MethodOutcome trimmed = Counted(Effort::Step::kTrimmed);
  trimmed.left_out = true;
  MethodOutcome impossible_sites = Counted();
  impossible_sites.effort.sites = false;
  tally.NoteClass({Counted(Effort::Step::kCompact), Counted(Effort::Step::kTrimmed), trimmed,
                   Counted(Effort::Step::kCallsOnly), without_sites, impossible_sites, nothing});
  CHECK(tally.Report().find(
            "methods: 6 counted; because of their length or monitors, 3 with shorter probes, 1 of "
            "these without some branches or receivers, and 1 with calls only\n"
            "methods in which receivers, monitors and type checks cannot be counted: 1\n") !=
        std::string::npos);
  CHECK(tally.methods_without_sites() == 1);
}

TEST_CASE("only the cap is for ever") {
  CHECK(OutcomeTally::AnyBeyondCap({Counted(), Refused(Refusal::kCap)}));
  CHECK_FALSE(OutcomeTally::AnyBeyondCap({Counted(), Refused(Refusal::kNotReady)}));
}

}  // namespace
TEST_CASE("The sums leave out what has no code", "[outcome_tally]") {
  OutcomeTally tally;
  tally.NoteClass({Counted(), LeftFor(Reason::kNoCode), LeftFor(Reason::kCodeTooLong)});
  tally.NoteClass({Refused(Refusal::kCap)});
  tally.NoteClass({LeftFor(Reason::kNoCode)});
  tally.NoteNoRoom();
  const OutcomeTally::Sums sums = tally.sums();
  CHECK(sums.classes_counted == 1);
  CHECK(sums.classes_left_alone == 2);
  CHECK(sums.methods_counted == 1);
  CHECK(sums.methods_left_alone == 2);
}

}  // namespace iprof::instrument
