// JSON packed into a link: base64url of raw deflate, as core/scenario reads it.

/** Packs a value: "1." and base64url(deflate-raw(JSON)). */
export async function pack(value: unknown): Promise<string> {
  const text = new Blob([JSON.stringify(value)]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const packed = new Uint8Array(await new Response(text).arrayBuffer());
  let binary = "";
  for (const byte of packed) binary += String.fromCharCode(byte);
  return "1." + btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The most characters of a packed question in a link, as core/scenario reads. */
export const MOST_PACKED = 7000;

// The limits of core/strict: what a text that is not the page's own may make it do.
const DEPTH = 64; // lists and objects that lie in each other; one that holds whole documents has 8 more
const MOST = 1 << 20; // bytes a packed value may unfold to,
const SPARED = 64 << 10; // and these
const UNPACKED = 200; // with this many for each packed byte

/** JSON.parse for a text that is not the page's own: recursive code ends at some thousand lists that lie in each other. */
export function parse(text: string, envelope = false): unknown {
  const most = envelope ? DEPTH + 8 : DEPTH;
  let depth = 0;
  for (const [sign] of text.matchAll(/"(?:[^"\\]|\\.)*"?|[[{]|[\]}]/gs)) {
    if (sign === "[" || sign === "{") depth++;
    else if (sign === "]" || sign === "}") depth--;
    if (depth > most) throw new Error(`its lists and objects lie more than ${most} deep in each other`);
  }
  return JSON.parse(text) as unknown;
}

/** Unpacks what pack made; an error says why it is not such a text. */
export async function unpack(text: string): Promise<unknown> {
  if (!/^1\.[A-Za-z0-9_-]+$/.test(text)) throw new Error("it does not start with 1. or has a letter that base64url does not know");
  const binary = atob(text.slice(2).replaceAll("-", "+").replaceAll("_", "/"));
  const packed = Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
  const reader = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const most = Math.min(MOST, SPARED + UNPACKED * packed.length);
  let json = "";
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    bytes += value.length;
    if (bytes > most) {
      void reader.cancel();
      throw new Error(`it unfolds to more than ${most} bytes, which ${packed.length} packed ones may hold`);
    }
    json += decoder.decode(value, { stream: true });
  }
  return parse(json + decoder.decode());
}
