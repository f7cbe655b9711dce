// wire/table_messages.cc: codecs of specs and of opening and dropping tables.
//
//   spec         u64 rows, u32 row_length, u8 rule, u8 init, u8 consistency, u8 accept_nonfinite,
//                u8 placement, u8 codec, u8 scratch, u8 zero, f32 learning_rate, f32 mu, f32 beta1,
//                f32 beta2, f32 epsilon, f32 init_scale, u64 init_seed, i64 staleness,
//                u16 name_bytes, name
//   outcome      u8 ok, u8 code, u16 text_bytes, text; code and text_bytes are 0 if ok
//   open table   u64 request, u32 origin, spec
//   make table   u32 table, spec
//   made table   u32 table, outcome
//   table ready  u64 request, u32 table, outcome
//   drop table   u32 table
//
// Thread-safe: no state.
#include "wire/table_messages.h"

#include "base/try.h"
#include "wire/payload.h"

namespace godwit {
namespace {

// What travels must keep its number.
static_assert(static_cast<int>(RuleKind::kAdd) == 0 && static_cast<int>(RuleKind::kSgd) == 1 &&
              static_cast<int>(RuleKind::kMomentum) == 2 &&
              static_cast<int>(RuleKind::kAdagrad) == 3 && static_cast<int>(RuleKind::kAdam) == 4 &&
              static_cast<int>(RuleKind::kElastic) == 5 && static_cast<int>(RuleKind::kOuter) == 6);
static_assert(static_cast<int>(InitKind::kZeros) == 0 &&
              static_cast<int>(InitKind::kConstant) == 1 &&
              static_cast<int>(InitKind::kUniform) == 2 &&
              static_cast<int>(InitKind::kNormal) == 3);
static_assert(static_cast<int>(Placement::kIntent) == 0 &&
              static_cast<int>(Placement::kReplicateOnly) == 5);
static_assert(static_cast<int>(ConsistencyKind::kAsync) == 0 &&
              static_cast<int>(ConsistencyKind::kSsp) == 1 &&
              static_cast<int>(ConsistencyKind::kBsp) == 2 &&
              static_cast<int>(ConsistencyKind::kAuto) == 3);

constexpr std::size_t kSpecHeadBytes = 62;
constexpr std::size_t kOutcomeHeadBytes = 4;

std::size_t spec_bytes(const TableSpec& spec) {
  return kSpecHeadBytes + spec.name.size();
}

void write_spec(PayloadWriter& payload, const TableSpec& spec) {
  payload.write_u64(spec.rows);
  payload.write_u32(spec.row_length);
  payload.write_enum(spec.rule.kind);
  payload.write_enum(spec.init.kind);
  payload.write_enum(spec.consistency.kind);
  payload.write_u8(spec.accept_nonfinite ? 1 : 0);
  payload.write_enum(spec.placement);
  payload.write_enum(spec.codec);
  payload.write_u8(spec.scratch ? 1 : 0);
  payload.write_zeros(1);
  payload.write_f32(spec.rule.learning_rate);
  payload.write_f32(spec.rule.mu);
  payload.write_f32(spec.rule.beta1);
  payload.write_f32(spec.rule.beta2);
  payload.write_f32(spec.rule.epsilon);
  payload.write_f32(spec.init.scale);
  payload.write_u64(spec.init.seed);
  payload.write_i64(spec.consistency.staleness);
  payload.write_string(spec.name, kNameBytesMax);
}

TableSpec read_spec(PayloadReader& reader) {
  const std::uint64_t rows = reader.read_u64();
  const std::uint32_t row_length = reader.read_u32();
  const auto rule = reader.read_enum("rule", RuleKind::kOuter);
  const auto init = reader.read_enum("init", InitKind::kNormal);
  const auto consistency = reader.read_enum("consistency", ConsistencyKind::kAuto);
  const bool accept_nonfinite = reader.read_bool("accept_nonfinite");
  const auto placement = reader.read_enum("placement", Placement::kReplicateOnly);
  const auto codec = reader.read_enum("codec", Codec::kInt8);
  const bool scratch = reader.read_bool("scratch");
  reader.read_zeros(1);
  // Every field is given: their defaults are functions of store.
  TableSpec spec{.name = {},
                 .rows = rows,
                 .row_length = row_length,
                 .rule = {.kind = rule,
                          .learning_rate = reader.read_f32(),
                          .mu = reader.read_f32(),
                          .beta1 = reader.read_f32(),
                          .beta2 = reader.read_f32(),
                          .epsilon = reader.read_f32()},
                 .init = {.kind = init, .scale = reader.read_f32(), .seed = reader.read_u64()},
                 .consistency = {.kind = consistency, .staleness = reader.read_i64()},
                 .accept_nonfinite = accept_nonfinite,
                 .placement = placement,
                 .codec = codec,
                 .scratch = scratch};
  spec.name = reader.read_string("name", kNameBytesMax);
  return spec;
}

// Of MadeTable and TableReady.
template <class Message>
std::string_view sent_text(const Message& message) {
  return message.ok ? std::string_view() : shortened(message.text);
}

template <class Message>
void write_outcome(PayloadWriter& payload, const Message& message) {
  payload.write_u8(message.ok ? 1 : 0);
  payload.write_enum(message.ok ? ErrorCode{} : message.code);
  payload.write_string(sent_text(message), kTextBytesMax);
}

template <class Message>
void read_outcome(PayloadReader& reader, Message& message) {
  message.ok = reader.read_bool("ok");
  message.code = reader.read_enum("code", kErrorCodeLast);
  message.text = reader.read_string("text", kTextBytesMax);
  if (message.ok && message.code != ErrorCode{}) reader.refuse("code", "is set though it is ok");
  if (message.ok && !message.text.empty()) reader.refuse("text", "is there though it is ok");
}

}  // namespace

std::size_t OpenTable::part_bytes() const {
  return part_bytes_for(12 + spec_bytes(spec));
}

void OpenTable::append_to(FrameWriter& writer) const {
  PayloadWriter payload(writer, kType, 12 + spec_bytes(spec));
  payload.write_u64(request);
  payload.write_id(origin);
  write_spec(payload, spec);
  payload.finish();
}

Result<OpenTable> OpenTable::decode(const PartView& part) {
  PayloadReader reader(part, kType);
  OpenTable open{
      .request = reader.read_u64(), .origin = reader.read_id<NodeId>(), .spec = read_spec(reader)};
  GODWIT_TRY(reader.finish());
  return open;
}

std::size_t MakeTable::part_bytes() const {
  return part_bytes_for(4 + spec_bytes(spec));
}

void MakeTable::append_to(FrameWriter& writer) const {
  PayloadWriter payload(writer, kType, 4 + spec_bytes(spec));
  payload.write_id(table);
  write_spec(payload, spec);
  payload.finish();
}

Result<MakeTable> MakeTable::decode(const PartView& part) {
  PayloadReader reader(part, kType);
  MakeTable make{.table = reader.read_id<TableId>(), .spec = read_spec(reader)};
  GODWIT_TRY(reader.finish());
  return make;
}

std::size_t MadeTable::part_bytes() const {
  return part_bytes_for(4 + kOutcomeHeadBytes + sent_text(*this).size());
}

void MadeTable::append_to(FrameWriter& writer) const {
  PayloadWriter payload(writer, kType, 4 + kOutcomeHeadBytes + sent_text(*this).size());
  payload.write_id(table);
  write_outcome(payload, *this);
  payload.finish();
}

Result<MadeTable> MadeTable::decode(const PartView& part) {
  PayloadReader reader(part, kType);
  MadeTable made{.table = reader.read_id<TableId>()};
  read_outcome(reader, made);
  GODWIT_TRY(reader.finish());
  return made;
}

std::size_t TableReady::part_bytes() const {
  return part_bytes_for(12 + kOutcomeHeadBytes + sent_text(*this).size());
}

void TableReady::append_to(FrameWriter& writer) const {
  PayloadWriter payload(writer, kType, 12 + kOutcomeHeadBytes + sent_text(*this).size());
  payload.write_u64(request);
  payload.write_id(table);
  write_outcome(payload, *this);
  payload.finish();
}

Result<TableReady> TableReady::decode(const PartView& part) {
  PayloadReader reader(part, kType);
  TableReady ready{.request = reader.read_u64(), .table = reader.read_id<TableId>()};
  read_outcome(reader, ready);
  GODWIT_TRY(reader.finish());
  return ready;
}

std::size_t DropTable::part_bytes() const {
  return part_bytes_for(4);
}

void DropTable::append_to(FrameWriter& writer) const {
  PayloadWriter payload(writer, kType, 4);
  payload.write_id(table);
  payload.finish();
}

Result<DropTable> DropTable::decode(const PartView& part) {
  PayloadReader reader(part, kType);
  const DropTable drop{.table = reader.read_id<TableId>()};
  GODWIT_TRY(reader.finish());
  return drop;
}

}  // namespace godwit
