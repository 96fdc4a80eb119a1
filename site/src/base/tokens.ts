// The design tokens of tokens.css, for what is drawn on a canvas.

/** Gives the value of a token by its name, as in "--ink". */
export type Token = (name: string) => string;

/** Returns the token of a name as it holds for an element now: of the two colours of light-dark(), the one of its theme. */
export function tokensOf(element: Element): Token {
  const style = getComputedStyle(element);
  const dark = style.colorScheme === "dark" || (style.colorScheme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  const read = (name: string) => {
    const value = style.getPropertyValue(name).trim();
    return /^light-dark\((.+),\s*(.+)\)$/.exec(value)?.[dark ? 2 : 1] ?? value;
  };
  const known = new Map<string, string>(); // a picture asks for the same few, thousands of times
  return (name) => known.get(name) ?? (known.set(name, read(name)).get(name) as string);
}
