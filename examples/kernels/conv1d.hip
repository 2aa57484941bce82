// 1-D FIR filter over a batch of signals. out has n - taps + 1 samples a signal.
#include <hip/hip_runtime.h>

#include <cassert>
#include <cstdio>
#include <vector>

template <typename T>
__device__ T mul_add(T a, T b, T c)
{
    return a * b + c;
}

template <typename T, int TAPS>
__global__ void fir(const T* __restrict__ signal, const T* __restrict__ taps, T* __restrict__ out, const int n)
{
    const int n_out = n - TAPS + 1;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n_out)
        return;

    const T* s = signal + blockIdx.y * n;
    T acc = 0;
    for (int t = 0; t < TAPS; ++t)
        acc = mul_add(s[i + t], taps[t], acc);
    out[blockIdx.y * n_out + i] = acc;
}

template <typename T>
void fir33(const T* signal, const T* taps, T* out, int n, int batch)
{
    const int n_out = n - 33 + 1;
    const int threads = 256;
    const int blocks = (n_out + threads - 1) / threads;
    fir<T, 33><<<dim3(blocks, batch), threads>>>(signal, taps, out, n);
}

int main()
{
    const int n = 5000, batch = 3, n_out = n - 32;
    std::vector<float> signal(n * batch), taps(33), out(n_out * batch);
    for (size_t i = 0; i < signal.size(); ++i)
        signal[i] = (i * 37 % 101) / 101.0f;
    for (size_t i = 0; i < taps.size(); ++i)
        taps[i] = i % 2 ? 0.25f : 0.5f;

    float *d_signal, *d_taps, *d_out;
    hipError_t e = hipMalloc(&d_signal, signal.size() * sizeof(float));
    assert(e == hipSuccess);
    e = hipMalloc(&d_taps, taps.size() * sizeof(float));
    assert(e == hipSuccess);
    e = hipMalloc(&d_out, out.size() * sizeof(float));
    assert(e == hipSuccess);
    e = hipMemcpy(d_signal, signal.data(), signal.size() * sizeof(float), hipMemcpyHostToDevice);
    assert(e == hipSuccess);
    e = hipMemcpy(d_taps, taps.data(), taps.size() * sizeof(float), hipMemcpyHostToDevice);
    assert(e == hipSuccess);

    fir33(d_signal, d_taps, d_out, n, batch);

    e = hipMemcpy(out.data(), d_out, out.size() * sizeof(float), hipMemcpyDeviceToHost);
    assert(e == hipSuccess);

    bool pass = e == hipSuccess;
    for (int b = 0; b < batch; ++b)
        for (int i = 0; i < n_out; ++i) {
            double acc = 0;
            for (int t = 0; t < 33; ++t)
                acc += double(signal[b * n + i + t]) * taps[t];
            const double d = acc - out[b * n_out + i];
            pass = pass && d < 1e-3 && d > -1e-3;
        }
    puts(pass ? "PASS" : "FAIL");
    return !pass;
}
