// A log of rigid jobs in the Standard Workload Format.

/** 300 jobs of 1 to 8 processors, one a minute, that run up to half an hour: more than 16 processors do. */
const jobs = Array.from({ length: 300 }, (_, i) => {
  const processors = 1 + ((i * 5) % 8);
  const run = 60 + ((i * 637) % 1740);
  return `${i + 1} ${60 * i} -1 ${run} ${processors} -1 -1 ${processors} ${run + 300} -1 1 ${1 + (i % 7)} 1 -1 1 -1 -1 -1`;
});
const header = ["; Version: 2.2", "; MaxNodes: 8", "; MaxProcs: 16"];
const text = (lines: string[]) => lines.join("\n") + "\n";

export const LOG = text([...header, ...jobs]);

/** The same with a word for a number in its fifth line. */
export const BROKEN = text([...header, jobs[0], jobs[1].replace(/^2 60/, "2 soon"), ...jobs.slice(2)]);
