// What a figure of a report is called and counted in, by the name it has there.

const UNITS: [ending: RegExp, unit: string][] = [
  [/_pct$/, "%"],
  [/_mb$/, "MB"],
  [/_s$/, "s"],
];

export function unitOfFigure(id: string): string {
  return UNITS.find(([ending]) => ending.test(id))?.[1] ?? "";
}

/** "jobs.wait_s.mean" is "Jobs, wait, mean". */
export function nameOfFigure(id: string): string {
  const bare = id
    .split(".")
    .map((part) => UNITS.reduce((name, [ending]) => name.replace(ending, ""), part))
    .join(", ")
    .replaceAll("_", " ");
  return bare.charAt(0).toUpperCase() + bare.slice(1);
}
