/* Scene and arguments of raycast, as the host lays them out. */

#ifndef RAYCAST_SCENE_H
#define RAYCAST_SCENE_H

#include "../device_ptr.h"

struct float2 {
  float x, y;
};

struct float3 {
  float x, y, z;
};

struct triangle_t {
  float3 a, b, c;
};

struct surface_t { // of a triangle
  float2 uv[3];    // texture coordinates of its corners
};

/* Inner nodes have their two children at `first` and `first + 1`; leaves have `count` entries from `first`. */
struct node_t {
  float3 low;
  uint32_t first;
  float3 high;
  uint32_t count;
};

struct instance_t { // a tree of triangles, moved
  float3 offset;
  uint32_t root;
};

enum { TEXTURE_SIDE = 8 };

struct args_t {
  uint32_t width, height;
  device_ptr<float3> dst; // [height][width]
  device_ptr<const triangle_t> triangles;
  device_ptr<const surface_t> surfaces;
  device_ptr<const uint32_t> order; // leaves refer to triangles through it
  device_ptr<const float3> texture; // [TEXTURE_SIDE][TEXTURE_SIDE]
  device_ptr<const node_t> bvh;     // trees of triangles
  device_ptr<const instance_t> instances;
  device_ptr<const node_t> tlas; // tree of instances
  uint32_t tlas_root;
  float3 camera, right, up, forward;
  float2 viewplane;
  uint32_t samples;   // along each side of a pixel
  uint32_t max_depth; // rays of a path
  float3 light, light_color, ambient, background;
};

#endif
