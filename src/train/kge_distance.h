// train/kge_distance.h: distances between the vectors of questions and candidates, and back.
// Thread-safe: no state. Matrices are dense, in row-major order, with rows of `length` floats.
#pragma once

#include <cstddef>

namespace godwit {

struct DistanceShape {
  std::size_t questions = 0;
  std::size_t candidates = 0;
  std::size_t length = 0;
};

// scores[i][j] = -sum |q_i - e_j|.
void l1_scores(const DistanceShape& shape, const float* q, const float* e, float* scores);

// From `slopes`, the derivatives of a loss with respect to l1_scores, adds its derivatives with
// respect to q and e to `dq` and `de`.
void l1_gradients(const DistanceShape& shape, const float* q, const float* e, const float* slopes,
                  float* dq, float* de);

// Squared distances taken from products are off by some 1e-7 of the squared lengths. Below this
// share of them a distance is noise, and dividing by it would blow the noise up.
inline constexpr float kSquareShareMin = 1e-6F;

// products[j] = q * e_j becomes -||q - e_j||, from the squared lengths of q and of each e.
// Distances are at least a thousandth of the lengths (kSquareShareMin).
void l2_scores_from_products(float q_square, const float* e_squares, std::size_t candidates,
                             float* products);

// slopes[j] *= 1 / distance[j], where scores[j] is the negative distance; their sum comes back.
float divide_by_distances(const float* scores, std::size_t candidates, float* slopes);

float sum_of_squares(const float* x, std::size_t n);

}  // namespace godwit
