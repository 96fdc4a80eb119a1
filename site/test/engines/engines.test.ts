// The page in engines that are not Chromium: Firefox draws without WebGL here, WebKit
// with it. In both it opens, is live, stands at a moment with the digest that the
// command line has, plays a file, tells a fault and finds the run of a link; a moment has
// one picture, and after the first visit no network is needed.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { duration, clock as moment, SECOND } from "../../src/base/format.ts";
import { PATIENCE, program, RESULTS, serve, serveUntil, settled } from "../e2e/harness.ts";
import { type Driver, firefox, webkit } from "./driver.ts";

const SMALL = "#n=200&v=1";
const STILL = 30; // pictures in a row that are the same
const PLAIN = `#draw=2d&${SMALL.slice(1)}`; // without the renderer, which is not what such a test is about

/** A machine of Google's trace, and a task that is submitted and placed on it. */
const TRACE: [name: string, rows: string][] = [
  ["machine_events.csv", "0,5,0,platform,0.5,0.2493\n"],
  ["task_events.csv", "0,,3418309,0,,0,user,3,9,0.125,0.07446,0.0004244,0\n0,,3418309,0,5,1,user,3,9,0.125,0.07446,0.0004244,0\n"],
];

for (const [name, start, drawn] of [
  ["Firefox", firefox, "canvas"],
  ["WebKit", webkit, "view"],
] as const) {
  describe(name, () => {
    let driver: Driver;
    let home = "";
    before(async () => {
      home = await serve();
      driver = await start();
      await driver.resize();
    });
    after(() => driver?.close());

    /** Opens the page, and remembers from then on what goes wrong in it; what did before, the page says itself. */
    const open = async (link: string) => {
      await driver.open(home + link);
      await driver.run(() => {
        const errors: string[] = [];
        Object.assign(window, { errors });
        addEventListener("error", ({ message }) => errors.push(message));
        addEventListener("unhandledrejection", ({ reason }) => errors.push(String(reason)));
        document.addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI }) =>
          errors.push(`${effectiveDirective} refuses ${blockedURI}`),
        );
      });
    };
    /** Opens the page, and waits until it is drawn and its run goes on. */
    const visit = async (link: string) => {
      await open(link);
      await driver.until(
        "the live run",
        PATIENCE,
        () => document.querySelector("#stage[data-drawn]") !== null && document.querySelector('#status[data-mode="live"]') !== null,
      );
    };
    const fine = async () => assert.deepEqual(await driver.run(() => (window as unknown as { errors: string[] }).errors), []);
    const beyond = (seconds: number) =>
      driver.until(
        `the simulated second ${seconds}`,
        PATIENCE,
        (least) => Number(document.querySelector<HTMLInputElement>("#timeline input[type=range]")?.value) > least,
        seconds,
      );
    /** Pauses, and returns the address with the digest of that moment, which is on the screen too. */
    const pause = async () => {
      await driver.click('#timeline [data-command="play"]');
      await driver.until("the pause", PATIENCE, () => document.querySelector('#status[data-mode="paused"]') !== null);
      const moment = duration(
        (await driver.run(() => Number(document.querySelector<HTMLInputElement>("#timeline input[type=range]")?.value))) * SECOND,
      );
      return driver.until(
        "the address of the moment",
        PATIENCE,
        (at) => {
          const keys = new URLSearchParams(location.hash.slice(1));
          const digest = keys.get("d") ?? "";
          const shown = [...document.querySelectorAll("#status span b")].some((one) => digest && one.textContent?.startsWith(digest));
          return keys.get("at") === at && shown ? location.hash : "";
        },
        moment,
      );
    };
    /** Whether the command line comes to the digest of a link at its moment. */
    const agrees = (link: string) => spawnSync(program("parley"), ["run", link, "--json"], { stdio: "ignore" }).status === 0;

    test("opens, is live, and stands where the command line stands", async (t) => {
      await visit(SMALL);
      await beyond(30);
      await driver.until("the charts", PATIENCE, () => document.querySelector(".chart canvas")?.checkVisibility());
      const link = await pause();
      await driver.until(
        `a picture by the ${drawn}`,
        PATIENCE,
        (wanted) => document.querySelector<HTMLElement>("#stage")?.dataset.drawn === wanted,
        drawn,
      );
      t.diagnostic(`${driver.version}, its language ${await driver.run(() => navigator.language)}`);
      writeFileSync(`${RESULTS}/${name.toLowerCase()}.png`, await driver.picture());
      assert.ok(agrees(link), `parley run ${link} has another digest`);
      const wrong = link.replace(/([#&]d=)([0-9a-f])/, (_, key: string, digit: string) => `${key}${digit === "0" ? 1 : 0}`);
      assert.ok(!agrees(wrong), "a wrong digest is found");
      await fine();
    });

    test("a rack that fails is told, and a link brings the run with it to the same moment", async () => {
      await visit(PLAIN);
      await beyond(30); // its tasks have places
      await driver.press("x");
      await driver.until("the breaker", PATIENCE, () => document.querySelector("#break-rack")?.checkVisibility());
      await driver.click("#break-rack");
      await driver.press("1");
      await driver.click("#break-rack-down");
      await driver.until("the feed", PATIENCE, () =>
        [...document.querySelectorAll("#inspector .happenings li")].some((line) =>
          /^\d[\d,]*tasks stopped in rack 1/.test(line.textContent?.trim() ?? ""),
        ),
      );
      await driver.press("\uE00C"); // Escape: the breaker closes
      await driver.until("the page without the breaker", PATIENCE, () => !document.querySelector("#break-rack")?.checkVisibility());
      const link = await pause();
      assert.match(link, /[#&]f=[^&]*rack\.1\.down/, "the fault is in the link");
      assert.ok(agrees(link), `parley run ${link} has another digest`);
      await fine();

      await open(link);
      assert.equal(
        await driver.until(
          "the verdict",
          PATIENCE,
          () => document.querySelector<HTMLElement>('.verdict[data-verdict]:not([data-verdict="checking"])')?.dataset.verdict,
        ),
        "reproduced",
      );
      await driver.until("the story of the fault", PATIENCE, () =>
        /stopped in rack 1/.test(document.querySelector("#inspector .happenings")?.textContent ?? ""),
      );
      await fine();
    });

    test("a moment that is gone back to has the picture of one that was played to", async () => {
      const stands = (time: string) =>
        driver.until(
          `the moment ${time}`,
          PATIENCE,
          (wanted) =>
            document.querySelector('#status[data-mode="paused"]') !== null &&
            document.querySelector("#timeline input[type=range]")?.getAttribute("aria-valuetext")?.startsWith(`${wanted} of`),
          time,
        );
      /** The picture of a run that stands, once nothing moves on it. */
      const cells = () =>
        driver.run(() => document.querySelector<HTMLCanvasElement>('canvas.cells[data-moves="false"]')?.toDataURL() ?? "");
      const fault = `${PLAIN}&f=58s.rack.1.down&paused=1`; // tasks of the rack are on their way to other nodes
      await open(`${fault}&at=1m`);
      await stands(moment(60 * SECOND));
      let played = "";
      let times = 0; // in a row that it was this picture: the last one may follow a while after the moment
      await settled(async () => {
        const before = played;
        played = await cells();
        times = played && played === before ? times + 1 : 0;
        return times < STILL ? "the picture does not stand still" : "";
      });

      await open(`${fault}&at=2m`);
      await stands(moment(120 * SECOND));
      await settled(async () => (["", played].includes(await cells()) ? "a minute later there is no other picture" : ""));
      await driver.run(() => {
        const time = document.querySelector<HTMLInputElement>("#timeline input[type=range]");
        if (!time) throw new Error("there is no timeline");
        time.value = "60";
        for (const type of ["input", "change"]) time.dispatchEvent(new Event(type, { bubbles: true }));
      });
      await stands(moment(60 * SECOND));
      await settled(async () => ((await cells()) === played ? "" : "the way back leads to another picture"));
      await fine();
    });

    test("after the first visit the page opens without a network, with another system too", async () => {
      const { home, stop } = await serveUntil();
      const go = async (link: string) => {
        await driver.open(home + link);
        await driver.until(
          `the live run of ${link}`,
          PATIENCE,
          () => document.querySelector("#stage[data-drawn]") !== null && document.querySelector('#status[data-mode="live"]') !== null,
        );
      };
      try {
        await go(PLAIN);
        const names = ["whole.wasm", "program.wasm", "questions.wasm"]; // an idle page asks for them
        for (const name of names) {
          await driver.until(
            `the kept ${name}`,
            PATIENCE,
            (wanted) => {
              const here = window as unknown as { kept: string };
              void caches.match(wanted).then((found) => {
                if (found) here.kept = wanted;
              });
              return here.kept === wanted;
            },
            name,
          );
        }
      } finally {
        await stop();
      }
      await go(PLAIN);
      await go("#draw=2d&s=market-auction&v=1");
      await driver.open(`${home}#draw=2d&n=200&p=cluster&v=1`);
      await driver.until("the example's button", PATIENCE, () => document.querySelector("#cluster-example")?.checkVisibility());
      await driver.click("#cluster-example");
      await driver.until("the answer", PATIENCE, () => document.querySelector("#cluster-sentence")?.textContent);
    });

    test("a lesson is stepped through in large type", async () => {
      await open("#draw=2d&present=1&s=rounds-failures&v=1");
      const step = (number: string) =>
        driver.until(
          `step ${number}`,
          PATIENCE,
          (wanted) =>
            document.querySelector("#caption .count b")?.textContent === wanted &&
            document.querySelector('#status[data-mode="paused"]') !== null &&
            document.querySelector<HTMLElement>("#drawer canvas")?.checkVisibility(),
          number,
        );
      await driver.until("the caption", PATIENCE, () => document.querySelector("#caption-next:enabled") !== null);
      await driver.press("\uE00F"); // Page Down
      await step("1");
      await driver.press("\uE014"); // the right arrow
      await step("2");
      await driver.press("\uE00C"); // Escape
      await driver.until("the page", PATIENCE, () => document.querySelector("#topbar")?.checkVisibility());
      await fine();
    });

    test("files are opened and played", async () => {
      await visit(PLAIN);
      await driver.run((files) => {
        const given = new DataTransfer();
        for (const [called, rows] of files) given.items.add(new File([rows], called, { type: "text/csv" }));
        const input = document.querySelector<HTMLInputElement>("#files");
        if (!input) throw new Error("there is no place for files");
        input.files = given.files;
        input.dispatchEvent(new Event("change", { bubbles: true }));
      }, TRACE);
      await driver.until("the trace", PATIENCE, () => document.querySelector("#inspector")?.textContent?.includes("1 of 1"));
      await driver.until("its files in the address", PATIENCE, () =>
        /[#&]need=sha256%3A[0-9a-f]{16}%2Cmachine_events\.csv%7Csha256|[#&]need=sha256:[0-9a-f]{16},machine_events\.csv\|sha256/.test(
          location.hash,
        ),
      );
      await driver.click("#tab-report");
      await driver.until("its report", PATIENCE, () =>
        [...document.querySelectorAll("#drawer dd")].some((told) => told.textContent === "2 rows, 0 skipped"),
      );
      await fine();
    });
  });
}
