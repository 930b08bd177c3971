#include "agent/instrument/probes/final_classes.h"

#include <algorithm>
#include <array>

namespace iprof::instrument {
namespace {

// In byte order.
constexpr auto kNames = std::to_array<std::string_view>({
    "java/lang/Boolean",
    "java/lang/Byte",
    "java/lang/Character",
    "java/lang/Class",
    "java/lang/Double",
    "java/lang/Float",
    "java/lang/Integer",
    "java/lang/Long",
    "java/lang/Module",
    "java/lang/ProcessBuilder",
    "java/lang/Runtime$Version",
    "java/lang/Short",
    "java/lang/StackTraceElement",
    "java/lang/StackWalker",
    "java/lang/String",
    "java/lang/StringBuffer",
    "java/lang/StringBuilder",
    "java/lang/invoke/MethodHandles$Lookup",
    "java/lang/invoke/MethodType",
    "java/lang/reflect/Constructor",
    "java/lang/reflect/Field",
    "java/lang/reflect/Method",
    "java/lang/reflect/Parameter",
    "java/lang/reflect/RecordComponent",
    "java/math/MathContext",
    "java/net/Inet4Address",
    "java/net/Inet6Address",
    "java/net/URI",
    "java/net/URL",
    "java/time/DayOfWeek",
    "java/time/Duration",
    "java/time/Instant",
    "java/time/LocalDate",
    "java/time/LocalDateTime",
    "java/time/LocalTime",
    "java/time/Month",
    "java/time/MonthDay",
    "java/time/OffsetDateTime",
    "java/time/OffsetTime",
    "java/time/Period",
    "java/time/Year",
    "java/time/YearMonth",
    "java/time/ZoneOffset",
    "java/time/ZonedDateTime",
    "java/time/chrono/IsoChronology",
    "java/time/chrono/IsoEra",
    "java/time/format/DateTimeFormatter",
    "java/time/format/DateTimeFormatterBuilder",
    "java/time/format/DecimalStyle",
    "java/time/format/TextStyle",
    "java/time/temporal/ChronoField",
    "java/time/temporal/ChronoUnit",
    "java/time/temporal/ValueRange",
    "java/time/temporal/WeekFields",
    "java/util/Currency",
    "java/util/Formatter",
    "java/util/HexFormat",
    "java/util/Locale",
    "java/util/Locale$Builder",
    "java/util/Optional",
    "java/util/OptionalDouble",
    "java/util/OptionalInt",
    "java/util/OptionalLong",
    "java/util/Scanner",
    "java/util/ServiceLoader",
    "java/util/SplittableRandom",
    "java/util/StringJoiner",
    "java/util/UUID",
    "java/util/concurrent/TimeUnit",
    "java/util/regex/Matcher",
    "java/util/regex/Pattern",
    "java/util/zip/CRC32C",
});

}  // namespace

bool IsFinalClass(std::string_view name) {
  return std::binary_search(kNames.begin(), kNames.end(), name);
}

bool IsFinalMethodOfObject(std::string_view name, std::string_view descriptor) {
  if (name == "getClass") return descriptor == "()Ljava/lang/Class;";
  if (name == "notify" || name == "notifyAll") return descriptor == "()V";
  return name == "wait" && (descriptor == "()V" || descriptor == "(J)V" || descriptor == "(JI)V");
}

std::span<const std::string_view> FinalClasses() { return kNames; }

}  // namespace iprof::instrument
