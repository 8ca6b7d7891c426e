#pragma once

// The argument of attention_float64, passed by value. Compiled by the host too, which fills it in. All tensors are
// contiguous: Q [B, Hq, Sq, D], K and V [B, Hkv, Sk, D].

struct ReferenceProblem {
  const unsigned short* q;
  const unsigned short* k;
  const unsigned short* v;
  const long long* rows;       // [count] (b * Hq + h) * Sq + i, ascending; null: row r is r
  double* output;              // [count, columns]
  double* scratch;             // [blocks, Sk] scores, then weights
  float* plain_scratch;        // [blocks, Sk]
  unsigned long long* maxima;  // [2] bits of two doubles: the largest |output|, the plain implementation's largest error
  long long first_row;         // the rows of this launch: from the first up to, without, the last
  long long last_row;
  int query_heads;
  int key_heads;
  int queries;
  int keys;
  int head_dim;                // a multiple of 8, at most 256
  int is_causal;
  int is_bf16;
  int is_scores;               // the result is Q K^T / sqrt(D), [count, Sk], without a mask
};

// The element of a result that differs most from the reference.
struct WorstElement {
  unsigned long long difference;  // bits of a double that is not negative; all ones for NaN
  long long element;              // in the reference's order
};

// Rows of a result with elements that still hold the fill value.
struct PoisonedRows {
  long long count;
  long long in_part;  // of these, rows with other elements too
  long long first;    // the first of them
};
