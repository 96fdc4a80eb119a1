// Runs tests of the built page: `node test/run.mjs smoke|e2e|engines` once, and
// `node test/run.mjs flaky FILE [N]` one file N times on busy cores. What the files need
// is built here, once a run: the tests from TypeScript, the server and the command line.
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const [what = "", ...rest] = process.argv.slice(2);

/** The test files of a folder, from the sources: what was compiled before may be of files that are gone. */
const files = (folder) =>
  readdirSync(`test/${folder}`)
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => `${folder}/${name.slice(0, -".ts".length)}`);

/** What a run consists of: files that run so many at the same time. Files that measure run alone. */
const together = availableParallelism();
const SMOKE = "e2e/smoke.test";
const RUNS = {
  smoke: () => [{ of: [SMOKE], jobs: 1 }],
  e2e: () => [
    { of: files("e2e").filter((name) => name !== SMOKE), jobs: together },
    { of: files("e2e/measured"), jobs: 1 },
  ],
  engines: () => [{ of: files("engines"), jobs: together }],
};

/** Builds what a run needs into a place of its own, so that runs may overlap; returns how its files are started. */
function build(name) {
  const place = `test-results/${name}`;
  mkdirSync(place, { recursive: true });
  execFileSync("node_modules/.bin/tsc", ["--project", "test/tsconfig.json", "--outDir", `${place}/build`], { stdio: "inherit" });
  execFileSync("go", ["build", "-buildvcs=false", "-o", `site/${place}/programs/`, "./tools/serve", "./tools/parley"], {
    cwd: "..",
    stdio: "inherit",
  });
  const env = { ...process.env, PARLEY_PROGRAMS: `${place}/programs` };
  return (of, jobs, options, stdio, more = {}) =>
    spawn(process.execPath, ["--test", `--test-concurrency=${jobs}`, ...options, ...of.map((file) => `${place}/build/test/${file}.js`)], {
      env: { ...env, ...more },
      stdio,
    });
}

/** Waits until a program has ended; returns whether it was content. */
const ended = (program) => new Promise((resolve) => program.once("exit", (code) => resolve(code === 0)));

async function once(name) {
  const start = build(name);
  let passed = true;
  for (const { of, jobs } of RUNS[name]()) passed = (await ended(start(of, jobs, rest, "inherit"))) && passed;
  return passed;
}

/** Keeps a core busy until its parent has gone. */
const SPIN = "const parent = process.ppid; for (let i = 0; ++i % 1e7 || process.ppid === parent; );";

/**
 * Runs one file N times while one program more than there are cores is busy. Files that may run
 * side by side keep the cores busy with copies of themselves; the others run alone beside programs that only count.
 */
async function flaky(file, times) {
  const wanted = [...files("e2e"), ...files("e2e/measured"), ...files("engines")].find(
    (name) => file && name.endsWith(`/${file.replace(/^.*\//, "").replace(/(\.test)?(\.ts)?$/, "")}.test`),
  );
  if (!wanted || !(times > 0)) {
    console.error("give a test file of site/test/e2e or site/test/engines and how many times it runs, as in: flaky smoke 50");
    return false;
  }
  const start = build("flaky");
  const copies = /^e2e\/[^/]+$/.test(wanted) ? together + 1 : 1;
  const spinning = Array.from({ length: together + 1 - copies }, () => spawn(process.execPath, ["-e", SPIN], { stdio: "ignore" }));
  const failures = new Map(); // by the name of the test
  let begun = 0;
  let failed = 0;
  let seconds = 0;

  const again = async (copy) => {
    while (begun < times) {
      const run = ++begun;
      const began = Date.now();
      const program = start([wanted], 1, ["--test-reporter=tap"], ["ignore", "pipe", "inherit"], {
        PARLEY_RESULTS: `test-results/flaky/copy-${copy}`,
      });
      let said = "";
      program.stdout.on("data", (text) => (said += text));
      const passed = await ended(program);
      const took = (Date.now() - began) / 1000;
      seconds += took;
      if (passed) {
        console.log(`${run}/${times} passed after ${took.toFixed(0)} s`);
        continue;
      }
      failed++;
      const names = [...said.matchAll(/^ *not ok \d+ - (.*)$/gm)].map(([, name]) => name);
      if (names.length === 0) names.push("the file itself");
      const kept = `test-results/flaky/${wanted.replaceAll("/", "-")}-${run}.tap`;
      writeFileSync(kept, said);
      for (const name of names) failures.set(name, (failures.get(name) ?? 0) + 1);
      console.log(`${run}/${times} failed: ${names.join("; ")} (site/${kept})`);
    }
  };
  try {
    await Promise.all(Array.from({ length: copies }, (_, copy) => again(copy)));
  } finally {
    for (const one of spinning) one.kill();
  }
  console.log(`${wanted}: ${times - failed} passed, ${failed} failed, ${(seconds / times).toFixed(0)} s a run`);
  for (const [name, count] of failures) console.log(`  ${count} × ${name}`);
  return failed === 0;
}

if (what === "flaky") process.exitCode = (await flaky(rest[0], Number(rest[1] ?? 50))) ? 0 : 1;
else if (Object.hasOwn(RUNS, what)) process.exitCode = (await once(what)) ? 0 : 1;
else {
  console.error("say what to run: smoke, e2e, engines, or flaky FILE N");
  process.exitCode = 2;
}
