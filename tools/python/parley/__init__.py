"""Schedulers of your own for Parley, and its results, with the standard library alone.

A policy is a class with a method for each kind of fact that it minds:

    import parley

    class FirstFit(parley.Policy):
        def decide(self):
            for task in list(self.waiting):
                for node in self.nodes.values():
                    if self.fits(task, node):
                        self.place(task, node)
                        break

    if __name__ == "__main__":
        parley.serve(FirstFit())

`parley run google-calm --until 10m --scheduler "python3 policy.py"` plays it. run(), sweep(),
jobs() and events() start Parley from Python and read what it wrote.
"""

from .policy import Job, Node, Policy, Task, serve
from .results import Failed, Rows, events, jobs, run, sweep

__all__ = ["Failed", "Job", "Node", "Policy", "Rows", "Task", "events", "jobs", "run", "serve", "sweep"]
__version__ = "0.1.0"
