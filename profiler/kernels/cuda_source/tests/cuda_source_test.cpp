#include "profiler/kernels/cuda_source/cuda_source.hpp"

#include <gtest/gtest.h>
