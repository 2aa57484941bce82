// Seven-point Laplacian, one thread a cell. Included by a driver that defines the sizes.
template <typename T>
__global__ void stencil7(T *f, const T *u, int nx, int ny, int nz, T ix, T iy, T iz, T center)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    int j = threadIdx.y + blockIdx.y * blockDim.y;
    int k = threadIdx.z + blockIdx.z * blockDim.z;

    if (i == 0 || i >= nx - 1 || j == 0 || j >= ny - 1 || k == 0 || k >= nz - 1)
        return;

    const int plane = nx * ny;
    size_t at = i + nx * j + plane * k;

    f[at] = u[at] * center + (u[at - 1] + u[at + 1]) * ix + (u[at - nx] + u[at + nx]) * iy +
            (u[at - plane] + u[at + plane]) * iz;
}

template <typename T>
void launch_stencil7(T *f, T *u, int nx, int ny, int nz, int BX, int BY, int BZ, T hx, T hy, T hz)
{
    dim3 block(BX, BY, BZ);
    dim3 grid((nx - 1) / block.x + 1, (ny - 1) / block.y + 1, (nz - 1) / block.z + 1);
    T ix = 1 / hx / hx, iy = 1 / hy / hy, iz = 1 / hz / hz;
    stencil7<<<grid, block>>>(f, u, nx, ny, nz, ix, iy, iz, -2 * (ix + iy + iz));
}
