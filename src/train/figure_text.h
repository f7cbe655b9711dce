// train/figure_text.h: figures of tasks as people read them. Pure.
#pragma once

#include <string>
#include <string_view>

namespace godwit {

// Counts without decimals ("7,027"), perplexities with one, all others with four.
std::string figure_text(std::string_view name, double value);

}  // namespace godwit
