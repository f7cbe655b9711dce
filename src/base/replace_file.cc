// base/replace_file.cc: write, sync, rename, sync.
#include "base/replace_file.h"

#include "base/try.h"

namespace godwit {
namespace {

Result<> write_synced(Disk& disk, const std::string& path, std::string_view content) {
  GODWIT_TRY_ASSIGN(const auto file, disk.open_write(path));
  GODWIT_TRY(file->append(std::as_bytes(std::span(content.data(), content.size()))));
  GODWIT_TRY(file->sync());
  return file->close();
}

std::string dir_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace

Result<> replace_file(Disk& disk, const std::string& path, std::string_view content) {
  const std::string temporary = path + ".tmp";
  Result<> written = write_synced(disk, temporary, content);
  if (written.ok()) written = disk.rename(temporary, path);
  if (!written.ok()) {
    (void)disk.remove(temporary);  // it may never have been made
    return written;
  }
  return disk.sync_dir(dir_of(path));
}

}  // namespace godwit
