// Two engines beside Chromium, driven by what their own makers ship: Firefox by
// Marionette over a socket, WebKit by WebDriver over HTTP. Both understand the
// commands of the W3C's WebDriver; what differs is how they are started and spoken to.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pass } from "node:timers/promises";

const START = 60_000; // ms until an engine answers
const LOOK = 50; // ms between two looks at a condition
const WINDOW = { width: 1280, height: 860 };

/** One command of WebDriver: its name in Marionette, its way over HTTP, its parameters. */
type Command = (name: string, way: string, parameters: object) => Promise<unknown>;

/** A browser with one window. */
export class Driver {
  /** The engine's name and version, as it says them. */
  readonly version: string;
  readonly #command: Command;
  readonly #end: () => Promise<void>;

  constructor(version: string, command: Command, end: () => Promise<void>) {
    this.version = version;
    this.#command = command;
    this.#end = end;
  }

  /** Makes the window so large. */
  async resize(): Promise<void> {
    await this.#command("WebDriver:SetWindowRect", "window/rect", WINDOW);
  }

  /** Opens an address as if there had been no page before, also where it differs in what follows the # alone. */
  async open(address: string): Promise<void> {
    await this.#command("WebDriver:Navigate", "url", { url: "about:blank" });
    await this.#command("WebDriver:Navigate", "url", { url: address });
  }

  /** Calls a function in the page and returns its result; it knows its arguments alone. */
  async run<A extends unknown[], R>(task: (...parameters: A) => R, ...parameters: A): Promise<R> {
    return (await this.#command("WebDriver:ExecuteScript", "execute/sync", {
      script: `return (${task.toString()})(...arguments)`,
      args: parameters,
    })) as R;
  }

  /** Waits until a function in the page returns something true, and returns that. */
  async until<A extends unknown[], R>(what: string, patience: number, task: (...parameters: A) => R, ...parameters: A): Promise<R> {
    const end = Date.now() + patience;
    for (;;) {
      const result = await this.run(task, ...parameters);
      if (result) return result;
      if (Date.now() > end)
        throw new Error(
          `${what} did not come in ${patience / 1000} s; the page says: ${await this.run(() => document.body.innerText.slice(0, 2000))}`,
        );
      await pass(LOOK);
    }
  }

  /** Presses a key, as a person does. */
  async press(key: string): Promise<void> {
    await this.#act({
      type: "key",
      id: "keyboard",
      actions: [
        { type: "keyDown", value: key },
        { type: "keyUp", value: key },
      ],
    });
  }

  /** Clicks the middle of the first element that a selector finds, as a person does. */
  async click(selector: string): Promise<void> {
    const [x, y] = await this.run((wanted) => {
      const element = document.querySelector(wanted);
      if (!element) throw new Error(`there is no ${wanted} to click`);
      element.scrollIntoView({ block: "nearest" });
      const { left, top, width, height } = element.getBoundingClientRect();
      return [Math.round(left + width / 2), Math.round(top + height / 2)];
    }, selector);
    await this.#act({
      type: "pointer",
      id: "mouse",
      parameters: { pointerType: "mouse" },
      actions: [
        { type: "pointerMove", duration: 0, x, y },
        { type: "pointerDown", button: 0 },
        { type: "pointerUp", button: 0 },
      ],
    });
  }

  /** What the window shows, as PNG. */
  async picture(): Promise<Buffer> {
    return Buffer.from((await this.#command("WebDriver:TakeScreenshot", "screenshot", { full: false })) as string, "base64");
  }

  close(): Promise<void> {
    return this.#end();
  }

  #act(source: object): Promise<unknown> {
    return this.#command("WebDriver:PerformActions", "actions", { actions: [source] });
  }
}

