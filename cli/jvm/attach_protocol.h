// HotSpot's attach protocol as bytes: requests, answers, and what an answer to "load" means.
//
// A request of version 1 is "1", the command and exactly three arguments, each ended by a zero byte; an
// argument holds at most 1,024 bytes. Version 2, which JDK 25 brought, has the size of what follows
// instead of these limits. A JVM answers with a line that holds a number, then text, and closes the
// connection. "getversion" asks whether it knows version 2; older JVMs answer that they do not know it.
//
// Guarantees: pure; any bytes may be given as an answer.
// Threads: any. Failure: one sentence.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "writer/base/status.h"

namespace iprof::jvm {

enum class ProtocolVersion { k1, k2 };

// The command, then its arguments.
using RequestWords = std::vector<std::string>;

// Whether version 1 can carry it.
bool FitsVersion1(const RequestWords& words);

// Fails where the version cannot carry it.
Result<std::string> EncodeRequest(ProtocolVersion version, const RequestWords& words);

struct Answer {
  int code = 0;      // 0: the JVM carried the command out
  std::string text;  // what the command printed, or why it failed
};

// Everything that the JVM sent. Fails where that is no answer.
Result<Answer> ParseAnswer(std::string_view bytes);

// The answer to "getversion".
ProtocolVersion VersionIn(const Answer& answer);

// Whether the answer to "load" says that the JVM forbids to load agents.
bool ForbidsLoading(const Answer& answer);

// The answer to "load": ok where the agent started. The library's path is for messages.
Status JudgeLoad(const Answer& answer, std::string_view library);

}  // namespace iprof::jvm
