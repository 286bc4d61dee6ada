import { asProblem, type Problem } from './problem.ts';

export interface Snapshot<Body> {
  /** The last answer; stays while a later request fails. */
  readonly body: Body | undefined;
  readonly problem: Problem | undefined;
}

const NOTHING: Snapshot<never> = { body: undefined, problem: undefined };

interface Entry {
  snapshot: Snapshot<unknown>;
  readonly listeners: Set<() => void>;
  /** The request that is running, if any. */
  pending: Promise<void> | undefined;
  /** A change was heard of while the request was running. */
  isDirty: boolean;
}

/** The last answer for each URI. Pages that show the same resource share one request, and find it when they return. */
export class ResourceStore {
  readonly #entries = new Map<string, Entry>();
  readonly #read: (uri: string) => Promise<unknown>;

  constructor(read: (uri: string) => Promise<unknown>) {
    this.#read = read;
  }

  snapshot<Body>(uri: string): Snapshot<Body> {
    return (this.#entries.get(uri)?.snapshot ?? NOTHING) as Snapshot<Body>;
  }

  /** @returns the end of the interest */
  watch(uri: string, listener: () => void): () => void {
    const { listeners } = this.#entry(uri);
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  /** Reads it again. A call while a request runs leads to one more request after it. */
  async refresh(uri: string): Promise<void> {
    const entry = this.#entry(uri);
    if (entry.pending !== undefined) entry.isDirty = true;
    entry.pending ??= this.#load(uri, entry);
    await entry.pending;
  }

  /** A resource has changed: reads again what is shown of it, and the collections that contain it. */
  changed(uri: string): void {
    for (const [path, { listeners }] of this.#entries) {
      const [plain = ''] = path.split('?');
      const isCollection = path !== plain && uri.startsWith(`${plain}/`);
      if (listeners.size > 0 && (plain === uri || isCollection)) void this.refresh(path);
    }
  }

  /** Reads again all that is shown: changes may have been missed. */
  refreshShown(): void {
    for (const [path, { listeners }] of this.#entries) if (listeners.size > 0) void this.refresh(path);
  }

  async #load(uri: string, entry: Entry): Promise<void> {
    entry.isDirty = false;
    try {
      entry.snapshot = { body: await this.#read(uri), problem: undefined };
    } catch (error) {
      entry.snapshot = { body: entry.snapshot.body, problem: asProblem(error) };
    }
    for (const listener of entry.listeners) listener();
    if (this.#entry(uri).isDirty) await this.#load(uri, entry);
    entry.pending = undefined;
  }

  #entry(uri: string): Entry {
    let entry = this.#entries.get(uri);
    if (entry === undefined) {
      entry = { snapshot: NOTHING, listeners: new Set(), pending: undefined, isDirty: false };
      this.#entries.set(uri, entry);
    }
    return entry;
  }
}
