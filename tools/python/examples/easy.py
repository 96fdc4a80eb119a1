"""EASY backfilling of rigid jobs: a job may start before the first of the queue if that one's
start, by the users' estimates, does not get later.

parley run KTH-SP2.swf --scheduler "python3 easy.py"
"""

import parley


class EASY(parley.Policy):
    name = "easy"

    def job_submitted(self, job):
        self.schedule()

    def job_ended(self, job, how):
        self.schedule()

    def schedule(self):
        free = sum(node.free_processors for node in self.nodes.values())
        queue = list(self.queue.values())
        while queue and queue[0].processors <= free:
            job = queue.pop(0)
            free -= job.processors
            self.start_job(job)
        if not queue:
            return
        shadow, extra = self.reservation(queue[0].processors, free)
        for job in queue[1:]:
            ends_before = self.now + job.estimate <= shadow
            if job.processors <= free and (ends_before or job.processors <= extra):
                if not ends_before:
                    extra -= job.processors
                free -= job.processors
                self.start_job(job)

    def reservation(self, need, free):
        """When the head can start, and how many processors are left beside it then."""
        running = [(job.started + job.estimate, job.processors) for job in self.jobs.values() if job.started is not None]
        for end, _ in sorted(running):
            left = free + sum(processors for other, processors in running if other <= end) - need
            if left >= 0:
                return end, left
        return float("inf"), 0


if __name__ == "__main__":
    parley.serve(EASY())
