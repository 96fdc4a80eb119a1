// What a link says that nothing reads: a newer version may, so the page opens the rest.
import type { Address } from "./address.ts";

/** An address without the setting that an engine refused, which stays in it as it is, and what is told of it; undefined where the refusal is about none. */
export function withoutUnread(address: Address, refusal: string): { address: Address; told: string } | undefined {
  const found = /^settings: (?:unknown field "([^"]+)"|\S+ has no ([\w.]+),|([\w.]+) is an object,)/.exec(refusal);
  if (!found) return undefined;
  const [, unknown, foreign, within] = found;
  const name = unknown ?? foreign;
  const unread = Object.keys(address.settings).find(
    (key) => (within && key.startsWith(`${within}.`)) || (name && `.${key}.`.includes(`.${name}.`)),
  );
  if (!unread) return undefined;
  const { [unread]: value, ...settings } = address.settings;
  const more: [string, string][] = [...(address.more ?? []), [`x.${unread}`, String(value)]];
  return {
    address: { ...address, settings, more },
    told: `The link also says “x.${unread}”, which nothing here reads; it is kept in the address.`,
  };
}
