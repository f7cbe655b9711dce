// data/load.h: any source of the catalog, read as what a trainer needs, with parts to validate and
// to test on. Pure but for reading files. kInvalidArgument, saying what the source is good for, if
// it is of another kind; otherwise errors of the readers.
#pragma once

#include "data/catalog.h"
#include "data/corpus.h"
#include "data/images.h"
#include "data/ratings.h"
#include "data/sparse_rows.h"
#include "data/split.h"
#include "data/triples.h"
#include "godwit/result.h"

namespace godwit {

// Parts that the source lacks are split off by `spec`.
Result<Ratings> load_ratings(const DataSource& source, const SplitSpec& spec = {});
Result<Graph> load_graph(const DataSource& source, const SplitSpec& spec = {});
Result<SparseSet> load_sparse(const DataSource& source, const SplitSpec& spec = {});
// Of sources with parts, train only. WordNet's are the glosses of its synsets.
Result<Corpus> load_corpus(const DataSource& source, const CorpusOptions& options = {});
Result<ImageSet> load_images(const DataSource& source);

}  // namespace godwit
