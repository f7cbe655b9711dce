// core/exchange_call.cc: codes rows against what is known on the other side, and back.
#include "core/exchange_call.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "base/errors.h"
#include "base/try.h"
#include "core/exchanges.h"
#include "core/peers.h"
#include "store/row_kernels.h"

namespace godwit {
namespace {

// As requests for rows (core/router.cc): larger ones travel in parts.
constexpr std::size_t kRequestBytes = std::size_t{4} << 20;
constexpr std::size_t kRequestsMax = 2048;

}  // namespace

Result<> ExchangeCall::check(const Target& target, std::span<const Key> keys) const {
  GODWIT_TRY(check_exchange_table(*target.spec, options_.mode));
  GODWIT_TRY(check_exchange_keys(*target.spec, keys));
  if (values_.size() != keys.size() * length_) {
    return invalid_argument("{} values for {} rows of {} floats", values_.size(), keys.size(),
                            length_);
  }
  if (!all_finite(values_)) {
    return invalid_argument("an exchange with table '{}' has a NaN or an infinity",
                            target.spec->name);
  }
  const float share = options_.compression.share;
  if (options_.compression.codec == ExchangeCodec::kTopK && !(share > 0 && share <= 1)) {
    return invalid_argument("a share of {} of each row: it must be above 0, at most 1", share);
  }
  if (options_.mode != ExchangeMode::kSync) return {};
  if (!target.group) return invalid_argument("a sync exchange of a node that is in no group");
  if (options_.round == 0) return invalid_argument("a sync exchange for round 0: they begin at 1");
  return {};
}

Result<std::vector<OutgoingRequest>> ExchangeCall::begin(
    const PartitionMap& map, const Target& target, const ExchangeOptions& options,
    std::span<const Key> keys, std::span<float> values, ExchangeMemory& memory) {
  target_ = target;
  options_ = options;
  values_ = values;
  length_ = target.spec->row_length;
  memory_ = &memory;
  GODWIT_TRY(check(target, keys));
  if (is_compressed() && memory.is_busy) {
    return invalid_argument("an exchange of rows from {} of table '{}' is under way already",
                            keys.empty() ? 0 : keys[0], target.spec->name);
  }
  const bool is_known =
      !memory.shadow.empty() &&
      std::equal(keys.begin(), keys.end(), memory.keys.begin(), memory.keys.end());
  const auto floats = static_cast<std::uint32_t>(length_);
  head_ = {.round = options.round,
           .samples = options.samples,
           .table = target.table,
           .mode = options.mode,
           .codec = {.floats = floats},
           .is_whole = !is_compressed() || !is_known,
           .keeps_shadow = is_compressed()};
  if (target.group) {
    head_.group = target.group->group;
    head_.life = target.group->life;
  }
  if (is_compressed() && !is_known) {
    memory.clear();
    memory.keys.assign(keys.begin(), keys.end());
    memory.shadow.assign(values.size(), 0.0F);
    if (!has_parameters()) memory.residual.assign(values.size(), 0.0F);
  }
  const bool is_coded =
      !head_.is_whole && encode(ExchangeRowCodec::of(options.compression, floats));
  if (is_coded) {
    const ExchangeCodec codec = options.compression.codec;
    head_.codec = ExchangeRowCodec::of(options.compression, floats);
    head_.reply = codec == ExchangeCodec::kTopK ? ExchangeCodec::kBf16 : codec;
  } else {
    head_.is_whole = true;
    GODWIT_CHECK(encode(head_.codec));
  }
  memory.is_busy = is_compressed();
  return write(map, keys);
}

bool ExchangeCall::encode(const ExchangeRowCodec& codec) {
  const std::size_t words = codec.words();
  const std::size_t count = values_.size() / length_;
  const bool is_difference =
      has_parameters() && !head_.is_whole && codec.codec != ExchangeCodec::kFp32;
  const bool has_residual = is_compressed() && !has_parameters();
  words_.resize(count * words);
  sent_.assign(values_.begin(), values_.end());
  std::vector<float> residual;
  row_.resize(length_);
  for (std::size_t i = 0; i < count; ++i) {
    const auto row = std::span(sent_).subspan(i * length_, length_);
    const float* const known = is_compressed() ? memory_->shadow.data() + i * length_ : nullptr;
    for (std::size_t j = 0; j < length_; ++j) {
      if (is_difference) row[j] -= known[j];
      if (has_residual) row[j] += memory_->residual[i * length_ + j];
    }
    const auto coded = std::span(words_).subspan(i * words, words);
    if (!codec.encode(row, coded) || !codec.decode(coded, row_)) return false;
    for (std::size_t j = 0; j < length_; ++j) {
      if (has_residual) residual.push_back(row[j] - row_[j]);
      row[j] = is_difference ? known[j] + row_[j] : row_[j];
    }
  }
  if (has_residual) memory_->residual = std::move(residual);
  return true;
}

std::vector<OutgoingRequest> ExchangeCall::write(const PartitionMap& map,
                                                 std::span<const Key> keys) {
  split_.by(keys, map.nodes(), [&](Key key) { return map.home(target_.table, key); });
  const std::size_t rows_max = std::max(kRequestBytes / (length_ * sizeof(float) + sizeof(Key)),
                                        keys.size() / kRequestsMax + 1);
  const std::size_t words = head_.codec.words();
  std::vector<OutgoingRequest> requests;
  positions_.clear();
  for (const KeySplit::Group& group : split_.groups()) {
    for (std::size_t begin = 0; begin < group.positions.size(); begin += rows_max) {
      const auto positions =
          group.positions.subspan(begin, std::min(rows_max, group.positions.size() - begin));
      head_.request = Waits::wire_number(target_.ticket, requests.size());
      FrameWriter writer(Exchange::part_bytes(positions.size(), head_.codec), kFirstTerm);
      const Exchange::Room room = Exchange::begin(writer, head_, positions.size());
      for (std::size_t i = 0; i < positions.size(); ++i) {
        room.keys[i] = keys[positions[i]];
        std::memcpy(room.words.data() + i * words, words_.data() + positions[i] * words,
                    words * sizeof(std::uint32_t));
      }
      positions_.push_back(positions);
      requests.push_back({group.node, positions, writer.finish()});
    }
  }
  return requests;
}

Result<Exchanged> ExchangeCall::read(const Arrived& answer) const {
  const std::uint64_t number = Waits::wire_number(target_.ticket, answer.request);
  GODWIT_TRY_ASSIGN(const FrameView view, open_frame(answer.frame->bytes()));
  for (const PartView part : view) {
    if (part.type != PartType::kExchanged) continue;
    GODWIT_TRY_ASSIGN(const Exchanged exchanged, Exchanged::decode(part));
    if (exchanged.request != number) continue;
    const bool is_difference = exchanged.codec.codec != ExchangeCodec::kFp32;
    if (exchanged.codec.floats == length_ && exchanged.count == positions_[answer.request].size() &&
        (is_compressed() || !is_difference)) {
      return exchanged;
    }
  }
  return corruption("node {} answered an exchange with other rows than it was sent",
                    answer.owner.value());
}

// Of one row, which is at `position` of the values.
void ExchangeCall::take(const Exchanged& answer, std::size_t row, std::size_t position) {
  const std::size_t words = answer.codec.words();
  GODWIT_CHECK(answer.codec.decode(answer.words.subspan(row * words, words), row_));
  const bool is_difference = answer.codec.codec != ExchangeCodec::kFp32;
  float* const value = values_.data() + position * length_;
  const float* const sent = sent_.data() + position * length_;
  float* const shadow = is_compressed() ? memory_->shadow.data() + position * length_ : nullptr;
  for (std::size_t j = 0; j < length_; ++j) {
    if (options_.mode == ExchangeMode::kElastic) {
      value[j] = value[j] - row_[j];
      if (shadow != nullptr) shadow[j] = sent[j] - row_[j];
      continue;
    }
    const float base = has_parameters() || shadow == nullptr ? sent[j] : shadow[j];
    value[j] = is_difference ? base + row_[j] : row_[j];
    if (shadow != nullptr) shadow[j] = value[j];
  }
}

Result<ExchangeOutcome> ExchangeCall::finish(std::span<const Arrived> answers) {
  ExchangeOutcome outcome;
  std::vector<Exchanged> all;
  for (const Arrived& answer : answers) {
    GODWIT_TRY_ASSIGN(const Exchanged exchanged, read(answer));
    all.push_back(exchanged);
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto positions = positions_[answers[i].request];
    for (std::size_t row = 0; row < positions.size(); ++row) take(all[i], row, positions[row]);
    outcome.live_groups = std::max<std::int64_t>(outcome.live_groups, all[i].live);
    outcome.alpha = std::max(outcome.alpha, all[i].alpha);
    outcome.next_round = std::max(outcome.next_round, all[i].next_round);
    outcome.is_counted = outcome.is_counted && all[i].is_counted;
  }
  memory_->is_busy = false;
  return outcome;
}

}  // namespace godwit
