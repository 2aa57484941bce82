#include "column.h"

int main()
{
    const int nxy = 4096, nz = 7;
    float *in, *out;
    hipMalloc(&in, nxy * nz * sizeof(float));
    hipMalloc(&out, nxy * sizeof(float));
    column<<<(nxy + 127) / 128, 128>>>(in, out, nxy, nz);
    return hipDeviceSynchronize();
}
