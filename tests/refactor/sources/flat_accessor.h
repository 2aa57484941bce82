#pragma once
#include <cstddef>

template <typename T, size_t N>
class Accessor
{
public:
  __host__ __device__ T *data() const { return pointer; }

private:
  T *pointer = nullptr;
  int sizes[N] = {};
};
