"""Each task goes to the fullest node that has room, by requests: best-fit of the system central.

parley run google-calm --until 10m --set cluster.nodes=100 --scheduler "python3 best_fit.py"
"""

import parley

WHOLE = 1 << 20  # a node's capacity, as the Go policy counts it


def fullness(amounts, capacity):
    return sum(amount * WHOLE // has for amount, has in zip(amounts, capacity) if has > 0)


class BestFit(parley.Policy):
    name = "best fit"

    def best(self, task):
        """The fullest node with the task there; of nodes alike the lowest."""
        most, chosen = -1, None
        for number in sorted(self.nodes):
            node = self.nodes[number]
            full = fullness(node.requested, node.capacity) + fullness(task.request, node.capacity)
            if full > most and self.fits(task, node):
                most, chosen = full, node
        return chosen

    def decide(self):
        for task in list(self.waiting.values()):
            node = self.best(task)
            if node is not None:
                self.place(task, node)


if __name__ == "__main__":
    parley.serve(BestFit())
