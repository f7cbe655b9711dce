// launch/host_list.h: Slurm's short form of many host names, "n[1-4,07]-ib,m2", written out.
// Thread-safe: no state.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "godwit/result.h"

namespace godwit {

inline constexpr std::size_t kHostsMax = 65536;

// The hosts in the order of the list: "n[1-2,07]" is n1, n2, n07. kInvalidArgument, naming the
// list, if it is not well-formed, empty or of more than kHostsMax hosts.
Result<std::vector<std::string>> expand_host_list(std::string_view list);

}  // namespace godwit
