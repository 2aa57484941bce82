// Blocks counted over two axes of the grid, and an index that is taken apart behind its guard.
#include <hip/hip_runtime.h>
#include <cmath>
#include <cstdlib>

__global__ void flat_sum(const float *points, float *sums, int npoints, int nfeatures)
{
	const unsigned int block_id = gridDim.x*blockIdx.y+blockIdx.x;
	const unsigned int point_id = block_id*blockDim.x*blockDim.y + threadIdx.x;
	float sum = 0.0f;
	if (point_id < npoints)
		for (int i = 0; i < nfeatures; i++)
			sum += points[point_id + npoints*i];
	if (point_id < npoints) sums[point_id] = sum;
}

__global__ void taken_apart(int n, int w, int h, const float *input, float *output)
{
	int id = (blockIdx.x + blockIdx.y*gridDim.x) * blockDim.x + threadIdx.x;
	if (id >= n) return;
	int out_index = id;
	int j = id % w;
	id /= w;
	int i = id % h;
	id /= h;
	output[out_index] = input[(id * h + i) * w + j] + j - i;
}

int main(int argc, char **argv)
{
	int n = atoi(argv[1]), w = atoi(argv[2]), h = atoi(argv[3]), k = atoi(argv[4]);
	float *in, *out;
	hipMalloc(&in, n * k * sizeof(float));
	hipMalloc(&out, n * sizeof(float));
	const int high = 3;
	int blocks = (n + 63) / 64;
	dim3 grid((blocks + high - 1) / high, high);
	flat_sum<<<grid, 64>>>(in, out, n, k);
	taken_apart<<<dim3((n + 64 * high - 1) / (64 * high), high), 64>>>(n, w, h, in, out);
	return hipDeviceSynchronize();
}
