// wire/group_messages.h: groups as members of a job (core/groups.h): who is a rank of which group,
// who computes, who is live; and the rounds in which the sums of groups are added up.
//
// The functions of a message are those of wire/row_messages.h.
// Thread-safe: no state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "godwit/ids.h"
#include "godwit/result.h"
#include "wire/frame_view.h"
#include "wire/frame_writer.h"

namespace godwit {

// The sender is a rank of a group. To the coordinator, which answers by GroupsNow once all ranks
// are there, or by Refused.
struct GroupJoins {
  static constexpr PartType kType = PartType::kGroupJoins;

  std::uint64_t request = 0;
  std::uint64_t incarnation = 0;  // of the group
  std::uint32_t group = 0;
  std::uint32_t rank = 0;
  std::uint32_t size = 0;  // above rank

  std::size_t part_bytes() const;
  void append_to(FrameWriter& writer) const;
  static Result<GroupJoins> decode(const PartView& part);
};

// The sender's group computes, and is in this step. To the coordinator.
struct GroupProgress {
  static constexpr PartType kType = PartType::kGroupProgress;

  std::uint64_t step = 0;

  std::size_t part_bytes() const;
  void append_to(FrameWriter& writer) const;
  static Result<GroupProgress> decode(const PartView& part);
};

// The sender is no rank any longer. To the coordinator.
struct GroupLeaves {
  static constexpr PartType kType = PartType::kGroupLeaves;

  std::size_t part_bytes() const;
  void append_to(FrameWriter& writer) const;
  static Result<GroupLeaves> decode(const PartView& part);
};

// A group in one of its lives: from when all its ranks have joined until one is gone.
struct GroupRecord {
  std::uint64_t life = 0;
  std::uint32_t group = 0;
  std::uint32_t size = 0;  // ranks

  friend bool operator==(const GroupRecord&, const GroupRecord&) = default;
};
static_assert(sizeof(GroupRecord) == 16);

// All live groups. From the coordinator to servers and to ranks, with every change.
struct GroupsNow {
  static constexpr PartType kType = PartType::kGroupsNow;

  std::uint64_t version = 0;
  std::uint64_t round = 0;  // that is going on
  std::span<const GroupRecord> live = {};

  std::size_t part_bytes() const;
  void append_to(FrameWriter& writer) const;
  static Result<GroupsNow> decode(const PartView& part);
};

// The sender, a rank, has sent all that it has for a round to the addressee, a server.
struct RoundPart {
  static constexpr PartType kType = PartType::kRoundPart;

  std::uint64_t round = 0;
  std::uint64_t life = 0;
  std::uint32_t group = 0;
  std::uint32_t rank = 0;
  std::uint32_t size = 0;  // above rank

  std::size_t part_bytes() const;
  void append_to(FrameWriter& writer) const;
  static Result<RoundPart> decode(const PartView& part);
};

// The sender, a server, has all that a group has for it in a round. To the coordinator.
struct RoundReady {
  static constexpr PartType kType = PartType::kRoundReady;

  std::uint64_t round = 0;
  std::uint64_t life = 0;
  std::uint32_t group = 0;

  std::size_t part_bytes() const;
  void append_to(FrameWriter& writer) const;
  static Result<RoundReady> decode(const PartView& part);
};

// The round ends, with the sums of these groups and of no others. From the coordinator to servers.
struct RoundEnds {
  static constexpr PartType kType = PartType::kRoundEnds;

  std::uint64_t round = 0;
  std::span<const GroupRecord> chosen = {};

  std::size_t part_bytes() const;
  void append_to(FrameWriter& writer) const;
  static Result<RoundEnds> decode(const PartView& part);
};

}  // namespace godwit
