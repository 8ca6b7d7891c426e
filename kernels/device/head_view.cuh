#pragma once

#include "device/attention_problem.cuh"
#include "device/element.cuh"

// What one query head of one batch reads and writes. Rows are as far apart as the problem's strides say.
template <class Element>
struct HeadView {
  const Element* q;  // [Sq, D]
  const Element* k;  // [Sk, D] of the key head that this query head shares with its group
  const Element* v;  // [Sk, D]
  Element* o;        // [Sq, D]
  float* lse;        // [Sq], null when not wanted
};

template <class Element>
__device__ inline HeadView<Element> head_view(const AttentionProblem& problem, int batch, int head) {
  const auto start = [](TensorStrides strides, int batch, int head) {
    return batch * strides.batch + head * strides.head;
  };
  const int key_head = head / (problem.query_heads / problem.key_heads);
  HeadView<Element> view;
  view.q = static_cast<const Element*>(problem.q) + start(problem.q_strides, batch, head);
  view.k = static_cast<const Element*>(problem.k) + start(problem.k_strides, batch, key_head);
  view.v = static_cast<const Element*>(problem.v) + start(problem.v_strides, batch, key_head);
  view.o = static_cast<Element*>(problem.o) + start(problem.o_strides, batch, head);
  const long long row = (static_cast<long long>(batch) * problem.query_heads + head) * problem.queries;
  view.lse = problem.lse == nullptr ? nullptr : problem.lse + row;
  return view;
}

// How many keys a query sees: all, or when causal those up to its own place counted from the end. With fewer keys than
// queries the first queries see none.
__device__ inline int visible_keys(const AttentionProblem& problem, int query) {
  if constexpr (!CAUSAL) return problem.keys;
  return max(0, min(problem.keys, query + problem.keys - problem.queries + 1));
}
