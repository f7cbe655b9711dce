// wire/step_messages.cc: codecs of steps.
//
//   step begins    u64 step, u64 samples, u32 late_max, u8 is_last, u8 keeps_reference,
//                  u8 tells_movement, u8 zero, u32 chosen_count, u32 share_count,
//                  {u64 step, u32 node, u32 worker} chosen[], {u64 first, u32 count, u32 worker}
//                  shares[]
//   step result    u64 step, u32 worker, u32 samples, f64 loss, f64 half_difference,
//                  i64 compute_ns, i64 spared_ns, u8 is_whole
//   step movement  u64 step, f64 distance, f64 turn, f64 gradient
//   join steps     u32 count, u32 workers[], u16 how_size, how
//
// Thread-safe: no state.
#include "wire/step_messages.h"

#include <bit>

#include "base/try.h"
#include "wire/payload.h"

namespace godwit {
namespace {

constexpr std::size_t kBeginsHeadBytes = 32;
constexpr std::size_t kResultBytes = 49;
constexpr std::size_t kMovementBytes = 32;
constexpr std::size_t kJoinHeadBytes = 6;

void write_f64(PayloadWriter& payload, double value) {
  payload.write_u64(std::bit_cast<std::uint64_t>(value));
}

double read_f64(PayloadReader& reader) {
  return std::bit_cast<double>(reader.read_u64());
}

std::size_t begins_payload(const StepBegins& begins) {
  return kBeginsHeadBytes + begins.chosen.size_bytes() + begins.shares.size_bytes();
}

}  // namespace

std::size_t StepBegins::part_bytes() const {
  return part_bytes_for(begins_payload(*this));
}

void StepBegins::append_to(FrameWriter& writer) const {
  PayloadWriter payload(writer, kType, begins_payload(*this));
  payload.write_u64(step);
  payload.write_u64(samples);
  payload.write_u32(late_max);
  payload.write_u8(is_last ? 1 : 0);
  payload.write_u8(keeps_reference ? 1 : 0);
  payload.write_u8(tells_movement ? 1 : 0);
  payload.write_zeros(1);
  payload.write_count(chosen.size());
  payload.write_count(shares.size());
  payload.write_array(chosen);
  payload.write_array(shares);
  payload.finish();
}

Result<StepBegins> StepBegins::decode(const PartView& part) {
  PayloadReader reader(part, kType);
  StepBegins begins{.step = reader.read_u64(),
                    .samples = reader.read_u64(),
                    .late_max = reader.read_u32(),
                    .is_last = reader.read_bool("is_last"),
                    .keeps_reference = reader.read_bool("keeps_reference"),
                    .tells_movement = reader.read_bool("tells_movement")};
  reader.read_zeros(1);
  const std::uint32_t chosen_count = reader.read_u32();
  const std::uint32_t share_count = reader.read_u32();
  if (begins.step == 0) reader.refuse("step", "is 0");
  begins.chosen = reader.read_array<ChosenRecord>("chosen", chosen_count);
  begins.shares = reader.read_array<ShareRecord>("shares", share_count);
  GODWIT_TRY(reader.finish());
  return begins;
}

std::size_t StepResult::part_bytes() const {
  return part_bytes_for(kResultBytes);
}

void StepResult::append_to(FrameWriter& writer) const {
  PayloadWriter payload(writer, kType, kResultBytes);
  payload.write_u64(step);
  payload.write_id(worker);
  payload.write_u32(samples);
  write_f64(payload, loss);
  write_f64(payload, half_difference);
  payload.write_i64(compute_ns);
  payload.write_i64(spared_ns);
  payload.write_u8(is_whole ? 1 : 0);
  payload.finish();
}

Result<StepResult> StepResult::decode(const PartView& part) {
  PayloadReader reader(part, kType);
  StepResult result{.step = reader.read_u64(), .worker = reader.read_id<WorkerId>()};
  result.samples = reader.read_u32();
  result.loss = read_f64(reader);
  result.half_difference = read_f64(reader);
  result.compute_ns = reader.read_i64();
  result.spared_ns = reader.read_i64();
  result.is_whole = reader.read_bool("is_whole");
  if (result.compute_ns < 0 || result.spared_ns < 0) reader.refuse("time", "is negative");
  GODWIT_TRY(reader.finish());
  return result;
}

std::size_t StepMovement::part_bytes() const {
  return part_bytes_for(kMovementBytes);
}

void StepMovement::append_to(FrameWriter& writer) const {
  PayloadWriter payload(writer, kType, kMovementBytes);
  payload.write_u64(step);
  write_f64(payload, distance);
  write_f64(payload, turn);
  write_f64(payload, gradient);
  payload.finish();
}

Result<StepMovement> StepMovement::decode(const PartView& part) {
  PayloadReader reader(part, kType);
  StepMovement movement{.step = reader.read_u64()};
  movement.distance = read_f64(reader);
  movement.turn = read_f64(reader);
  movement.gradient = read_f64(reader);
  GODWIT_TRY(reader.finish());
  return movement;
}

std::size_t JoinSteps::part_bytes() const {
  return part_bytes_for(kJoinHeadBytes + workers.size_bytes() + how.size());
}

void JoinSteps::append_to(FrameWriter& writer) const {
  PayloadWriter payload(writer, kType, kJoinHeadBytes + workers.size_bytes() + how.size());
  payload.write_count(workers.size());
  payload.write_array(workers);
  payload.write_string(how, kHowBytesMax);
  payload.finish();
}

Result<JoinSteps> JoinSteps::decode(const PartView& part) {
  PayloadReader reader(part, kType);
  const std::uint32_t count = reader.read_u32();
  JoinSteps join{.workers = reader.read_array<std::uint32_t>("workers", count)};
  join.how = reader.read_string("how", kHowBytesMax);
  GODWIT_TRY(reader.finish());
  return join;
}

}  // namespace godwit
