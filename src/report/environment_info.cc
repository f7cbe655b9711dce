// report/environment_info.cc: uname, /proc and what CMake knows of the build.
#include "report/environment_info.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "base/parse_number.h"
#include "godwit/version.h"

namespace godwit {
namespace {

// Files of /proc say that they are empty, so they are read until they end.
std::string text_of(const char* path) {
  std::ostringstream text;
  const std::ifstream file(path);
  if (file) text << file.rdbuf();
  return std::move(text).str();
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") + 1 - first);
}

// What stands behind "name<blanks>:" on the first line that begins with the name.
std::string_view value_of(std::string_view text, std::string_view name) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || trimmed(line.substr(0, colon)) != name) continue;
    return trimmed(line.substr(colon + 1));
  }
  return {};
}

}  // namespace

std::string cpu_model(std::string_view cpuinfo) {
  // x86 says "model name"; others say what the board is, or nothing.
  for (const char* name : {"model name", "Model", "cpu model", "cpu"}) {
    const std::string_view value = value_of(cpuinfo, name);
    if (!value.empty()) return std::string(value);
  }
  return {};
}

std::uint64_t memory_total(std::string_view meminfo) {
  const std::string_view value = value_of(meminfo, "MemTotal");
  const std::string_view digits = value.substr(0, value.find(' '));
  return parse_number<std::uint64_t>(digits).value_or(0) * 1024;
}

EnvironmentInfo environment_of_this_machine() {
  EnvironmentInfo info;
  utsname system{};
  if (::uname(&system) == 0) {
    info.host = system.nodename;
    info.kernel = fmt::format("{} {}", system.sysname, system.release);
  }
  info.cores = std::thread::hardware_concurrency();
  info.cpu = cpu_model(text_of("/proc/cpuinfo"));
  info.memory_bytes = memory_total(text_of("/proc/meminfo"));
  info.compiler = GODWIT_COMPILER;
  info.build_type = GODWIT_BUILD_TYPE;
  info.version = GODWIT_VERSION;
  return info;
}

std::string to_json(const EnvironmentInfo& info) {
  nlohmann::ordered_json object;
  object["host"] = info.host;
  object["cores"] = info.cores;
  object["cpu"] = info.cpu;
  object["memory_bytes"] = info.memory_bytes;
  object["kernel"] = info.kernel;
  object["compiler"] = info.compiler;
  object["build_type"] = info.build_type;
  object["version"] = info.version;
  return object.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::vector<std::pair<std::string, std::string>> to_facts(const EnvironmentInfo& info) {
  std::vector<std::pair<std::string, std::string>> facts;
  const auto add = [&](const char* name, std::string value) {
    if (!value.empty()) facts.emplace_back(name, std::move(value));
  };
  add("host", info.host);
  add("processor", info.cpu);
  if (info.cores > 0) add("cores", std::to_string(info.cores));
  if (info.memory_bytes > 0) {
    constexpr double kGib = 1024.0 * 1024 * 1024;
    add("memory", fmt::format("{:.1f} GiB", static_cast<double>(info.memory_bytes) / kGib));
  }
  add("system", info.kernel);
  add("compiler", info.compiler);
  add("build", info.build_type);
  add("godwit", info.version);
  return facts;
}

}  // namespace godwit
