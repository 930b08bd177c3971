// Advice: whether a profile is good enough for an image build, why not, and what to do next. docs/advise.md lists the rules.
//
// A rule that finds something gives a reason: a sentence, and the share of the profile that it is about. Reasons of a worse
// grade come first, and of one grade those about a larger share. The verdict is the worst grade.
//
// Example: 829 of 5,000 samples are there, so few-samples is about 83 % of them. 4,100 of 5,000 hot methods ran fewer than 1,000 times,
// so short-run is about 82 %. The verdict is "usable with doubts", and few-samples is its first reason.
//
// Guarantees: pure; the same profile gives the same advice. Shares are from 0 to 1. Time is linear in the profile, and
// memory is a few bytes for each method, type and sample. What is not known is not held against a profile.
// Threads: any. Failure: none but std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "writer/profile/image/image_share.h"
#include "writer/profile/image/image_target.h"
#include "writer/profile/model.h"

namespace iprof {

enum class Usability : uint8_t { kUsable, kDoubts, kUnusable };
// "usable", "usable with doubts", "not usable"
std::string_view NameOf(Usability usability);

// What a build needs. docs/advise.md gives the reasons.
inline constexpr int64_t kEnoughSignals = 5000;
inline constexpr int64_t kEnoughSamplesOfMethod = 50;
inline constexpr int64_t kEnoughExecutions = 1000;  // of a hot method
inline constexpr int64_t kStartUpMs = 5000;         // what a start-up is taken to last
inline constexpr double kEnoughApplicable = 0.995;  // by weight

struct Reason {
  std::string_view rule;  // "few-samples"
  Usability grade = Usability::kDoubts;
  double share = 0;
  std::string text;
  std::string remedy;  // what to type or do; empty: what another reason says
};

// How a profile fits class files, by weight (cli/files/fitness).
struct FitFacts {
  double applicable = 1;        // of all that could be compared
  double program_relevant = 1;  // of what is not the JDK's: its methods exist
  double jdk_applicable = 1;    // of the JDK's
  double misnamed = 0;          // of lambdas and all that could be compared
  std::vector<std::pair<std::string, double>> stale =
      {};  // "a.B.run()void: the code differs"; the heaviest three
};

// What is known beside the profile.
struct AdviceContext {
  std::string file = "app.iprof";
  size_t format_errors = 0;  // that `iprof check` finds
  std::optional<ImageTarget> target =
      {};  // for which JDK the image is; empty: what the profile says
  std::optional<ImageShare> image =
      {};  // what a build for it can use; empty: what it cannot use was left out
  std::optional<FitFacts> fit = {};
  std::string class_files = "";  // "--classpath app.jar": what `fit` was found with
};

struct Advice {
  Usability verdict = Usability::kUsable;
  std::vector<Reason> reasons;
  // What there is, for people: "load" and "2 runs of app.jar, 61.2 s recorded".
  std::vector<std::pair<std::string_view, std::string>> facts;
  std::string next;   // the command to type next
  std::string build;  // the image's, if there is something to do before it; else empty

  // "usable with doubts: 829 samples, and builds want 5,000; and 2 more reasons"
  std::string Line() const;
  // The texts of the first three reasons.
  std::string HeaviestReasons() const;
};

Advice AdviseOn(const Profile& profile, const AdviceContext& context);

}  // namespace iprof
