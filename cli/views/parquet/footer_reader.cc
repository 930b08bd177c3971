#include "cli/views/parquet/footer_reader.h"

#include <algorithm>

#include "cli/views/parquet/thrift_compact.h"

namespace iprof::parquet {
namespace {

using Field = ThriftReader::Field;

struct SchemaElement {
  FooterColumn column;
  int64_t children = 0;
};

// Fields that have another type than the format says are skipped: their numbers are then 0.
int64_t IntegerOf(ThriftReader& in, Field field) {
  if (field.type == ThriftType::kI32 || field.type == ThriftType::kI64) return in.Integer();
  in.Skip(field.type);
  return 0;
}

std::string_view TextOf(ThriftReader& in, Field field) {
  if (field.type == ThriftType::kBinary) return in.Text();
  in.Skip(field.type);
  return {};
}

template <typename Visit>
void StructsOf(ThriftReader& in, Field field, Visit visit) {
  if (field.type != ThriftType::kList) return in.Skip(field.type);
  in.List([&](ThriftType type) {
    if (type == ThriftType::kStruct) return visit();
    in.Skip(type, true);
  });
}

SchemaElement ReadElement(ThriftReader& in) {
  SchemaElement element;
  in.Struct([&](Field field) {
    switch (field.number) {
      case 1:
        element.column.type = IntegerOf(in, field);
        break;
      case 3: {
        const int64_t repetition = IntegerOf(in, field);
        element.column.is_optional = repetition == kOptional;
        element.column.is_repeated = repetition != kRequired && repetition != kOptional;
        break;
      }
      case 4:
        element.column.name = TextOf(in, field);
        break;
      case 5:
        element.children = IntegerOf(in, field);
        break;
      default:
        in.Skip(field.type);
    }
  });
  return element;
}

FooterChunk ReadChunkData(ThriftReader& in) {
  FooterChunk chunk;
  in.Struct([&](Field field) {
    switch (field.number) {
      case 4:
        chunk.codec = IntegerOf(in, field);
        break;
      case 5:
        chunk.values = IntegerOf(in, field);
        break;
      case 7:
        chunk.bytes = IntegerOf(in, field);
        break;
      case 9:
        chunk.data_begin = IntegerOf(in, field);
        break;
      case 11:
        chunk.dictionary_begin = IntegerOf(in, field);
        break;
      default:
        in.Skip(field.type);
    }
  });
  return chunk;
}

FooterGroup ReadGroup(ThriftReader& in) {
  FooterGroup group;
  in.Struct([&](Field field) {
    if (field.number == 1) {
      StructsOf(in, field, [&] {
        group.chunks.emplace_back();
        in.Struct([&](Field of_chunk) {
          if (of_chunk.number == 3 && of_chunk.type == ThriftType::kStruct) {
            group.chunks.back() = ReadChunkData(in);
          } else {
            in.Skip(of_chunk.type);
          }
        });
      });
    } else if (field.number == 3) {
      group.rows = IntegerOf(in, field);
    } else {
      in.Skip(field.type);
    }
  });
  return group;
}

std::pair<std::string, std::string> ReadPair(ThriftReader& in) {
  std::pair<std::string, std::string> pair;
  in.Struct([&](Field field) {
    if (field.number == 1) {
      pair.first = TextOf(in, field);
    } else if (field.number == 2) {
      pair.second = TextOf(in, field);
    } else {
      in.Skip(field.type);
    }
  });
  return pair;
}

// The leaves of the schema, which are the columns; only those right below the root keep their names. The elements are in
// preorder.
std::optional<std::vector<FooterColumn>> LeavesOf(const std::vector<SchemaElement>& schema) {
  std::vector<FooterColumn> leaves;
  if (schema.empty()) return std::nullopt;
  std::vector<int64_t> left = {schema.front().children};  // of the open groups
  for (size_t i = 1; i < schema.size(); ++i) {
    while (!left.empty() && left.back() == 0) left.pop_back();
    if (left.empty()) return std::nullopt;
    --left.back();
    const SchemaElement& element = schema[i];
    if (element.children > 0) {
      left.push_back(element.children);
      continue;
    }
    leaves.push_back(element.column);
    if (left.size() > 1) leaves.back().name.clear();
  }
  return leaves;
}

}  // namespace

std::optional<Footer> ParseFooter(std::string_view bytes) {
  ThriftReader in(bytes);
  Footer footer;
  std::vector<SchemaElement> schema;
  in.Struct([&](Field field) {
    switch (field.number) {
      case 2:
        return StructsOf(in, field, [&] { schema.push_back(ReadElement(in)); });
      case 4:
        return StructsOf(in, field, [&] { footer.groups.push_back(ReadGroup(in)); });
      case 5:
        return StructsOf(in, field, [&] { footer.metadata.push_back(ReadPair(in)); });
      default:
        in.Skip(field.type);
    }
  });
  std::optional<std::vector<FooterColumn>> columns = LeavesOf(schema);
  if (!in.ok() || !columns) return std::nullopt;
  footer.columns = std::move(*columns);
  const bool fits = std::ranges::all_of(footer.groups, [&](const FooterGroup& group) {
    return group.chunks.size() == footer.columns.size();
  });
  if (!fits) return std::nullopt;
  return footer;
}

}  // namespace iprof::parquet
