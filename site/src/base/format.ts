// Numbers and simulated times as people and links spell them. Times are
// microseconds.

export const SECOND = 1_000_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** "06:12:40", "3 d 06:12:40", "06:12:40.5" when fractions are wanted. */
export function clock(us: number): string {
  const seconds = Math.floor(us / SECOND);
  const days = Math.floor(seconds / 86_400);
  const two = (n: number) => String(n).padStart(2, "0");
  const time = `${two(Math.floor(seconds / 3600) % 24)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  return days > 0 ? `${days} d ${time}` : time;
}

/** The same to the millisecond: "06:12:40.004". */
export function fineClock(us: number): string {
  return `${clock(us)}.${String(Math.floor((us % SECOND) / 1000)).padStart(3, "0")}`;
}

/** A duration as scenarios and links write it: "6h12m40s", "29d", "0.5s". */
export function duration(us: number): string {
  let text = "";
  let rest = Math.max(0, Math.round(us));
  for (const [size, name] of [
    [DAY, "d"],
    [HOUR, "h"],
    [MINUTE, "m"],
  ] as const) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) text += count + name;
  }
  if (rest === 0 && text !== "") return text;
  const fraction = String(rest % SECOND)
    .padStart(6, "0")
    .replace(/0+$/, "");
  return `${text}${Math.floor(rest / SECOND)}${fraction && "." + fraction}s`;
}

const units: Record<string, number> = { d: DAY, h: HOUR, m: MINUTE, s: SECOND, ms: 1000, us: 1, µs: 1 };

/** Reads what duration writes, and "06:12:40" or "6:12" beside it; undefined when it is neither. */
export function parseDuration(text: string): number | undefined {
  const trimmed = text.trim();
  const spelled = /^(?:(\d+) ?d ?)?(\d{1,2}):(\d{2})(?::(\d{2}))?$/.exec(trimmed);
  if (spelled) {
    const [, days = "0", hours, minutes, seconds = "0"] = spelled;
    return Number(days) * DAY + Number(hours) * HOUR + Number(minutes) * MINUTE + Number(seconds) * SECOND;
  }
  if (!/^(\d+(\.\d+)?(d|h|ms|m|s|us|µs))+$/.test(trimmed)) return undefined;
  let total = 0;
  for (const [, count, unit] of trimmed.matchAll(/(\d+(?:\.\d+)?)(d|h|ms|m|s|us|µs)/g)) total += Number(count) * units[unit];
  return Number.isFinite(total) && total <= Number.MAX_SAFE_INTEGER ? Math.round(total) : undefined;
}

const grouped = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

/** "12,500" */
export function count(n: number): string {
  return grouped.format(n);
}

/** "1 piece", "12 pieces" */
export function number(n: number, what: string): string {
  return `${count(n)} ${what}${n === 1 ? "" : "s"}`;
}

/** Three digits and a prefix: "2.1 M", "870", "0.25". */
export function short(n: number): string {
  const size = Math.abs(n);
  for (const [unit, name] of [
    [1e12, " T"],
    [1e9, " G"],
    [1e6, " M"],
    [1e4, " k"],
  ] as const) {
    if (size >= unit) {
      const scale = name === " k" ? 1e3 : unit;
      return digits(n / scale) + name;
    }
  }
  return digits(n);
}

/** At most three digits that matter: "0.005", "0.25", "4.2", "87", "1,204". */
export function digits(n: number): string {
  const size = Math.abs(n);
  if (size >= 100) return grouped.format(n);
  if (size >= 10) return n.toFixed(1).replace(/\.0$/, "");
  if (size < 0.1 && size >= 1e-6) return String(Number(n.toPrecision(2)));
  return n.toFixed(2).replace(/\.?0+$/, "");
}

/** A file of the page that is being loaded. */
export interface Download {
  file: string;
  bytes: number;
  total: number; // 0: the server does not say
}

/** "Loading whole.wasm: 1.2 MB of 3 MB" */
export function coming({ file, bytes: come, total }: Download): string {
  return `Loading ${file}: ${bytes(come)}${total > 0 ? ` of ${bytes(total)}` : ""}`;
}

/** "96 MB", "1.2 GB" */
export function bytes(n: number): string {
  if (n < 1000) return `${Math.round(n)} B`;
  for (const [unit, name] of [
    [1e12, "TB"],
    [1e9, "GB"],
    [1e6, "MB"],
  ] as const) {
    if (n >= unit) return `${digits(n / unit)} ${name}`;
  }
  return `${digits(n / 1e3)} kB`;
}

/** A playback speed: "600×", "as fast as it goes" is "max". */
export function speed(n: number): string {
  return n === 0 ? "max" : `${count(n)}×`;
}

/** A value of a column with its unit: "51.2 %", "38 GB". */
export function quantity(value: number, unit: string): string {
  if (unit === "MB" || unit === "MB/min") return bytes(value * 1e6) + unit.slice(2);
  if (unit === "%") return `${digits(value)} %`;
  return unit === "" ? short(value) : `${short(value)} ${unit}`;
}

/** A setting's or a count's name for people: "memory_used" is "Memory used". */
export function words(name: string): string {
  const text = name.replaceAll(/[_-]+/g, " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A text that begins a sentence. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A share of the reference machine with the digits that matter: "0.415", "0.0407". */
export function fraction(value: number): string {
  return value >= 0.1 || value === 0 ? value.toFixed(3).replace(/(\.\d+?)0+$/, "$1") : value.toFixed(4);
}

/** A sentence that came without its capital and its stop. */
export function stopped(sentence: string): string {
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`;
}

/** Whole percent, never 100 while there is work. */
export function percent(done: number, total: number): number {
  return total > 0 ? Math.min(99, Math.max(0, Math.floor((100 * done) / total))) : 0;
}

/** How long ago something was: "now", "27 s", "4 min", "2 h", "3 d". */
export function age(us: number): string {
  const seconds = Math.floor(us / SECOND);
  if (seconds < 1) return "now";
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}

/** The same as the end of a clause: "just now", "27 s ago". */
export function ago(us: number): string {
  return us < SECOND ? "just now" : `${age(us)} ago`;
}

const SAME = 1e-9; // of a difference that is none

/** A difference with its sign; one between percentages is in points. */
export function difference(value: number | undefined, unit: string): string {
  if (value === undefined) return "";
  if (Math.abs(value) < SAME) return "=";
  const size = unit === "%" ? `${quantity(Math.abs(value), "")} pp` : quantity(Math.abs(value), unit);
  return (value > 0 ? "+" : "−") + size;
}
