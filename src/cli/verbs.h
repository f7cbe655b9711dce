// cli/verbs.h: one function per verb; each adds its options and says what to run.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <iosfwd>

namespace godwit {

// What the command line chose; called after all of it was understood. Returns the exit code.
using Action = std::function<int(std::ostream& out, std::ostream& err)>;

// Each adds a verb to `app` and sets `action` if that verb is given.
void add_demo_verb(CLI::App& app, Action& action);
void add_bench_verb(CLI::App& app, Action& action);
void add_sim_verb(CLI::App& app, Action& action);

}  // namespace godwit
