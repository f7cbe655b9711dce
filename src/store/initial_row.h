// store/initial_row.h: what a row holds before anyone writes it. Pure functions.
#pragma once

#include <span>

#include "godwit/ids.h"
#include "godwit/table_spec.h"

namespace godwit {

// Fills `values` with the row's initial values: a function of (init, key) alone, the same bits on
// every machine.
void fill_initial(const Init& init, Key key, std::span<float> values);

// The standard normal quantile of p in (0, 1), computed with + - * / and sqrt only.
double normal_quantile(double p);

}  // namespace godwit
