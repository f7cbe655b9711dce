// base/replace_file.h: a file that is the old one or the new one, never a part of it.
// Thread-safe for different paths.
#pragma once

#include <string>
#include <string_view>

#include "base/disk.h"
#include "godwit/result.h"

namespace godwit {

// Writes `path`.tmp, syncs it, gives it the name `path` and syncs the directory: after success it
// survives a crash. After a failure, which names the path, what was there before still is.
Result<> replace_file(Disk& disk, const std::string& path, std::string_view content);

}  // namespace godwit
