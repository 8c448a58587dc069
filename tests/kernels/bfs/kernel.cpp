/* One step of a breadth-first search: every node of the frontier looks at its neighbours.
 *
 * Two nodes may reach the same neighbour at once. Both then write the same bytes and the same cost: benign.
 */

#include <vx_spawn2.h>

#include "../device_ptr.h"

struct node_t {
  uint32_t first; // of its edges
  uint32_t degree;
};

struct args_t {
  uint32_t frontier_size;
  device_ptr<const node_t> nodes;
  device_ptr<const uint32_t> edges;
  device_ptr<const uint32_t> frontier;
  device_ptr<const uint8_t> visited; // before this step
  device_ptr<uint8_t> next;          // 1: reached by this step
  device_ptr<int32_t> cost;
};

__kernel void bfs(const args_t *args) {
  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= args->frontier_size)
    return;
  uint32_t own = args->frontier[i];
  node_t node = args->nodes[own];
  int32_t cost = args->cost[own] + 1;
  for (uint32_t edge = node.first; edge < node.first + node.degree; ++edge) {
    uint32_t neighbour = args->edges[edge];
    if (!args->visited[neighbour]) {
      args->next[neighbour] = 1;
      args->cost[neighbour] = cost;
    }
  }
}
