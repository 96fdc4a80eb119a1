// What the columns of a table of jobs mean: what a viewer says of them, as a mapping of
// the scenario and of the command line.
import { capital, number, stopped } from "../base/format.ts";
import type { FromWorker, TableColumn } from "../base/messages.ts";

export type Table = Extract<FromWorker, { type: "table" }>;

/** What is said of a column: the field that it holds, or "" if it is left out, and its unit, or "" as it is found. */
export interface Said {
  field: string;
  unit: string;
}

/** What is said of the table as a whole, as mappings spell it; "": as it is found. */
export interface Whole {
  zone: string;
  decimal: string;
  dates: string;
  machine: string;
}

/** The fields in the words of people. */
export const FIELDS: Record<string, string> = {
  id: "Job number",
  submit: "Submitted",
  start: "Started",
  end: "Ended",
  runtime: "Run time",
  processors: "Processors",
  requested: "Estimate (limit)",
  user: "User",
  group: "Group, account",
  queue: "Queue",
  state: "State",
  memory: "Memory",
  qos: "QOS",
  dependency: "Dependency",
  throttle: "Array limit",
  exclusive: "Whole nodes",
  switches: "Switches",
  command: "Command line",
  name: "Job name",
  preceding: "Preceding job",
  think: "Think time",
};

const MOMENTS = ["submit", "start", "end"];
const SPANS = ["runtime", "requested", "think"];

/** The units that a column with a field may have, and their names; undefined where it holds no times. */
export function unitsOf(field: string, units: string[]): string[] | undefined {
  if (SPANS.includes(field)) return units;
  return MOMENTS.includes(field) ? units.filter((unit) => ["s", "ms", "us", "ns"].includes(unit)) : undefined;
}

const UNITS: Record<string, string> = {
  ...{ s: "seconds", ms: "milliseconds", us: "microseconds", ns: "nanoseconds", min: "minutes", h: "hours", d: "days" },
  ...{ "hh:mm": "hours:minutes", "mm:ss": "minutes:seconds", date: "date and time", "h:m:s": "hours:minutes:seconds" },
};

/** A unit in the words of people; of numbers that are points in time since 1970 or another zero. */
export function unitName(unit: string, field: string): string {
  const name = UNITS[unit] ?? unit;
  return MOMENTS.includes(field) && unit in UNITS && unit !== "date" ? `${name} since 1970 or a zero` : name;
}

/** The mapping that says which column holds what. Fields that were found by name, and are not wanted, are said to be in no column. */
export function mappingOf(columns: Pick<TableColumn, "name">[], said: Said[], whole: Whole, found: string[]): string {
  const parts = said.flatMap(({ field, unit }, i) =>
    field ? [`${field}=${quoted(columns[i].name)}${unit && unitsOf(field, [unit]) ? `:${unit}` : ""}`] : [],
  );
  const taken = new Set(said.map(({ field }) => field));
  parts.push(...found.filter((field) => field && !taken.has(field)).map((field) => `${field}=-`));
  for (const key of ["zone", "decimal", "dates", "machine"] as const) if (whole[key].trim()) parts.push(`${key}=${whole[key].trim()}`);
  return parts.join(", ");
}

/** A name as mappings have it. */
function quoted(name: string): string {
  return /[,:"= ]/.test(name) ? `"${name}"` : name;
}

/** What a mapping says of the table as a whole; the columns are told by the table that was read with it. */
export function wholeOf(mapping: string): Whole {
  const plain = mapping.replaceAll(/"[^"]*"/g, "");
  const value = (key: string) => new RegExp(`(?:^|,)\\s*${key}\\s*=\\s*([^,]*)`, "i").exec(plain)?.[1].trim() ?? "";
  return { zone: value("zone"), decimal: value("decimal"), dates: value("dates"), machine: value("machine") };
}

/** Gives a column a field, which another column may have had. */
export function assign(said: Said[], column: number, field: string): Said[] {
  return said.map((one, i) => (i === column ? { field, unit: "" } : one.field === field && field ? { field: "", unit: "" } : one));
}

/** The command line that reads the file in the same way. */
export function commandOf(file: string, mapping: string): string {
  return `parley run ${shell(file.startsWith("-") ? `./${file}` : file)} --map ${shell(mapping)}`;
}

function shell(text: string): string {
  return /^[\w.,/=:+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** What a table is, and what a viewer must look at. */
export function described({ columns, comma, decimal, rows, whole, asks }: Table): string {
  const between = { ";": "semicolons", ",": "commas", "|": "bars", "\t": "tabs" }[comma] ?? `“${comma}”`;
  const guesses = columns.filter(({ guess }) => guess).length;
  const check = asks
    ? "Say what is missing below."
    : guesses > 0
      ? `Check the ${guesses === 1 ? "marked unit" : `${guesses} marked units`}.`
      : "Check them before you open it.";
  return `A table with ${number(columns.length, "column")}${whole && !asks ? ` and ${number(rows, "row")}` : ""}; separated by ${between}${decimal === "," ? ", decimal commas" : ""}. Meanings are guessed from names and values. ${check}`;
}

/** The question of a table as a sentence about it. */
export function question(asks: string): string {
  const sentence = asks
    .replace(/^is a table( of jobs)? without a/, "There is no")
    .replace(/^is a table of jobs with/, "There is")
    .replace(/ \(columns: .*\)$/, "");
  return stopped(capital(sentence));
}
