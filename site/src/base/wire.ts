// How messages cross between the page and its workers: JSON text, and beside it the
// buffers and files that the text names by number. core/message is the other side.

/** A message on its way. */
export interface Wire {
  text: string;
  parts: unknown[];
}

type Numbers = Uint16Array | Int32Array | Float64Array;

const CLASSES: Record<string, new (buffer: ArrayBuffer) => Numbers> = { Uint16Array, Int32Array, Float64Array };

/** Writes a message; the buffers of what it returns may be transferred. */
export function pack(message: object): Wire {
  const parts: unknown[] = [];
  const text = JSON.stringify(message, (_, value: unknown) => {
    if (value instanceof ArrayBuffer) return { part: parts.push(value) - 1, as: "ArrayBuffer" };
    if (value instanceof File) return { part: parts.push(value) - 1, name: value.name, size: value.size };
    if (ArrayBuffer.isView(value)) return { part: parts.push((value as Numbers).slice().buffer) - 1, as: value.constructor.name };
    return value;
  });
  return { text, parts };
}

/** The parts that change hands with a message; files are copied by name. */
export function transferable({ parts }: Wire): ArrayBuffer[] {
  return parts.filter((part) => part instanceof ArrayBuffer);
}

/** Reads a message. */
export function unpack<Message>({ text, parts }: Wire): Message {
  if (parts.length === 0) return JSON.parse(text) as Message;
  return JSON.parse(text, (_, value: unknown) => {
    if (typeof value !== "object" || value === null || !("part" in value)) return value;
    const part = parts[(value as { part: number }).part];
    const { as = "" } = value as { as?: string };
    return as in CLASSES ? new CLASSES[as](part as ArrayBuffer) : part;
  }) as Message;
}
