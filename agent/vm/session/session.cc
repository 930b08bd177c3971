#include "agent/vm/session/session.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "agent/instrument/probes/inherited_members.h"
#include "agent/vm/counting/class_origin_choice.h"
#include "agent/vm/jvmti/boundary.h"
#include "agent/vm/jvmti/jvmti_memory.h"
#include "agent/vm/jvmti/vm_flags.h"
#include "agent/vm/names/class_registry.h"
#include "agent/vm/session/counted_positions.h"
#include "agent/vm/session/profile_dump.h"
#include "agent/vm/settings/container_memory.h"
#include "agent/vm/settings/vm_identity.h"
#include "writer/image/image_note.h"
#include "writer/image/image_profile.h"
#include "writer/io/agent_section.h"

namespace iprof::vm {
namespace {

// The version of the running JVM; 0 if unknown.
int JdkVersion(jvmtiEnv* jvmti) {
  JvmtiString text(jvmti);
  if (jvmti->GetSystemProperty("java.vm.version", text.address()) != JVMTI_ERROR_NONE) return 0;
  return MakeVmIdentity("", std::string(ViewOf(text))).major;
}

// The JDK of the image build: the one that the user asked for, or the running JVM's.
int TargetJdk(const Options& options, jvmtiEnv* jvmti) {
  return options.target_jdk != 0 ? options.target_jdk : JdkVersion(jvmti);
}

CountingPlan PlanFor(const Options& options, bool running, const VmFlags& flags,
                     uint64_t budget_bytes) {
  return PlanCounting(
      options, running,
      {[&](std::string_view name) { return flags.Bool(name); },
       [&](std::string_view name) { return flags.Text(name); },
       [&](std::string_view prefix) { return flags.LastArgument(prefix); }},
      {.budget_bytes = budget_bytes, .most_heap_bytes = flags.Number("MaxHeapSize")});
}

std::string DescribeShare(const ImageProfile& made, ImageTarget target) {
  std::string text = fmt::format(
      "image build for JDK {}: {} of {} entries kept, {} contexts cut, {} methods left out\n",
      JdkOf(target), made.share.usable_entries(), made.share.entries(), made.contexts_cut,
      made.methods_left_out);
  for (const Table table : kAllTables) {
    const ImageShare::Part part = made.share.Of(table);
    if (part.entries == 0) continue;
    text += fmt::format("  {}: {} of {} entries, {} of {} counts\n", TableKey(table),
                        part.usable_entries, part.entries, part.usable_weight, part.weight);
  }
  return text;
}

}  // namespace

Session::Session(JavaVM* vm, JvmtiEnvironment environment, SessionSettings settings,
                 std::unique_ptr<Log> log)
    : vm_(vm),
      environment_(std::move(environment)),
      settings_(std::move(settings)),
      log_(std::move(log)),
      target_jdk_(TargetJdk(settings_.options, environment_.get())),
      hidden_names_(RuleForJdk(target_jdk_),
                    instrument::UnboxingOfJdk(JdkVersion(environment_.get()))),
      unload_watch_(*log_),
      class_watch_(unload_watch_),
      proxies_(hidden_names_, unload_watch_) {
  unload_watch_.Tell([this](UnloadTag tag) { hidden_names_.Drop(tag); });
}

Session::~Session() = default;

Status Session::Start(bool running, const std::function<bool()>& is_over) {
  PlanMemory();
  if (Status status = unload_watch_.Start(vm_); !status.ok()) return status;
  const Options& options = settings_.options;
  if (AsksForCounts(options)) {
    if (Status status = StartCounting(running); !status.ok()) return status;
  }
  if (is_over()) return {};  // retransforming all classes takes time
  if ((counting_ != nullptr || options.samples) && HiddenClasses::CanStart(vm_, *log_, running)) {
    hidden_ = std::make_unique<HiddenClasses>(*log_, hidden_names_, unload_watch_, counting_.get());
    if (Status status = hidden_->Start(vm_); !status.ok()) return status;
  }
  return options.samples ? StartSampling(running, is_over) : Status();
}

Status Session::StartCounting(bool running) {
  const VmFlags flags(vm_);
  CountingPlan plan = PlanFor(settings_.options, running, flags, budget_.limit());
  wants_early_start_ = plan.startup.start == CountingStart::kFirstBytecode;
  auto origin = MakeClassOrigin(flags.Arguments(), plan, *log_);
  counting_ =
      std::make_unique<Counting>(CountingContext{vm_, *log_, proxies_, class_watch_, budget_},
                                 std::move(plan), std::move(origin));
  return counting_->Start();
}

Status Session::StartSampling(bool running, const std::function<bool()>& is_over) {
  sampling_ = std::make_unique<Sampling>(vm_, settings_.options, *log_, class_watch_, budget_);
  SamplingKnowledge knowledge{.names = &hidden_names_,
                              .looks_after_unloaded = counting_ == nullptr};
  if (Status status = sampling_->Start(knowledge); !status.ok()) return status;
  // Either the thread that handles the program's end sees this pointer and stops sampling, or this
  // thread sees here that the end has come.
  samples_.store(sampling_.get());
  if (is_over()) return {};
  if (running) AtBoundary(*log_, "the start of sampling", [&] { sampling_->Begin(); });
  return {};
}

// Decides how much memory the agent may use.
void Session::PlanMemory() {
  Options& options = settings_.options;
  const auto given = [](const ByteSize& size) -> std::optional<uint64_t> {
    if (size.bytes == 0) return std::nullopt;
    return static_cast<uint64_t>(size.bytes);
  };
  const MemoryShares shares = ShareMemory({.memory = given(options.memory),
                                           .samples_memory = given(options.samples_memory),
                                           .samples = options.samples,
                                           .container = ContainerMemory(),
                                           .max_heap = VmFlags(vm_).Number("MaxHeapSize")});
  options.samples_memory.bytes = static_cast<int64_t>(shares.stacks);
  budget_.SetLimit(shares.rest);
  log_->Step(fmt::format("memory limit of the agent: {} KiB, {} of them for stacks of samples",
                         (shares.stacks + shares.rest) / 1024, shares.stacks / 1024));
}

void Session::OnVmStart(JNIEnv* jni) {
  if (counting_ != nullptr) AtBoundary(*log_, "VMStart", [&] { counting_->OnVmStart(jni); });
}

void Session::OnVmInit(JNIEnv* jni) {
  if (counting_ != nullptr) AtBoundary(*log_, "VMInit", [&] { counting_->OnVmInit(jni); });
  if (sampling_ != nullptr) AtBoundary(*log_, "VMInit", [&] { sampling_->Begin(); });
}

void Session::StopSampling() {
  if (Sampling* const sampling = samples_.load()) sampling->Stop();
}

void Session::Stop() {
  StopSampling();
  if (counting_ != nullptr) counting_->Stop();
}

bool Session::Close() {
  bool is_quiet = environment_.StopEvents();
  if (sampling_ != nullptr) is_quiet = sampling_->Close() && is_quiet;
  if (hidden_ != nullptr) is_quiet = hidden_->Close() && is_quiet;
  if (counting_ != nullptr) is_quiet = counting_->Close() && is_quiet;
  return unload_watch_.Close() && is_quiet;
}

void Session::Dump(JNIEnv* jni) {
  const Status written = WriteProfile(jni);
  if (!written.ok()) log_->Error(fmt::format("no profile was written: {}", written.message()));
}

Result<Session::MadeProfile> Session::MakeProfile(JNIEnv* jni) {
  MadeProfile made;
  Profile& profile = made.profile;
  profile.AddStandardTypes();
  if (counting_ != nullptr) made.counted.emplace(counting_->AddTo(jni, profile));
  const auto was_added = [&](InternalName owner, std::string_view name,
                             std::string_view descriptor) {
    if (owner.text() == "java/lang/Object" && instrument::IsInheritedName(name)) return true;
    return made.counted && made.counted->added.assembly.WasAdded(owner, name, descriptor);
  };
  const Result<RegistryCounts> counts =
      AddLoadedClasses(environment_.get(), jni, was_added, proxies_, profile);
  if (!counts.ok()) return counts.status();
  log_->Step(fmt::format("left out: {} hidden classes, {} other classes, {} methods",
                         counts->hidden_classes, counts->left_out_classes,
                         counts->left_out_methods));
  if (Sampling* const sampling = samples_.load()) {
    std::optional<CountedPositions> positions;
    if (made.counted) positions.emplace(made.counted->positions);
    made.samples = sampling->AddTo(jni, positions ? &*positions : nullptr, profile);
  }
  return made;
}

Status Session::WriteProfile(JNIEnv* jni) {
  Result<MadeProfile> whole = MakeProfile(jni);
  if (!whole.ok()) return whole.status();
  Profile& profile = whole->profile;
  const Options& options = settings_.options;
  const ImageTarget image_target = ImageTargetForJdk(target_jdk_);
  std::string image_report;
  if (options.image) {
    ImageProfile image = MakeImageProfile(profile, image_target);
    image_report = DescribeShare(image, image_target);
    profile = std::move(image.profile);
  } else {
    SetAgentPart(profile, kImagePart, ImageNote{image_target, false}.ToJson());
  }
  DumpTarget target{.path = settings_.out_path, .overwrite = options.force, .format = {}};
  target.format.version = options.format;
  target.format.gzip = options.gzip;
  const Result<DumpedFile> file = DumpProfile(profile, target);
  if (!file.ok()) return file.status();
  if (!file->not_replaced.ok()) {
    log_->Warning(
        fmt::format("{}; the profile is written beside it", file->not_replaced.message()));
  }
  log_->Result(fmt::format("wrote {}: {} types, {} methods", file->path, profile.type_count(),
                           profile.method_count()));
  if (log_->Shows(LogLevel::kStatistics)) LogReport(*whole, image_report);
  return {};
}

void Session::LogReport(const MadeProfile& made, const std::string& image_report) {
  std::string report = made.counted ? counting_->Report(*made.counted) : "";
  if (hidden_ != nullptr) report += hidden_->Report();
  if (Sampling* const sampling = samples_.load()) report += sampling->Report(made.samples);
  report += budget_.Report();
  report += image_report;
  for (std::string_view line : SplitAt(report, "\n")) {
    if (!line.empty()) log_->Statistics(line);
  }
}

}  // namespace iprof::vm
