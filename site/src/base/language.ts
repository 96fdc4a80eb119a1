// The browser's language, where libraries trust it to be a language tag. WebKit
// under LANG=C says "C", with which Intl throws while the page's script starts.

/** Makes a language that Intl does not know "en". */
export function mendLanguage(browser: { readonly language: string }): void {
  try {
    new Intl.NumberFormat(browser.language);
  } catch {
    Object.defineProperty(browser, "language", { value: "en", configurable: true });
  }
}
