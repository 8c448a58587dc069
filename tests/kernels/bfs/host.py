"""Host program of bfs: a launch for each distance from node 0."""

import numpy as np

from tests.regression.host import Argument, Exercise, Minimum, Session, Sizes, kernel_test, u32

UNREACHED = -1


@kernel_test(
    sizes=Sizes(40, 256, 2048),
    minimum=Minimum(Exercise(splits=50, pred_exits=50)),
    timing="two nodes that reach a neighbour in the same step both store it: equal bytes and equal costs",
)
def bfs(t: Session) -> None:
    """Breadth-first search through N nodes with random edges, byte stores, one launch a level."""
    degree = t.random(np.uint32, t.size, 1, 7)
    first = np.concatenate([[0], np.cumsum(degree)[:-1]]).astype(np.uint32)
    edges = t.random(np.uint32, int(degree.sum()), 0, t.size)
    nodes, edge_list = t.input(np.stack([first, degree], 1), "nodes"), t.input(edges, "edges")

    cost = np.full(t.size, UNREACHED, np.int32)
    cost[0] = 0
    costs = t.input(cost, "cost")
    frontier, level = np.array([0], np.uint32), 0
    while frontier.size:
        visited = (cost != UNREACHED).astype(np.uint8)
        reached = np.unique(np.concatenate([edges[first[node] : first[node] + degree[node]] for node in frontier]))
        fresh = reached[visited[reached] == 0]
        level += 1
        cost = cost.copy()
        cost[fresh] = level
        mask = np.zeros(t.size, np.uint8)
        following = t.input(mask, f"next of level {level}")
        mask = mask.copy()
        mask[fresh] = 1
        args: list[Argument] = [
            u32(frontier.size),
            nodes,
            edge_list,
            t.input(frontier, f"frontier of level {level}"),
            t.input(visited, f"visited before level {level}"),
            following,
            costs,
        ]
        t.launch("bfs", args, threads=frontier.size, expect={costs: cost, following: mask})
        frontier = fresh.astype(np.uint32)
