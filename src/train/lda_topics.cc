// train/lda_topics.cc: per piece the first document, their number, and each one's topics.
#include "train/lda_topics.h"

#include <algorithm>
#include <cstring>

#include "base/bytes.h"
#include "base/errors.h"
#include "base/try.h"

namespace godwit {

std::string pack_topics(const LdaTokens& tokens, std::span<const std::uint16_t> topics,
                        std::uint64_t first, std::uint64_t last) {
  std::vector<std::byte> bytes;
  bytes.reserve(2 * sizeof(std::uint64_t) + 4 * (last - first) +
                2 * (tokens.begins[last] - tokens.begins[first]));
  ByteWriter writer(bytes);
  writer.write_u64(first);
  writer.write_u64(last);
  for (std::uint64_t document = first; document < last; ++document) {
    const std::uint64_t begin = tokens.begins[document];
    const std::uint64_t end = tokens.begins[document + 1];
    writer.write_count(end - begin);
    for (std::uint64_t i = begin; i < end; ++i) writer.write_u16(topics[i]);
  }
  std::string text(bytes.size(), '\0');
  std::memcpy(text.data(), bytes.data(), bytes.size());
  return text;
}

Result<> unpack_topics(const std::map<std::string, std::string>& packed, const LdaTokens& tokens,
                       std::size_t topic_count, std::uint64_t first, std::uint64_t last,
                       std::span<std::uint16_t> topics) {
  std::uint64_t found = 0;
  for (const auto& [name, text] : packed) {
    ByteReader reader(std::as_bytes(std::span(text)));
    const std::uint64_t begin = reader.read_u64();
    const std::uint64_t end = reader.read_u64();
    if (begin > end || end >= tokens.begins.size()) {
      return invalid_argument(
          "{} has topics of the documents {} to {}, but there are {}: other data", name, begin, end,
          tokens.begins.size() - 1);
    }
    for (std::uint64_t document = begin; document < end && reader.ok(); ++document) {
      const std::uint64_t at = tokens.begins[document];
      const std::uint64_t length = tokens.begins[document + 1] - at;
      const std::size_t count = reader.read_count(UINT32_MAX, sizeof(std::uint16_t));
      if (reader.ok() && count != length) {
        return invalid_argument("{} has {} topics of document {}, which has {} tokens: other data",
                                name, count, document, length);
      }
      for (std::uint64_t i = at; i < at + length; ++i) {
        topics[i] = reader.read_u16();
        if (topics[i] >= topic_count && topics[i] != kNoTopic) {
          return invalid_argument("{} has topic {}, but there are {}", name, topics[i],
                                  topic_count);
        }
      }
    }
    GODWIT_TRY(reader.finish(name));
    const std::uint64_t from = std::max(begin, first);
    const std::uint64_t to = std::min(end, last);
    if (from < to) found += to - from;
  }
  if (found != last - first) {
    return invalid_argument("topics of {} documents are saved, but {} are needed", found,
                            last - first);
  }
  return {};
}

}  // namespace godwit
