// wire/table_messages.h: opening and dropping tables. Any node asks the coordinator to open one;
// the coordinator has every node make it and then answers.
//
// The functions of a message are those of wire/row_messages.h. A spec is decoded if its enums and
// lengths are possible; whether it makes sense is for TableSpec::validate(), the receiver's call.
// Thread-safe: no state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "godwit/ids.h"
#include "godwit/result.h"
#include "godwit/table_spec.h"
#include "wire/frame_view.h"
#include "wire/frame_writer.h"

namespace godwit {

// REQUIRES of append_to(): spec.name has at most kNameBytesMax bytes.
struct OpenTable {
  static constexpr PartType kType = PartType::kOpenTable;

  std::uint64_t request = 0;
  NodeId origin = {};
  TableSpec spec;

  std::size_t part_bytes() const;
  void append_to(FrameWriter& writer) const;
  static Result<OpenTable> decode(const PartView& part);
};

// REQUIRES of append_to(): as for OpenTable.
struct MakeTable {
  static constexpr PartType kType = PartType::kMakeTable;

  TableId table = {};
  TableSpec spec;

  std::size_t part_bytes() const;
  void append_to(FrameWriter& writer) const;
  static Result<MakeTable> decode(const PartView& part);
};

// The sender has made the table, or says why it could not.
struct MadeTable {
  static constexpr PartType kType = PartType::kMadeTable;

  TableId table = {};
  bool ok = true;
  ErrorCode code = ErrorCode::kInvalidArgument;  // this and `text` travel only if !ok
  std::string_view text = {};                    // cut to kTextBytesMax; any bytes

  std::size_t part_bytes() const;
  void append_to(FrameWriter& writer) const;
  static Result<MadeTable> decode(const PartView& part);
};

// The answer to OpenTable.
struct TableReady {
  static constexpr PartType kType = PartType::kTableReady;

  std::uint64_t request = 0;
  TableId table = {};  // 0 if !ok and there is none
  bool ok = true;
  ErrorCode code = ErrorCode::kInvalidArgument;  // this and `text` travel only if !ok
  std::string_view text = {};                    // cut to kTextBytesMax; any bytes

  std::size_t part_bytes() const;
  void append_to(FrameWriter& writer) const;
  static Result<TableReady> decode(const PartView& part);
};

struct DropTable {
  static constexpr PartType kType = PartType::kDropTable;

  TableId table = {};

  std::size_t part_bytes() const;
  void append_to(FrameWriter& writer) const;
  static Result<DropTable> decode(const PartView& part);
};

}  // namespace godwit
