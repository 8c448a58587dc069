"""A small scene and its trees: boxes on a floor, instances of one mesh each (layouts: scene.h)."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
TEXTURE_SIDE = 8
LEAF = 2  # triangles or instances of a leaf, at most

NODE = np.dtype([("low", "<f4", 3), ("first", "<u4"), ("high", "<f4", 3), ("count", "<u4")])
INSTANCE = np.dtype([("offset", "<f4", 3), ("root", "<u4")])


@dataclass
class Scene:
    """Triangles (n, 3 corners, 3), texture coordinates (n, 3, 2), instances as (offset, triangles of the mesh)."""

    triangles: Floats
    uv: Floats
    instances: list[tuple[Floats, NDArray[np.int64]]]


@dataclass
class Tree:
    """Nodes and the order of what its leaves hold."""

    nodes: list[tuple[Floats, int, Floats, int]] = field(default_factory=list)
    order: list[int] = field(default_factory=list)

    def add(self, low: Floats, high: Floats, members: NDArray[np.int64]) -> int:
        """Tree over `members`, whose boxes are low[member] … high[member]; returns its root."""
        self.nodes.append((low[members].min(axis=0), 0, high[members].max(axis=0), 0))
        root = len(self.nodes) - 1
        self._fill(root, low, high, members)
        return root

    def _fill(self, node: int, low: Floats, high: Floats, members: NDArray[np.int64]) -> None:
        bottom, _, top, _ = self.nodes[node]
        if members.size <= LEAF:
            self.nodes[node] = (bottom, len(self.order), top, members.size)
            self.order += members.tolist()
            return
        axis = int(np.argmax(top - bottom))
        ordered = members[np.argsort(low[members, axis] + high[members, axis], kind="stable")]
        halves = ordered[: ordered.size // 2], ordered[ordered.size // 2 :]
        first = len(self.nodes)
        self.nodes[node] = (bottom, first, top, 0)
        self.nodes += [(low[half].min(axis=0), 0, high[half].max(axis=0), 0) for half in halves]
        for child, half in enumerate(halves):
            self._fill(first + child, low, high, half)

    def packed(self) -> NDArray[np.void]:
        return np.array(self.nodes, NODE)


def make_scene() -> Scene:
    """A floor of two triangles and a box of twelve, which stands there three times."""
    floor = np.array([[[-4, 0, -4], [4, 0, -4], [4, 0, 4]], [[-4, 0, -4], [4, 0, 4], [-4, 0, 4]]], np.float32)
    corners = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (0, 1) for z in (-0.5, 0.5)], np.float32)
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    box = np.array([corners[list(t)] for a, b, c, d in faces for t in ((a, b, c), (a, c, d))], np.float32)
    uv = np.array([[[0, 0], [1, 0], [1, 1]], [[0, 0], [1, 1], [0, 1]]] * 7, np.float32) * np.float32(0.999)
    offsets = np.array([[-1.3, 0, 0.4], [0.2, 0, -0.7], [1.4, 0, 0.9]], np.float32)
    instances = [(np.zeros(3, np.float32), np.arange(2)), *((offset, np.arange(2, 14)) for offset in offsets)]
    return Scene(np.concatenate([floor, box]), uv, instances)


def make_trees(scene: Scene) -> tuple[Tree, NDArray[np.void], Tree]:
    """Trees of triangles, instances in the order of the leaves, and the tree of instances (root 0)."""
    low, high = scene.triangles.min(axis=1), scene.triangles.max(axis=1)
    meshes = Tree()
    roots = {members.tobytes(): meshes.add(low, high, members) for members in _distinct(scene)}
    boxes = [(low[m].min(axis=0) + offset, high[m].max(axis=0) + offset) for offset, m in scene.instances]
    lows, highs = (np.array(side, np.float32) for side in zip(*boxes, strict=True))
    top = Tree()
    top.add(lows, highs, np.arange(len(scene.instances)))
    rows = [(scene.instances[i][0], roots[scene.instances[i][1].tobytes()]) for i in top.order]
    return meshes, np.array(rows, INSTANCE), top


def _distinct(scene: Scene) -> list[NDArray[np.int64]]:
    return list({members.tobytes(): members for _, members in scene.instances}.values())
