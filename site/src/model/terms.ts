// The words of the field, as the system describes them, found in what stands on the page.
import type { Term } from "../base/messages.ts";

/** A piece of a text: plain, or a word with what it means. */
export interface Piece {
  text: string;
  means?: string;
}

/** Cuts a text at the words that are explained. The longest word counts; one of capitals is looked for as it is, others however they begin. */
export function pieces(text: string, terms: Term[]): Piece[] {
  const means = new Map(terms.flatMap((term) => term.words.map((word) => [word, term.means] as const)));
  if (means.size === 0 || text === "") return [{ text }];
  const cut: Piece[] = [];
  let from = 0;
  for (const found of text.matchAll(patternOf([...means.keys()]))) {
    const word = found[0];
    if (found.index > from) cut.push({ text: text.slice(from, found.index) });
    cut.push({ text: word, means: means.get(word) ?? means.get(word.toLowerCase()) });
    from = found.index + word.length;
  }
  if (from < text.length) cut.push({ text: text.slice(from) });
  return cut;
}

function patternOf(words: string[]): RegExp {
  const spelled = [...words]
    .sort((a, b) => b.length - a.length)
    .map((word) => {
      const plain = word.replace(/[^\w ]/g, "\\$&");
      return word === word.toUpperCase() ? plain : `[${plain[0]}${plain[0].toUpperCase()}]${plain.slice(1)}`;
    });
  return new RegExp(`(?<![\\w-])(?:${spelled.join("|")})(?![\\w-])`, "g");
}