/** Starts Debian's Firefox without a window. */
export async function firefox(): Promise<Driver> {
  const profile = mkdtempSync(join(tmpdir(), "parley-firefox-"));
  const off = [
    "app.update.enabled",
    "browser.shell.checkDefaultBrowser",
    "datareporting.policy.dataSubmissionEnabled",
    "extensions.update.enabled",
    "network.captive-portal-service.enabled",
    "network.connectivity-service.enabled",
  ];
  writeFileSync(
    join(profile, "user.js"),
    [...off.map((name) => `user_pref("${name}", false);`), 'user_pref("marionette.port", 0);', ""].join("\n"),
  );
  const program = start(
    "firefox-esr",
    ["--headless", "--no-remote", "--marionette", "--profile", profile, `--width=${WINDOW.width}`, `--height=${WINDOW.height}`],
    { MOZ_HEADLESS_WIDTH: "1280", MOZ_HEADLESS_HEIGHT: "860" },
  );
  const end = async () => {
    await program.end("SIGKILL"); // nothing of it is to be kept
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const told = join(profile, "MarionetteActivePort");
    await program.until("told its port", () => existsSync(told) && readFileSync(told, "utf8") !== "");
    const socket = connect(Number(readFileSync(told, "utf8")), "127.0.0.1");
    await once(socket, "connect");
    const marionette = await converse(socket);
    const { capabilities } = (await marionette("WebDriver:NewSession", { capabilities: {} })) as {
      capabilities: { browserName: string; browserVersion: string };
    };
    return new Driver(
      `${capabilities.browserName} ${capabilities.browserVersion}`,
      async (name, _way, parameters) => {
        const answer = await marionette(name, parameters);
        return typeof answer === "object" && answer !== null && "value" in answer ? answer.value : answer;
      },
      async () => {
        socket.destroy();
        await end();
      },
    );
  } catch (error) {
    await end();
    throw error;
  }
}

/** Speaks Marionette over a socket: each message is its length, a colon, and a list as JSON. */
async function converse(socket: Socket): Promise<(name: string, parameters: object) => Promise<unknown>> {
  const waiting = new Map<number, { resolve: (answer: unknown) => void; reject: (error: Error) => void }>();
  let come = Buffer.alloc(0);
  let greet: () => void;
  const greeted = new Promise<void>((resolve) => (greet = resolve));
  socket.on("data", (more: Buffer) => {
    come = Buffer.concat([come, more]);
    for (;;) {
      const colon = come.indexOf(":");
      const length = Number(come.subarray(0, colon));
      if (colon < 0 || come.length < colon + 1 + length) return;
      const message: unknown = JSON.parse(come.subarray(colon + 1, colon + 1 + length).toString());
      come = come.subarray(colon + 1 + length);
      if (!Array.isArray(message)) {
        greet();
        continue;
      }
      const [, id, error, answer] = message as [1, number, { error: string; message: string } | null, unknown];
      const one = waiting.get(id);
      waiting.delete(id);
      if (error) one?.reject(new Error(`${error.error}: ${error.message}`));
      else one?.resolve(answer);
    }
  });
  const lost = () => {
    for (const { reject } of waiting.values()) reject(new Error("Firefox has gone"));
    waiting.clear();
  };
  socket.on("close", lost);
  socket.on("error", lost);
  await greeted;
  let last = 0;
  return (name, parameters) =>
    new Promise((resolve, reject) => {
      const id = ++last;
      waiting.set(id, { resolve, reject });
      const text = JSON.stringify([0, id, name, parameters]);
      socket.write(`${Buffer.byteLength(text)}:${text}`);
    });
}

