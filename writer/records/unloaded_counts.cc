#include "writer/records/unloaded_counts.h"

#include <algorithm>
#include <map>

#include "writer/base/varint.h"

namespace iprof {
namespace {

void AddTypes(const UnloadedCounts::Site& from, UnloadedCounts::Site* into) {
  into->lost += from.lost;
  for (const auto& [name, count] : from.types) {
    const auto known = std::find_if(into->types.begin(), into->types.end(),
                                    [&, &n = name](const auto& t) { return t.first == n; });
    if (known != into->types.end()) {
      known->second += count;
    } else {
      into->types.emplace_back(name, count);
    }
  }
}

}  // namespace

uint64_t UnloadedCounts::Total() const {
  uint64_t sum = 0;
  const auto add = [&](uint64_t count) { sum = sum + count < sum ? UINT64_MAX : sum + count; };
  for (const auto& [number, count] : counters) add(count);
  for (const Site& site : sites) {
    add(site.lost);
    for (const auto& [name, count] : site.types) add(count);
  }
  return sum;
}

void UnloadedCounts::AddAll(const UnloadedCounts& other) {
  std::map<uint32_t, uint64_t> sums(counters.begin(), counters.end());
  for (const auto& [number, count] : other.counters) sums[number] += count;
  counters.assign(sums.begin(), sums.end());
  std::map<uint32_t, Site> by_number;
  const auto add = [&](const std::vector<Site>& all) {
    for (const Site& site : all) {
      Site& into = by_number[site.number];
      into.number = site.number;
      AddTypes(site, &into);
    }
  };
  add(sites);
  add(other.sites);
  sites.clear();
  for (auto& [number, site] : by_number) sites.push_back(std::move(site));
}

std::vector<uint8_t> EncodeCounts(const UnloadedCounts& counts, NameTable& names) {
  std::vector<uint8_t> out;
  PutVarint(counts.counters.size(), &out);
  uint32_t last = 0;
  for (const auto& [number, count] : counts.counters) {
    PutVarint(number - last, &out);
    PutVarint(count, &out);
    last = number;
  }
  PutVarint(counts.sites.size(), &out);
  last = 0;
  for (const UnloadedCounts::Site& site : counts.sites) {
    PutVarint(site.number - last, &out);
    last = site.number;
    PutVarint(site.lost, &out);
    PutVarint(site.types.size(), &out);
    for (const auto& [name, count] : site.types) {
      PutVarint(static_cast<uint32_t>(names.Add(name)), &out);
      PutVarint(count, &out);
    }
  }
  return out;
}

UnloadedCounts DecodeCounts(std::span<const uint8_t> bytes, const NameTable& names) {
  UnloadedCounts counts;
  VarintReader in(bytes);
  counts.counters.resize(in.Next());
  uint32_t last = 0;
  for (auto& [number, count] : counts.counters) {
    number = last += in.Next32();
    count = in.Next();
  }
  counts.sites.resize(in.Next());
  last = 0;
  for (UnloadedCounts::Site& site : counts.sites) {
    site.number = last += in.Next32();
    site.lost = in.Next();
    site.types.resize(in.Next());
    for (auto& [name, count] : site.types) {
      name = names.Text(NameId{in.Next32()});
      count = in.Next();
    }
  }
  return counts;
}

void ForEachTypeName(std::span<const uint8_t> bytes, const std::function<void(NameId)>& visit) {
  VarintReader in(bytes);
  for (uint64_t left = in.Next(); left > 0; --left) {
    in.Next();
    in.Next();
  }
  for (uint64_t sites = in.Next(); sites > 0; --sites) {
    in.Next();
    in.Next();
    for (uint64_t types = in.Next(); types > 0; --types) {
      visit(NameId{in.Next32()});
      in.Next();
    }
  }
}

}  // namespace iprof
