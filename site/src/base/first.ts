// The scenario that the page opens with by itself.

/** Whether a link leaves the run to the page: it says at most how to look at it. */
export function opensFirst(hash: string): boolean {
  return [...new URLSearchParams(hash.replace(/^#/, "")).keys()].every((key) =>
    ["v", "p", "fill", "pal", "scale", "tab", "draw", "embed", "show", "present"].includes(key),
  );
}
