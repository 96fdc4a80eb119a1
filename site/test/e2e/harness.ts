// What the end-to-end tests share: the built page behind the project's own
// server, and Chromium with a new profile.
import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename } from "node:path";
import { createInterface } from "node:readline";
import { after, type TestContext } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { AxeBuilder } from "@axe-core/playwright";
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { duration, clock as moment, SECOND } from "../../src/base/format.ts";

/** The page is put together by software, and WebGL is there all the same: both by a graphics program in software takes thrice the processor. */
const FLAGS =
  "--headless=new --no-sandbox --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync " +
  "--disable-gpu --enable-unsafe-swiftshader";

/** Where pictures and other files go that a file's tests leave: each file, and each copy of it, has a place of its own, because they run side by side. */
export const RESULTS = process.env.PARLEY_RESULTS ?? `test-results/${basename(process.argv[1] ?? "", ".test.js")}`;
mkdirSync(RESULTS, { recursive: true });

/** How long anything may take here; machines that test are slow and shared. */
export const PATIENCE = 120_000;

/** A window of a given number of pixels, or fewer, is low (layout.css). */
const LOW = 560;
const PHONE = 760; // or narrower

/** A cell that is there at once, without the renderer: software draws it slowly, and in few tests it is the subject. */
export const SMALL = "#draw=2d&n=200&v=1";

const stops: (() => unknown)[] = [];
after(async () => {
  for (const stop of stops.reverse()) await stop();
});

/** The built page. */
export const DIST = process.env.PARLEY_DIST ?? "../dist";

const programs = new Map<string, string>();

/** The place of a program of ../tools. test/run.mjs has built it for all files; a file that is run by itself builds its own. */
export function program(name: "serve" | "parley"): string {
  if (process.env.PARLEY_PROGRAMS) return `${process.env.PARLEY_PROGRAMS}/${name}`;
  let place = programs.get(name);
  if (!place) {
    const folder = mkdtempSync(`${tmpdir()}/parley-programs-`);
    stops.push(() => rmSync(folder, { recursive: true, force: true }));
    programs.set(name, (place = `${folder}/${name}`));
    execFileSync("go", ["build", "-buildvcs=false", "-o", place, `./tools/${name}`], { cwd: "..", stdio: "inherit" });
  }
  return place;
}

/** What the command line answers, as it prints it for programs. */
export function parley(...words: string[]): unknown {
  return JSON.parse(execFileSync(program("parley"), [...words, "--json"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }));
}

const addresses = new Map<string, Promise<string>>();

/** Serves the built page, or another directory's, also to frames of an origin; returns its address. */
export function serve(directory = DIST, frames = ""): Promise<string> {
  const key = `${directory} ${frames}`;
  let address = addresses.get(key);
  if (!address) addresses.set(key, (address = start(directory, frames)));
  return address;
}

async function start(directory: string, frames: string): Promise<string> {
  return (await serveUntil(directory, frames)).home;
}

