// What the page remembers of its viewer in this browser: the theme, whether
// letters are shortcuts, whether the hint was read. Where the browser forbids
// it, nothing is remembered.

export function recall(name: string): string {
  try {
    return localStorage.getItem(name) ?? "";
  } catch {
    return "";
  }
}

export function remember(name: string, value: string): void {
  try {
    localStorage.setItem(name, value);
  } catch {
    // Forbidden or full: the choice holds until the page closes.
  }
}
