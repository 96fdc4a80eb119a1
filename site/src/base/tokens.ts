// The design tokens of tokens.css, for what is drawn on a canvas or on paper, and the sizes of
// the window at which the page is laid out otherwise.

/** The widths and heights of the window in CSS pixels: a style sheet says max-width with one of them, and min-width with one more. */
export const BREAKPOINTS = {
  tiny: 340,
  phone: 760,
  small: 860,
  medium: 1000,
  narrow: 1100,
  roomy: 1359,
  wide: 1599,
  low: 560,
  short: 600,
  even: 719,
} as const;

/** Tokens on white paper, whatever the theme: their values of the light theme, for files that hold their own looks. */
export const PAPER = {
  "--panel": "#ffffff",
  "--sunken": "#eef0f3",
  "--line": "#dfe3e9",
  "--ink": "#14181f",
  "--ink-2": "#47505e",
  "--ink-3": "#5d6675",
  "--accent": "#1f5fd0",
  "--warn": "#8a5a00",
  "--bad": "#b3261e",
  "--run-1": "#1f5fd0",
  "--run-2": "#b84300",
  "--run-3": "#00765a",
  "--run-4": "#9c2f86",
  "--run-5": "#7a6200",
  "--run-6": "#47505e",
  "--t-s": "12px",
  "--t-m": "13px",
  "--t-l": "15px",
  "--t-xl": "20px",
  "--t-2xl": "26px",
  "--r-2": "4px",
} as const;

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
