// What belongs together in a feed: what one node did within a second is one story.
import { SECOND } from "../base/format.ts";
import type { Line } from "../base/messages.ts";

/** A line of a feed; follows: it goes on from the line above it, with the same node, whose name its words leave out. */
export interface Told extends Line {
  follows: boolean;
}

/** Lines from the newest to the oldest become stories, the newest first, each told from its beginning. */
export function told(lines: Line[]): Told[] {
  const stories: Line[][] = [];
  for (const line of lines) {
    const story = stories.at(-1);
    const first = story?.[0];
    if (
      story &&
      first &&
      subject(line) !== "" &&
      subject(line) === subject(first) &&
      Math.floor(line.at / SECOND) === Math.floor(first.at / SECOND)
    )
      story.unshift(line);
    else stories.push([line]);
  }
  return stories.flatMap((story) =>
    story.map((line, i) =>
      i === 0 ? { ...line, follows: false } : { ...line, text: line.text.slice(subject(line).length + 1), follows: true },
    ),
  );
}

/** Returns the node with which a line begins, or nothing. */
function subject({ text }: Line): string {
  return /^Node \d+(?= )/.exec(text)?.[0] ?? "";
}
