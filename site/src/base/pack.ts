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

const LIMIT = 4_000_000; // characters a packed value may unfold to

/** Unpacks what pack made; an error says why it is not such a text. */
export async function unpack(text: string): Promise<unknown> {
  if (!/^1\.[A-Za-z0-9_-]+$/.test(text)) throw new Error("it does not start with 1. or has a letter that base64url does not know");
  const binary = atob(text.slice(2).replaceAll("-", "+").replaceAll("_", "/"));
  const packed = Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
  const reader = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let json = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    json += decoder.decode(value, { stream: true });
    if (json.length > LIMIT) throw new Error(`it unfolds to more than ${LIMIT} characters`);
  }
  return JSON.parse(json + decoder.decode()) as unknown;
}
