#pragma once

// The one argument of every attention kernel of ours, passed by value. Compiled by the host too, which fills it in.
//
// Q and O are [B, Hq, Sq, D], K and V are [B, Hkv, Sk, D], logically: the strides say how they lie, so that [B, S, H, D]
// works unchanged. The last dimension is contiguous, and every row starts at a multiple of 16 bytes.
// V is finite: a tile multiplies the weight 0 of a masked key too. K may hold what a mask hides, infinite or not.
// What the compiler can use is a macro instead: HEAD_DIM (D), CAUSAL (0 or 1), DTYPE (fp16 or bf16).

struct TensorStrides {
  long long batch;  // [elements] from one batch to the next
  long long head;   // [elements] from one head to the next
  long long row;    // [elements] from one query or key to the next
};

struct AttentionProblem {
  const void* q;
  const void* k;
  const void* v;
  void* o;
  float* lse;  // [B, Hq, Sq] log-sum-exp of the scaled scores, natural logarithm; null when not wanted
  TensorStrides q_strides;
  TensorStrides k_strides;
  TensorStrides v_strides;
  TensorStrides o_strides;
  int batches;            // B
  int query_heads;        // Hq
  int key_heads;          // Hkv; query head h reads key head h / (Hq / Hkv)
  int queries;            // Sq
  int keys;               // Sk
  float softmax_scale;    // 1 / sqrt(D)
};
