// Dumps of Kubernetes among files that are opened: as core/kube/dump detects them.

const HEAD = 64 << 10; // bytes of a file that are looked at

/** Reports whether a text begins like what kubectl prints, as JSON or as YAML. */
export function looksLikeDump(text: string): boolean {
  const begin = text.replace(/^\ufeff/, "").trimStart();
  if (/^\[?\s*\{/.test(begin)) {
    const has = (name: string) => begin.includes(`"${name}"`);
    return (has("apiVersion") && (has("items") || (has("kind") && has("metadata")))) || (has("items") && has("metadata") && has("kind"));
  }
  return /^apiVersion:/m.test(begin) && /^(items|metadata|kind):/m.test(begin);
}

/** Reports whether all files are dumps of Kubernetes, plain or gzip. */
export async function areDumps(files: File[]): Promise<boolean> {
  if (files.length === 0) return false;
  const found = await Promise.all(files.map(async (file) => looksLikeDump(await headOf(file).catch(() => ""))));
  return found.every((is) => is);
}

/** The beginning of a file as text, unpacked if it is gzip. */
async function headOf(file: File): Promise<string> {
  const head = await file.slice(0, HEAD).arrayBuffer();
  const [a, b] = new Uint8Array(head);
  if (a !== 0x1f || b !== 0x8b) return new TextDecoder().decode(head);
  const reader = new Blob([head]).stream().pipeThrough(new DecompressionStream("gzip")).getReader();
  const decoder = new TextDecoder();
  let text = "";
  while (text.length < HEAD) {
    const part = await reader.read().catch(() => undefined); // the head breaks off
    if (!part || part.done) break;
    text += decoder.decode(part.value, { stream: true });
  }
  void reader.cancel().catch(() => undefined);
  return text;
}
