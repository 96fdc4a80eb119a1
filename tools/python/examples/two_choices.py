"""The power of two choices: each task goes to the emptier of two nodes drawn at random.

parley run google-calm --until 10m --set cluster.nodes=100 --scheduler "python3 two_choices.py"
"""

import parley


class TwoChoices(parley.Policy):
    name = "two choices"

    def decide(self):
        nodes = list(self.nodes.values())
        for task in list(self.waiting.values()):
            drawn = [node for node in self.random.sample(nodes, min(2, len(nodes))) if self.fits(task, node)]
            if drawn:
                self.place(task, min(drawn, key=lambda node: node.requested[0] / max(1, node.capacity[0])))
        if self.waiting:
            self.wake(60)


if __name__ == "__main__":
    parley.serve(TwoChoices())
