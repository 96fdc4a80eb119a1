// Where the page may leave files in this browser, for itself alone: the origin's
// private file system. Nothing of it leaves the machine.

/** A flat folder of files. Every call fails where the browser forbids it. */
export interface Shelf {
  list(): Promise<File[]>;
  read(name: string): Promise<File | undefined>;
  write(name: string, content: Blob | string): Promise<void>;
  remove(name: string): Promise<void>;
  alone<T>(work: () => Promise<T>): Promise<T>; // one after the other, in all tabs
}

const FOLDER = "kept";

/** The browser's own; opened when it is first used. */
export class OwnShelf implements Shelf {
  #folder: Promise<FileSystemDirectoryHandle> | undefined;

  #open(): Promise<FileSystemDirectoryHandle> {
    this.#folder ??= (async () => {
      if (!("storage" in navigator) || !("getDirectory" in navigator.storage))
        throw new DOMException("no private file system", "NotSupportedError");
      return (await navigator.storage.getDirectory()).getDirectoryHandle(FOLDER, { create: true });
    })();
    this.#folder.catch(() => (this.#folder = undefined));
    return this.#folder;
  }

  alone<T>(work: () => Promise<T>): Promise<T> {
    return "locks" in navigator ? navigator.locks.request(FOLDER, work) : work();
  }

  async list(): Promise<File[]> {
    const folder = await this.#open();
    const files: File[] = [];
    for await (const handle of (folder as unknown as { values(): AsyncIterable<FileSystemHandle> }).values()) {
      if (handle.kind === "file") files.push(await (handle as FileSystemFileHandle).getFile());
    }
    return files;
  }

  async read(name: string): Promise<File | undefined> {
    try {
      return await (await (await this.#open()).getFileHandle(name)).getFile();
    } catch (error) {
      if (error instanceof DOMException && error.name === "NotFoundError") return undefined;
      throw error;
    }
  }

  async write(name: string, content: Blob | string): Promise<void> {
    const handle = await (await this.#open()).getFileHandle(name, { create: true });
    const out = await handle.createWritable(); // takes the place of what was there when it is closed
    try {
      await out.write(content);
      await out.close();
    } catch (error) {
      await out.abort().catch(() => undefined);
      throw error;
    }
  }

  async remove(name: string): Promise<void> {
    await (await this.#open()).removeEntry(name).catch((error: unknown) => {
      if (!(error instanceof DOMException && error.name === "NotFoundError")) throw error;
    });
  }
}
