// The kernels of app.c.
__global__ void shift(const float *in, float *out, int rows, int columns, float by) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < columns && y < rows)
        out[y * columns + x] = in[y * columns + x] + by;
}

__global__ void gather(const int *index, const float *in, float *out, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = in[index[i]];
}
