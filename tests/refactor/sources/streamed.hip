// Stencils whose outputs along one axis read the same elements, and some that only seem to.
#include <hip/hip_runtime.h>

#define AT(z, y, x) (((z) * ny + (y)) * nx + (x))

__global__ void laplace(const float *in, float *out, float c0, float c1, int nx, int ny, int nz)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < 1 || x >= nx - 1 || y < 1 || y >= ny - 1 || z < 1 || z >= nz - 1)
        return;
    int i = (z * ny + y) * nx + x;
    out[i] = c0 * in[i] + c1 * (in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] +
                                in[i - nx * ny] + in[i + nx * ny]);
}

// No centre.
__global__ void jacobi3(const double *a, double *b, int nx, int ny, int nz)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1 && z > 0 && z < nz - 1)
        b[AT(z, y, x)] = (a[AT(z - 1, y, x)] + a[AT(z + 1, y, x)] + a[AT(z, y - 1, x)] +
                          a[AT(z, y + 1, x)] + a[AT(z, y, x - 1)] + a[AT(z, y, x + 1)]) / 6.0;
}

// Zero outside.
__global__ void padded(const float *in, float *out, int nx, int ny)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= nx || y >= ny)
        return;
    float up = y > 0 ? in[(y - 1) * nx + x] : 0.0f;
    float down = y + 1 < ny ? in[(y + 1) * nx + x] : 0.0f;
    out[y * nx + x] = 0.5f * in[y * nx + x] + 0.25f * (up + down);
}

// A loop over z.
__global__ void column(const float *__restrict__ in, float *__restrict__ out, int nx, int ny, int nz)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || x >= nx - 1 || y < 1 || y >= ny - 1)
        return;
    for (int z = 1; z < nz - 1; ++z) {
        int i = (z * ny + y) * nx + x;
        out[i] = in[i] - (in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] +
                                in[i - nx * ny] + in[i + nx * ny]) * 0.1f;
    }
}

// Wide and sparse, and the index wraps.
__global__ void wide_star(const float *in, float *out, unsigned nx, unsigned ny)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= nx || y < 2 || y >= ny - 2)
        return;
    float most = in[(y - 2) * nx + x], least = in[(y + 2) * nx + x];
    out[y * nx + x] = most - least + in[(y - 1) * nx + x];
}

// The same memory may be read and written: what a column wrote, it reads again.
__global__ void smooth(const float *in, float *out, int nx, int nz)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= nx)
        return;
    for (int z = 1; z < nz - 1; ++z)
        out[z * nx + x] = in[(z - 1) * nx + x] + in[z * nx + x] + in[(z + 1) * nx + x];
}

// Where it reads depends on what it did before.
__global__ void wander(const float *in, float *out, int nx, int ny)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= nx || y >= ny - 1)
        return;
    int i = y * nx + x;
    float sum = in[i];
    i += nx;
    out[y * nx + x] = sum + in[i] + in[y * nx + x];
}

void host(const float *in, float *out, const double *a, double *b,
          int nx, int ny, int nz)
{
    dim3 block(16, 4, 2), grid((nx + 15) / 16, (ny + 3) / 4, (nz + 1) / 2);
    laplace<<<grid, block>>>(in, out, 0.5f, 0.25f, nx, ny, nz);
    jacobi3<<<grid, block>>>(a, b, nx, ny, nz);
    dim3 flat(16, 4), over((nx + 15) / 16, (ny + 3) / 4);
    padded<<<over, flat>>>(in, out, nx, ny);
    column<<<over, flat>>>(in, out, nx, ny, nz);
    wide_star<<<over, flat>>>(in, out, nx, ny);
    smooth<<<(nx + 63) / 64, 64>>>(in, out, nx, nz);
    wander<<<over, flat>>>(in, out, nx, ny);
}
