#include "cli/files/raw_input.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "cli/jfr/recording_file.h"
#include "writer/profile/io/reader.h"

namespace iprof::cli {
namespace {

std::span<const uint8_t> BytesOf(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

// Reads up to `size` bytes, fewer only at the end.
Status ReadUpTo(ByteSource& source, size_t size, std::string* into) {
  while (into->size() < size) {
    const size_t before = into->size();
    into->resize(std::min(size, before + (size_t{1} << 20)));
    const Result<size_t> read = source.Read(into->data() + before, into->size() - before);
    into->resize(before + (read.ok() ? *read : 0));
    if (!read.ok()) return read.status();
    if (*read == 0) return {};
  }
  return {};
}

Result<RawProfile> Recover(RawBytes& bytes, const std::string& name) {
  const Result<RawContents> contents = ReadRaw(bytes, name);
  if (!contents.ok()) return contents.status();
  return MakeRawProfile(*contents);
}

}  // namespace

InputFile::InputFile(const std::string& path)
    : is_standard_(path == "-"),
      name_(is_standard_ ? "standard input" : path),
      opened_(is_standard_ ? Result<OwnedFd>(OwnedFd())
                           : OpenFile(path, O_RDONLY, FileKind::kStream)) {
  struct stat info {};
  if (!opened_.ok() || fstat(fd(), &info) != 0) return;
  if (S_ISREG(info.st_mode)) {
    regular_size_ = static_cast<uint64_t>(info.st_size);
  } else if (!is_standard_) {
    WaitForWriter(fd());
  }
}

Status InputFile::status() const {
  const Status status = opened_.status();
  if (status.ok()) return {};
  return {status.code(), fmt::format("{}: cannot open: {}", name_, status.message())};
}

Result<size_t> SniffedInput::Source::Read(char* into, size_t size) {
  if (done_ == first_.size()) return file_.Read(into, size);
  const size_t count = std::min(size, first_.size() - done_);
  std::copy_n(first_.begin() + static_cast<ptrdiff_t>(done_), count, into);
  done_ += count;
  return count;
}

Profile* SniffedInput::made() {
  if (raw) return &raw->profile;
  return recording ? &recording->profile : nullptr;
}

Result<SniffedInput> SniffedInput::Open(const InputFile& file) {
  const int fd = file.fd();
  const std::string& name = file.name();
  if (file.regular_size()) {
    uint8_t first[kRawMagic.size()] = {};
    const ssize_t count = pread(fd, first, sizeof first, 0);
    SniffedInput input(Source(fd, name, ""));
    if (count == sizeof first && jfr::BeginsRecording(first)) {
      Result<RecordingInput> recorded = ReadRecordingInput(fd, *file.regular_size(), name);
      if (!recorded.ok()) return recorded.status();
      input.recording = std::move(*recorded);
      return input;
    }
    // So that an empty or cut raw file is called what it is.
    const bool may_be_cut = count >= 0 && count < static_cast<ssize_t>(sizeof first) &&
                            name.ends_with(kRawSuffix) &&
                            std::equal(first, first + count, kRawMagic.begin());
    if (!may_be_cut && (count != sizeof first || !BeginsRawFile(first))) return input;
    RawFdBytes bytes(fd);
    Result<RawProfile> made = Recover(bytes, name);
    if (!made.ok()) return made.status();
    input.raw = std::move(*made);
    return input;
  }
  FdSource source(fd, name);
  std::string first;
  if (Status status = ReadUpTo(source, kRawMagic.size(), &first); !status.ok()) return status;
  if (jfr::BeginsRecording(BytesOf(first)))
    return Status(Code::kBadInput, name + ": a recording is read from a file only");
  if (!BeginsRawFile(BytesOf(first))) return SniffedInput(Source(fd, name, std::move(first)));
  if (Status status = ReadUpTo(source, kMostRawBytes + 1, &first); !status.ok()) return status;
  RawMemoryBytes bytes(BytesOf(first));
  Result<RawProfile> made = Recover(bytes, name);
  if (!made.ok()) return made.status();
  SniffedInput input(Source(fd, name, ""));
  input.raw = std::move(*made);
  return input;
}

RunId RawRunOf(const std::string& path) {
  if (!IsRawFile(path)) return {};
  const InputFile file(path);
  RawFdBytes bytes(file.fd());
  return ReadRawRun(bytes);
}

bool IsRawFile(const std::string& path) {
  // Opening a named pipe would wait for its writer.
  struct stat info {};
  if (path != "-" && (stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode))) return false;
  const InputFile file(path);
  if (!file.status().ok() || !file.regular_size()) return false;
  std::array<uint8_t, kRawMagic.size()> first{};
  RawFdBytes bytes(file.fd());
  const Result<size_t> count = bytes.ReadAt(0, first.data(), first.size());
  return count.ok() && BeginsRawFile(std::span(first).first(*count));
}

Result<RawProfile> ReadRawFile(const std::string& path) {
  const InputFile file(path);
  if (Status status = file.status(); !status.ok()) return status;
  if (!file.regular_size()) {
    Result<SniffedInput> input = SniffedInput::Open(file);
    if (!input.ok()) return input.status();
    if (!input->raw)
      return Status(Code::kBadInput, file.name() + ": is not a raw file of iprofagent");
    return std::move(*input->raw);
  }
  return ReadRawFile(file.fd(), file.name());
}

Result<RawProfile> ReadRawFile(int fd, const std::string& name) {
  RawFdBytes bytes(fd);
  return Recover(bytes, name);
}

Result<Profile> ReadAnyProfile(const std::string& path) {
  const InputFile file(path);
  if (Status status = file.status(); !status.ok()) return status;
  Result<SniffedInput> input = SniffedInput::Open(file);
  if (!input.ok()) return input.status();
  if (Profile* const made = input->made()) return std::move(*made);
  return ReadProfile(input->source(), file.name());
}

}  // namespace iprof::cli
