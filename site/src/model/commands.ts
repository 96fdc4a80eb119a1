// The one list of what a viewer can do. Buttons, keys, the palette and the
// help all read it.

export interface Command {
  id: string;
  title: string; // as the palette and the help show it
  group: "Run" | "Look" | "Files and links" | "Cluster" | "Help";
  keys?: Chord[];
  unavailable?: () => string; // why not now; "": it can run
  absent?: () => boolean; // there is no such thing here: not even listed
  run: () => void;
}

/** A key by its place on the keyboard, with the label that people read. */
export interface Chord {
  code: string; // KeyboardEvent.code, or the character itself for "?", ">", "/"
  label: string;
  ctrl?: boolean;
  shift?: boolean;
}

export class Commands {
  #list = new Map<string, Command>();

  add(...commands: Command[]): void {
    for (const command of commands) {
      if (this.#list.has(command.id)) throw new Error(`the command ${command.id} is there twice`);
      this.#list.set(command.id, command);
    }
  }

  all(): Command[] {
    return [...this.#list.values()];
  }

  /** Those that palette and help list. */
  listed(): Command[] {
    return this.all().filter((command) => !command.absent?.());
  }

  /** Runs a command; false when it is unknown or cannot run now. */
  run(id: string): boolean {
    const command = this.#list.get(id);
    if (!command || command.absent?.() || command.unavailable?.()) return false;
    command.run();
    return true;
  }

  /** The command of a key press; single characters only when letters are on. */
  find(event: Pick<KeyboardEvent, "code" | "key" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">, letters: boolean): Command | undefined {
    if (event.altKey) return undefined;
    const ctrl = event.ctrlKey || event.metaKey;
    if (!ctrl && !letters) return undefined;
    const having = (matches: (chord: Chord) => boolean) =>
      this.listed().find(({ keys }) => keys?.some((chord) => Boolean(chord.ctrl) === ctrl && matches(chord)));
    return (
      having(({ code }) => code.length === 1 && code === event.key) ??
      having(({ code, shift }) => code.length > 1 && code === event.code && Boolean(shift) === event.shiftKey)
    );
  }
}
