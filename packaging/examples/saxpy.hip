#pragma tune unit
#pragma tune kernel(saxpy)
#pragma tune problem(vector : n)
#pragma tune param(BLOCK : 64, 128, 256 = 64) param(PER_THREAD : 1, 2, 4 = 1)
#pragma tune block(BLOCK) grid(ceil_div(n, BLOCK * PER_THREAD))
#pragma tune arg(n : int = problem.n)
#pragma tune arg(a : float = 2.0)
#pragma tune arg(x : in float[problem.n]) arg(y : inout float[problem.n])
template <int BLOCK, int PER_THREAD>
__global__ void saxpy(int n, float a, const float *x, float *y) {
    for (int k = 0; k < PER_THREAD; ++k) {
        int i = (blockIdx.x * PER_THREAD + k) * BLOCK + threadIdx.x;
        if (i < n)
            y[i] = a * x[i] + y[i];
    }
}