/** Starts Debian's WebKit, with its small browser, on a display of its own. */
export async function webkit(): Promise<Driver> {
  const display = await screen();
  const port = await freePort();
  const program = start("WebKitWebDriver", [`--port=${port}`], {
    DISPLAY: display.name,
    LC_ALL: "C.UTF-8", // everywhere there; it makes the browser's language "C", which no Intl takes
    WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: "1", // the sandbox does not start for root
    WEBKIT_SKIA_ENABLE_CPU_RENDERING: "1", // its painting on the GPU frees textures on the wrong thread and crashes: bugs.webkit.org 304134
  });
  const end = async () => {
    await program.end();
    await display.end();
  };
  const home = `http://127.0.0.1:${port}`;
  const ask = async (method: string, way: string, body?: object): Promise<unknown> => {
    const answer = await fetch(home + way, { method, body: body && JSON.stringify(body) });
    const { value } = (await answer.json()) as { value: unknown };
    if (!answer.ok) throw new Error(`${way}: ${JSON.stringify(value)}`);
    return value;
  };
  try {
    await program.until("answered", () =>
      ask("GET", "/status").then(
        () => true,
        () => false,
      ),
    );
    const options = {
      "webkitgtk:browserOptions": { binary: miniBrowser(), args: ["--automation", `--geometry=${WINDOW.width}x${WINDOW.height}`] },
    };
    const session = (await ask("POST", "/session", { capabilities: { alwaysMatch: options } })) as {
      sessionId: string;
      capabilities: { browserName: string; browserVersion: string };
    };
    const way = `/session/${session.sessionId}`;
    return new Driver(
      `${session.capabilities.browserName} ${session.capabilities.browserVersion}`,
      (_name, of, parameters) => (of === "screenshot" ? ask("GET", `${way}/${of}`) : ask("POST", `${way}/${of}`, parameters)),
      async () => {
        await ask("DELETE", way).catch(() => undefined); // it may have gone by itself
        await end();
      },
    );
  } catch (error) {
    await end();
    throw error;
  }
}

/** Where Debian puts WebKit's small browser. */
function miniBrowser(): string {
  for (const machine of readdirSync("/usr/lib")) {
    for (const version of ["webkit2gtk-4.1", "webkit2gtk-4.0"]) {
      const place = `/usr/lib/${machine}/${version}/MiniBrowser`;
      if (existsSync(place)) return place;
    }
  }
  throw new Error("there is no MiniBrowser: install libwebkit2gtk-4.1-0");
}

/** A display that exists in memory alone. */
async function screen(): Promise<{ name: string; end: () => Promise<void> }> {
  const program = start("Xvfb", ["-displayfd", "1", "-screen", "0", "1400x900x24", "+extension", "GLX", "+render", "-noreset"]);
  const number = await new Promise<string>((resolve, reject) => {
    if (program.process.stdout) createInterface(program.process.stdout).once("line", resolve);
    program.process.once("exit", () => reject(new Error(`Xvfb ended: ${program.said()}`)));
    program.process.once("error", reject);
  });
  return { name: `:${number.trim()}`, end: program.end };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

interface Program {
  process: ChildProcess;
  said: () => string; // the end of what it printed
  until: (what: string, there: () => boolean | Promise<boolean>) => Promise<void>;
  end: (signal?: NodeJS.Signals) => Promise<void>;
}

/** Starts a program; what it starts ends when it has gone. */
function start(name: string, parameters: string[], env: Record<string, string> = {}): Program {
  const child = spawn(name, parameters, { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  let gone = "";
  for (const output of [child.stdout, child.stderr]) output?.on("data", (text: Buffer) => (said = (said + text.toString()).slice(-2000)));
  child.on("exit", (code, signal) => (gone = `ended with ${code ?? signal}`));
  child.on("error", (error) => (gone = error.message));
  return {
    process: child,
    said: () => said,
    async until(what, there) {
      for (const end = Date.now() + START; !(await there()); await pass(LOOK)) {
        if (gone || Date.now() > end) throw new Error(`${name} ${gone || `has not ${what} in ${START / 1000} s`}: ${said}`);
      }
    },
    async end(signal = "SIGTERM") {
      if (gone || child.pid === undefined) return;
      const ended = once(child, "exit");
      child.kill(signal);
      const late = setTimeout(() => child.kill("SIGKILL"), 5_000);
      await ended;
      clearTimeout(late);
    },
  };
}
