// The one way in which an address becomes a script. Where the browser has Trusted
// Types it asks the policy below, which the content-security policy names (tools/csp).

interface Types {
  createPolicy(name: string, rules: { createScriptURL(address: string): string }): { createScriptURL(address: string): string };
}

const rules = {
  createScriptURL(address: string): string {
    if (address === "offline.js" || address.startsWith(`blob:${location.origin}/`)) return address;
    throw new TypeError(`${address} is no script of this page`);
  },
};
const policy = (globalThis as { trustedTypes?: Types }).trustedTypes?.createPolicy("parley", rules) ?? rules;

/** The address of a worker or of the service worker, as the browser takes it. Every other address is an error. */
export function scriptAddress(address: string): string {
  return policy.createScriptURL(address);
}
