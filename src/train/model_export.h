// train/model_export.h: which numbers of a trained model are worth exporting. Pure but for reading.
#pragma once

#include <string>

#include "godwit/result.h"
#include "train/exporters.h"
#include "train/saved_model.h"

namespace godwit {

// A table without what only its optimizer needs: of mf the factors and the bias of each row, of
// others all values. Errors of SavedModel::read().
Result<VectorTable> exported_table(const SavedModel& model, const std::string& table);

}  // namespace godwit
