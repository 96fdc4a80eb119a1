// Theme: light, dark or the system's says.
import { icon } from "../base/icon.ts";
import { recall, remember } from "../base/memory.ts";
import type { Store } from "../model/store.ts";

type Theme = "light" | "dark" | "system";

let tell = () => {};

const dark = matchMedia("(prefers-color-scheme: dark)");

export function startTheme(store: Store<"look">): void {
  tell = () => {
    const { dataset, classList } = document.documentElement;
    const light = dataset.theme === "light" || (dataset.theme !== "dark" && !dark.matches);
    classList.toggle("dark", !light); // paper turns it
    store.set({ light });
  };
  dark.addEventListener("change", tell);
  const kept = recall("theme");
  apply(kept === "light" || kept === "dark" ? kept : "system");
}

/** The next theme. From the system's, the first step is the one that changes something. */
export function cycleTheme(): void {
  const order: Theme[] = dark.matches ? ["system", "light", "dark"] : ["system", "dark", "light"];
  const now = (document.documentElement.dataset.theme ?? "system") as Theme;
  const next = order[(order.indexOf(now) + 1) % order.length];
  remember("theme", next);
  apply(next);
}

function apply(theme: Theme): void {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  tell();
  const button = document.querySelector("header [data-command=theme]");
  if (!button) return;
  const name = { light: "Light theme", dark: "Dark theme", system: "Theme of the system" }[theme];
  button.setAttribute("aria-label", name);
  button.setAttribute("title", name);
  button.replaceChildren(icon(({ light: "sun", dark: "moon", system: "system" } as const)[theme]));
}