/** Serves the built page, or another directory's, until it is stopped, or all tests have ended. */
export async function serveUntil(directory = DIST, frames = ""): Promise<{ home: string; stop: () => Promise<void> }> {
  if (!existsSync(`${directory}/index.html`))
    throw new Error(`there is no built page in ${directory}: run "go run ./tools/build --out dist" at the checkout's root`);
  const kept = mkdtempSync(`${tmpdir()}/parley-links-`);
  stops.push(() => rmSync(kept, { recursive: true, force: true }));
  const child: ChildProcess = spawn(program("serve"), ["--dir", directory, "--port", "0", "--links", `${kept}/links`, "--frames", frames], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const stop = () =>
    new Promise<void>((gone) => {
      if (child.exitCode !== null || child.signalCode !== null) return gone();
      child.once("exit", () => gone()); // it writes into its folder until then
      child.kill();
    });
  stops.push(stop);
  if (!child.stdout) throw new Error("the server says nothing");
  for await (const line of createInterface(child.stdout)) {
    const found = /http:\/\/\S+/.exec(line);
    if (found) return { home: found[0], stop };
  }
  throw new Error("the server ended without an address");
}

const browsers = new Map<string, Promise<Browser>>();

/** Smoke tests and measurements run in the browser that people have. */
const whole = /\/(measured\/|smoke\.)/.test(process.argv[1] ?? "");

/**
 * All other files run in Chromium's headless shell, if it is installed: the same engine without
 * windows. There WebAssembly is compiled once, and what runs often is not optimised. Together
 * this takes little more than half the processor.
 */
const SHELL = "/usr/bin/chromium-headless-shell";
const CHROMIUM = !whole && existsSync(SHELL) ? SHELL : "/usr/bin/chromium";
const ONCE = whole ? [] : ["--js-flags=--liftoff-only"];

/** Chromium, with more flags where a test is about them; one for all tests of a file. */
function launch(...more: string[]): Promise<Browser> {
  const key = more.join(" ");
  let browser = browsers.get(key);
  if (!browser) {
    browser = chromium.launch({ executablePath: CHROMIUM, args: [...FLAGS.split(" "), ...ONCE, ...more], timeout: PATIENCE });
    browsers.set(key, browser);
    stops.push(async () => (await browser)?.close());
  }
  return browser;
}

/** A page that remembers what went wrong in it and whom it called. */
export interface Visit {
  page: Page;
  context: BrowserContext;
  home: string;
  errors: string[]; // of the console and of scripts
  foreign: string[]; // requests to other origins
}

/** How a page is opened: from another directory than the built page's, waiting until it is live unless told otherwise, with its settings open unless told otherwise, in a browser with more flags, prepared before it is opened. */
type Options = BrowserContextOptions & {
  from?: string;
  live?: boolean;
  setup?: boolean;
  flags?: string[];
  prepare?: (page: Page) => Promise<void>;
};

/** Opens the page at a link; it closes with the test. */
export async function visit(t: TestContext, link = SMALL, options: Options = {}): Promise<Visit> {
  const home = await serve(options.from);
  const browser = await launch(...(options.flags ?? []));
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, serviceWorkers: "block", ...options });
  context.setDefaultTimeout(PATIENCE);
  t.after(() => context.close());
  const page = await context.newPage();
  const errors: string[] = [];
  const foreign: string[] = [];
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  page.on("pageerror", (error) => errors.push(error.stack ?? String(error)));
  page.on("request", (request) => {
    if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(home)) foreign.push(request.url());
  });
  await page.addInitScript(() => localStorage.getItem("careful") === null && localStorage.setItem("careful", "off")); // tests wait for times of the run
  if (options.setup ?? true) await page.addInitScript(() => localStorage.setItem("setup", "open")); // scenario and settings are at hand
  await options.prepare?.(page);
  await page.goto(home + link);
  if (options.live ?? true)
    await (/[#&]d=/.test(link) ? page.waitForSelector(".arrival:not(.preview):not([hidden])") : live(page)) // a shared moment is stood at
      .catch(async (error: Error) => {
        throw new Error([error.message, ...errors, await page.locator("body").innerText()].join("\n")); // what the page said instead
      });
  return { page, context, home, errors, foreign };
}

/** Waits until the run is on the screen and goes on. A low or narrow window has no room for the line that says so while all is well. */
export async function live(page: Page): Promise<void> {
  await page.waitForSelector("#stage[data-drawn]");
  const { width = Infinity, height = Infinity } = page.viewportSize() ?? {};
  const low = height <= LOW || width <= PHONE;
  await page.waitForSelector('#status[data-mode="live"]', { state: low ? "attached" : "visible" });
}

/** Whether all of an element is within its width: a place that scrolls sideways was made for a wider window. */
export function fits(page: Page, selector: string): Promise<boolean> {
  return page.locator(selector).evaluate((element) => element.scrollWidth <= element.clientWidth);
}

/** The simulated time on the screen, in seconds. */
export async function clock(page: Page): Promise<number> {
  const value = await page.locator("#timeline input[type=range]").inputValue();
  return Number(value);
}

/** Waits until the simulated time is beyond a number of seconds. */
export async function beyond(page: Page, seconds: number): Promise<void> {
  await page.waitForFunction(
    (least) => Number(document.querySelector<HTMLInputElement>("#timeline input[type=range]")?.value) > least,
    seconds,
  );
}

/** Pauses, and returns the address of that moment. */
export async function pause(page: Page): Promise<string> {
  await page.keyboard.press("Space");
  await page.waitForSelector('#status[data-mode="paused"]', { state: "attached" });
  return address(page);
}

/** The address of the moment at which the run stands, once it is written. */
export async function address(page: Page): Promise<string> {
  const moment = duration((await clock(page)) * SECOND);
  await page.waitForFunction((at) => {
    // the address is written a few times a second; moments may share a digest
    const keys = new URLSearchParams(location.hash.slice(1));
    const told = keys.get("d");
    return (
      told && keys.get("at") === at && [...document.querySelectorAll("#status span b")].some((shown) => shown.textContent?.startsWith(told))
    );
  }, moment);
  return page.evaluate(() => location.hash);
}

/** Looks again and again until there is nothing to complain of; what is wrong for so long as anything may take fails. */
export async function settled(complaint: () => Promise<string>): Promise<void> {
  for (const end = Date.now() + PATIENCE; ; ) {
    const said = await complaint();
    if (!said) return;
    if (Date.now() > end) throw new Error(said);
  }
}

/** Takes pictures until two in a row are the same, and returns that one: what was asked for may be drawn a little later. */
export async function still<T>(picture: () => Promise<T>): Promise<T> {
  let last = await picture();
  await settled(async () => {
    const before = last;
    last = await picture();
    return isDeepStrictEqual(before, last) ? "" : "the picture does not stand still";
  });
  return last;
}

/** Takes pictures until there is another one than before, and returns that one. */
export async function another<T>(picture: () => Promise<T>, before: T, why: string): Promise<T> {
  await settled(async () => (isDeepStrictEqual(before, await picture()) ? why : ""));
  return still(picture);
}

/** Takes pictures until there is this one. */
export async function again<T>(picture: () => Promise<T>, wanted: T, why: string): Promise<void> {
  await settled(async () => (isDeepStrictEqual(wanted, await picture()) ? "" : why));
}

/** The point of the stage where a cell is drawn, by hovering until the tooltip names it. */
export async function middle(page: Page): Promise<{ x: number; y: number }> {
  const box = await page.locator(".map").boundingBox();
  if (!box) throw new Error("the map has no place");
  for (let dy = 0; dy < box.height / 3; dy += 7) {
    const point = { x: box.x + box.width / 2, y: box.y + box.height / 2 + dy };
    await page.mouse.move(point.x, point.y);
    if (await page.locator(".tip").isVisible()) return point;
  }
  throw new Error("no cell is under the middle of the map");
}

/** Goes to a moment of the run, which is paused, by typing it; returns its digest. */
export async function goTo(page: Page, seconds: number, typed = `${seconds}s`, patience = PATIENCE): Promise<string> {
  await page.keyboard.press("t");
  await page.fill("#time", typed);
  await page.keyboard.press("Enter");
  await page.waitForSelector("dialog", { state: "detached" });
  return stands(page, seconds, patience);
}

/** Waits until the run stands at a moment, as it says itself and not the key that led there; returns its digest. */
export async function stands(page: Page, seconds: number, patience = PATIENCE): Promise<string> {
  await page.waitForFunction(
    (wanted) => document.querySelector("#timeline input[type=range]")?.getAttribute("aria-valuetext")?.startsWith(`${wanted} of`),
    moment(seconds * SECOND),
    { timeout: patience },
  );
  await page.waitForSelector('#status[data-mode="paused"]', { state: "attached" });
  return (await page.locator("#status span:has-text('digest') b").textContent()) ?? "";
}

/** Waits until a whole build is kept for visits without a network, and the worker that hands it out is at work. */
export async function kept(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const { active } = await navigator.serviceWorker.ready;
    while (active && active.state !== "activated")
      await new Promise((done) => active.addEventListener("statechange", done, { once: true }));
  });
}

/** Drops a file on the page. */
export async function drop(page: Page, name: string, text: string): Promise<void> {
  const dataTransfer = await page.evaluateHandle(
    ([called, content]) => {
      const data = new DataTransfer();
      data.items.add(new File([content], called));
      return data;
    },
    [name, text],
  );
  await page.dispatchEvent("#inspector", "dragenter", { dataTransfer });
  await page.waitForSelector(".veil:not([hidden])");
  await page.dispatchEvent("#inspector", "drop", { dataTransfer });
}

/** Fails with what axe finds on the page, or in a part of it. The renderer's frame holds one canvas that is hidden from assistive technology. */
export async function axe(page: Page, where: string, part = "body"): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).include(part).exclude("iframe").setLegacyMode().analyze();
  assert.deepEqual(
    violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`),
    [],
    where,
  );
}
