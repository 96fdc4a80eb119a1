// Pictures of the page beside the ones that are kept: small ones, compared by
// blocks, so that another font or a finer edge passes, and another colour, a
// missing panel or a grey stage does not.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import type { Browser, Page } from "playwright-core";
import { RESULTS } from "./harness.ts";

/** Where the pictures are kept that the page is held to. */
const KEPT = "test/e2e/pictures";

/** A kept picture has a given number of pixels for one of the page. */
const SCALE = 3 / 8;

/** A block of a small picture is a given number of pixels wide and high: 16 of the page. */
const BLOCK = 6;

/** What a block's mean colour may be off in one channel, of 255. */
const OFF = 26;

/** What share of the blocks may be off by more. */
const SHARE = 0.05;

/** So many looks in a row at the same picture say that it stands still, and a given number of are taken at most. */
const [STILL, MOST] = [10, 60];

/** Set to "write", the tests keep what they see. */
const WRITE = process.env.PARLEY_PICTURES === "write";

const tables = new WeakMap<Browser, Promise<Page>>();

/** An empty page without the page's own rules, which reads and paints pictures. */
function table(page: Page): Promise<Page> {
  const browser = page.context().browser();
  if (!browser) throw new Error("the page has no browser");
  let made = tables.get(browser);
  if (!made) tables.set(browser, (made = browser.newPage()));
  return made;
}

/** A small picture of a PNG, as WebP. */
async function reduce(by: Page, png: Buffer): Promise<Buffer> {
  const encoded = await by.evaluate(
    async ({ source, scale }) => {
      const image = await createImageBitmap(await (await fetch(source)).blob());
      const canvas = document.createElement("canvas");
      canvas.width = Math.round(image.width * scale);
      canvas.height = Math.round(image.height * scale);
      const context = canvas.getContext("2d");
      if (!context) throw new Error("no canvas");
      context.imageSmoothingQuality = "high";
      context.drawImage(image, 0, 0, canvas.width, canvas.height);
      return canvas.toDataURL("image/webp", 0.8);
    },
    { source: `data:image/png;base64,${png.toString("base64")}`, scale: SCALE },
  );
  return Buffer.from(encoded.slice(encoded.indexOf(",") + 1), "base64");
}

/** The share of blocks in which two small pictures differ; 1 when their sizes do. */
function differing(by: Page, one: Buffer, other: Buffer, off = OFF): Promise<number> {
  return by.evaluate(
    async ({ sources, block, off }) => {
      const pictures: ImageData[] = [];
      for (const source of sources) {
        const image = await createImageBitmap(await (await fetch(source)).blob());
        const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
        if (!context) throw new Error("no canvas");
        context.drawImage(image, 0, 0);
        pictures.push(context.getImageData(0, 0, image.width, image.height));
      }
      const [a, b] = pictures;
      if (!a || !b || a.width !== b.width || a.height !== b.height) return 1;
      let differ = 0;
      let blocks = 0;
      for (let y = 0; y < a.height; y += block) {
        for (let x = 0; x < a.width; x += block) {
          const sum = [0, 0, 0];
          let count = 0;
          for (let py = y; py < Math.min(y + block, a.height); py++) {
            for (let px = x; px < Math.min(x + block, a.width); px++, count++) {
              const i = 4 * (py * a.width + px);
              for (let c = 0; c < 3; c++) sum[c] = (sum[c] ?? 0) + (a.data[i + c] ?? 0) - (b.data[i + c] ?? 0);
            }
          }
          blocks++;
          if (sum.some((value) => Math.abs(value) > off * count)) differ++;
        }
      }
      return differ / blocks;
    },
    { sources: [one, other].map((webp) => `data:image/webp;base64,${webp.toString("base64")}`), block: BLOCK, off },
  );
}

/** The share of blocks in which two PNGs of one size differ. */
export async function unlike(page: Page, one: Buffer, other: Buffer): Promise<number> {
  return differing(await table(page), one, other);
}

/** The share of the pixels of two PNGs that differ by more than 24 of 255 in a channel. */
export function apart(by: Page, one: Buffer, other: Buffer): Promise<number> {
  return by.evaluate(
    async ([a, b]) => {
      const pixels = async (url: string) => {
        const image = new Image();
        image.src = url;
        await image.decode();
        const canvas = new OffscreenCanvas(image.width, image.height);
        const pen = canvas.getContext("2d");
        pen?.drawImage(image, 0, 0);
        return pen?.getImageData(0, 0, image.width, image.height).data ?? new Uint8ClampedArray();
      };
      const [one, two] = [await pixels(a), await pixels(b)];
      let differing = 0;
      for (let i = 0; i < one.length; i += 4) {
        const most = Math.max(Math.abs(one[i] - two[i]), Math.abs(one[i + 1] - two[i + 1]), Math.abs(one[i + 2] - two[i + 2]));
        if (most > 24) differing++;
      }
      return differing / (one.length / 4);
    },
    [one, other].map((png) => `data:image/png;base64,${png.toString("base64")}`),
  );
}

/** What is wrong with the page's picture, or nothing: it is looked at once it stands still. */
export async function wrong(page: Page, name: string): Promise<string> {
  const by = await table(page);
  const file = `${KEPT}/${name}.webp`;
  const kept = !WRITE && existsSync(file) ? readFileSync(file) : undefined;
  let before: Buffer | undefined;
  let still = 0; // looks in a row that saw the same
  for (let look = 0; look < MOST; look++) {
    const png = await page.screenshot({ animations: "disabled", caret: "hide" });
    const seen = await reduce(by, png);
    const share = kept ? await differing(by, kept, seen) : 1;
    if (kept && share <= SHARE) return "";
    still = before && (await differing(by, before, seen, 3)) === 0 ? still + 1 : 0;
    before = seen;
    if (still < STILL && look < MOST - 1) continue; // figures come a few times a second, on a busy machine later
    mkdirSync(WRITE ? KEPT : RESULTS, { recursive: true });
    if (WRITE) {
      writeFileSync(file, seen);
      return "";
    }
    writeFileSync(`${RESULTS}/${name}.png`, png);
    if (!kept) return `nothing is kept to hold ${name} to; PARLEY_PICTURES=write keeps what is seen (site/${RESULTS}/${name}.png)`;
    return `${name}: ${Math.round(100 * share)} % of the picture is not as in site/${file} (at most ${100 * SHARE} %); what is seen is site/${RESULTS}/${name}.png`;
  }
  return "";
}
