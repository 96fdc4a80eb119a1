// What each party owns and owes: the accounts of the running system's parties, the busiest of
// each kind, kept up to date.
import { atMostEvery, h, html, render, repeat } from "../../../base/dom.ts";
import { count } from "../../../base/format.ts";
import type { Account } from "../../../base/messages.ts";
import { focus, select } from "../../../model/look.ts";
import type { Store } from "../../../model/store.ts";

/** An amount with its thousandths; nothing where there is none. */
export function amount(value: number): string {
  return value === 0
    ? "–"
    : value.toLocaleString("en", { maximumFractionDigits: 3, minimumFractionDigits: Number.isInteger(value) ? 0 : 3 });
}

/** The sums of the accounts of each kind, in the order in which the kinds come. */
export function sums(
  accounts: Account[],
): { role: string; parties: number; balance: number; received: number; paid: number; pending: number; deals: number }[] {
  const roles = new Map<string, ReturnType<typeof sums>[number]>();
  for (const { role, balance, received, paid, pending, deals } of accounts) {
    const sum = roles.get(role) ?? { role, parties: 0, balance: 0, received: 0, paid: 0, pending: 0, deals: 0 };
    roles.set(role, {
      role,
      parties: sum.parties + 1,
      balance: sum.balance + balance,
      received: sum.received + received,
      paid: sum.paid + paid,
      pending: sum.pending + pending,
      deals: sum.deals + deals,
    });
  }
  return [...roles.values()];
}

export function mountAccounts(element: HTMLElement, store: Store<"reported" | "look" | "chosen">): () => void {
  const note = h("p.quiet");
  const body = h("tbody");
  const heads = ["party", "kind", "balance", "credited", "paid", "pending", "units"].map((name, i) =>
    h("th", { scope: "col", class: i > 1 ? "n" : "" }, name),
  );
  element.replaceChildren(note, h("table.full", {}, h("thead", {}, h("tr", {}, ...heads)), body));
  const numbers = ({ balance, received, paid, pending, deals }: Omit<Account, "party" | "role" | "node">) =>
    [...[balance, received, paid, pending].map(amount), count(deals)].map((text) => html`<td class="n">${text}</td>`);
  const name = ({ party, node }: Account) => {
    const show = () => {
      select(store, node);
      focus(store);
    };
    if (node < 0) return party;
    return html`<button type="button" class="link" id=${`account-${node}`} aria-label=${`Show ${party}`} @click=${show}>${party}</button>`;
  };
  const update = atMostEvery(500, () => {
    const { accounts, accountsLeft } = store.state;
    note.hidden = accounts.length > 0 && accountsLeft === 0;
    note.textContent =
      accounts.length === 0
        ? "No accounts yet."
        : `The ${count(accounts.length)} with the largest turnover; ${count(accountsLeft)} more are not listed.`;
    const sum = (of: ReturnType<typeof sums>[number]) => html`<tr class="sum">
      <th scope="row">all ${count(of.parties)} listed</th><td>${of.role}</td>${numbers(of)}</tr>`;
    const row = (of: Account) => html`<tr><th scope="row">${name(of)}</th><td>${of.role}</td>${numbers(of)}</tr>`;
    render(html`${repeat(sums(accounts), ({ role }) => role, sum)}${repeat(accounts, ({ role, party }) => `${role} ${party}`, row)}`, body);
  });
  return store.watch(["accounts"], update);
}
