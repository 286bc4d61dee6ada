import {
  blackRectangle,
  BYTES_PER_PIXEL,
  EMPTY_RECTANGLE,
  ENCODING,
  nameRectangle,
  rectangleHeader,
  serverInit,
  type Size,
  updateHeader,
} from './messages.ts';
import { type InputEffect, PressedKeys } from './pressed-keys.ts';
import { RfbError } from './rfb-error.ts';
import { isOfPixels, type Rectangle } from './server-stream.ts';
import { type InputKind, ViewerStream } from './viewer-stream.ts';
import type { AttachedViewer, Viewer, ViewerEnd } from './viewer.ts';

/** What every viewer is told. */
export interface ScreenFacts {
  readonly name: string;
  readonly size: Size;
  /** A rectangle with the pointer's shape; undefined: not known. */
  readonly cursor: Buffer | undefined;
}

/** What a viewer asks of the screen. */
export interface ViewerScreen {
  readonly facts: ScreenFacts;
  /** The viewer has sent ClientInit. `greet` it when there is a picture or none is to be expected. */
  started(isShared: boolean): void;
  /** The viewer may want an update. */
  wants(): void;
  /** @returns whether the machine gets it */
  input(message: Buffer, kind: InputKind, effect: InputEffect): boolean;
  /** The viewer is gone. */
  ended(): void;
}

/** Unsent bytes above which a viewer is left out of an update. */
const SKIPPED_ABOVE = 256 * 1024;
/** Rectangles of one update at most, with room for the facts; the field has 16 bits. */
const MOST_RECTANGLES = 65_000;
/** Bytes of a black picture at most. */
const MOST_BLACK = 4 * 1024 * 1024;

/**
 * One viewer of the screen: its handshake, its requests, and its part of the updates of the machine, which pass through as they are. A
 * viewer that has not asked for an update when one comes gets it later; one that has missed something needs a full update.
 */
export class ViewerConnection implements AttachedViewer {
  readonly viewer: Viewer;
  readonly #screen: ViewerScreen;
  readonly #stream: ViewerStream;
  readonly #pressed = new PressedKeys();
  #encodings: ReadonlySet<number> = new Set();
  #hasEnded = false;
  /** Whether it has sent ClientInit, and whether it has got ServerInit. */
  #hasStarted = false;
  #isGreeted = false;
  /** It has asked for an update and not got it. */
  #isAsking = false;
  /** It has asked for its first update, and not got one with pixels. */
  #isNew = true;
  /** Only a full update can make its picture right. */
  #needsAll = true;
  /** Pixels of the full update that was asked for it and has not come. */
  #missing = 0;
  /** Its part in the present update: passed on, or held until it asks. */
  #part: 'None' | 'Passed' | 'Held' = 'None';
  /** Whether the present rectangle is for it. */
  #reads = false;
  #held: { count: number; pieces: Buffer[]; bytes: number } = { count: 0, pieces: [], bytes: 0 };
  #outgoing: Buffer[] = [];
  #told: Partial<ScreenFacts> & { extendedKeys?: true } = {};

  constructor(viewer: Viewer, screen: ViewerScreen) {
    this.viewer = viewer;
    this.#screen = screen;
    this.#stream = new ViewerStream({
      write: (data) => {
        this.#outgoing.push(data);
      },
      started: (isShared) => {
        this.#hasStarted = true;
        screen.started(isShared);
      },
      encodings: (encodings) => {
        this.#encodings = encodings;
      },
      requested: (isIncremental) => {
        this.#request(isIncremental);
      },
      input: (message, kind) => {
        if (!viewer.canType) return;
        const isSent = screen.input(message, kind, this.#pressed.effectOf(message, kind));
        if (isSent) this.#pressed.note(message, kind);
      },
    });
    this.flush();
  }

  get hasStarted(): boolean {
    return this.#hasStarted;
  }

  /** Whether it has asked for an update at some time; its encodings are known then. */
  get isReady(): boolean {
    return this.#isGreeted && (this.#isAsking || !this.#isNew);
  }

  get isWaiting(): boolean {
    return this.#isGreeted && this.#isAsking && this.viewer.buffered <= SKIPPED_ABOVE;
  }

  get needsAll(): boolean {
    return this.#needsAll;
  }

  /** Bytes that are kept for it. */
  get backlog(): number {
    return this.viewer.buffered + this.#held.bytes;
  }

  get part(): 'None' | 'Passed' | 'Held' {
    return this.#part;
  }

  reads(encoding: number): boolean {
    return this.#encodings.has(encoding);
  }

  received(data: Buffer): void {
    if (this.#hasEnded) return;
    try {
      this.#stream.push(data);
    } catch (error) {
      if (!(error instanceof RfbError)) throw error;
      this.end(error.code, error.message);
    }
    this.flush();
  }

  written(): void {
    if (!this.#hasEnded) this.#screen.wants();
  }

  closed(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    for (const release of this.#pressed.release()) this.#screen.input(release, kindOf(release), 'Release');
    this.#screen.ended();
  }

  end(reason: ViewerEnd, message: string): void {
    if (this.#hasEnded) return;
    this.flush();
    this.closed();
    this.viewer.close(reason, message);
  }

  /** Sends ServerInit, once. */
  greet(): void {
    if (this.#isGreeted) return;
    this.#isGreeted = true;
    const { size, name } = this.#screen.facts;
    this.#told = { size, name };
    this.#outgoing.push(serverInit(size, name));
  }

  /** Its picture has become wrong: the machine's stream has ended. */
  reset(): void {
    this.miss();
    this.#part = 'None';
    // The machine has released the keys.
    this.#pressed.release();
  }

  /** It does not get what is held for it, and needs a full update. */
  miss(): void {
    this.#needsAll = true;
    this.#missing = 0;
    this.#forget();
    if (this.#part === 'Held') this.#part = 'None';
  }

  /** A full update is asked from the machine now: from the next update on, the viewer takes part. */
  join({ width, height }: Size): void {
    this.#needsAll = false;
    this.#missing = width * height;
  }

  /** An update of the machine begins. */
  begin(count: number): void {
    this.#part = 'None';
    if (!this.#isGreeted || this.#needsAll) return;
    const { bytes, count: held } = this.#held;
    if (this.viewer.buffered > SKIPPED_ABOVE || bytes > SKIPPED_ABOVE || held + count > MOST_RECTANGLES) {
      this.miss();
      return;
    }
    this.#held.count += count;
    this.#part = 'Held';
    if (this.#isAsking) this.#pass();
  }

  /** The next rectangle of the update, whose body follows. */
  rectangle(header: Buffer, { encoding, width, height }: Rectangle): void {
    if (this.#part === 'None') return;
    // After a change of the size, nothing more fits.
    this.#reads = isOfPixels(encoding) && !this.#needsAll && (encoding === ENCODING.raw || this.reads(encoding));
    this.#put(this.#reads ? header : EMPTY_RECTANGLE);
    if (!this.#reads && isOfPixels(encoding)) this.#needsAll = true;
    if (this.#reads) this.#missing = Math.max(0, this.#missing - width * height);
  }

  body(data: Buffer): void {
    if (this.#part !== 'None' && this.#reads) this.#put(data);
  }

  /** The update is complete. */
  complete(): void {
    const hasPassed = this.#part === 'Passed';
    this.#part = 'None';
    // A full update may come in several parts.
    if (hasPassed) this.#isAsking = this.#missing > 0 && !this.#needsAll;
    if (this.#needsAll) this.miss();
  }

  /** The size has changed within an update. */
  resized(): void {
    this.#needsAll = true;
  }

  /** Tells it what has changed in the facts, if it has asked for an update. */
  tell(): void {
    if (this.#isAsking && !this.#isNew && this.#part === 'None') this.#answer([]);
  }

  /** A black picture for a viewer that waits for its first one. */
  blacken(): void {
    if (!this.#isAsking || !this.#isNew) return;
    const { size } = this.#screen.facts;
    const encoding = this.reads(ENCODING.hextile) ? ENCODING.hextile : ENCODING.raw;
    if (encoding === ENCODING.raw && size.width * size.height * BYTES_PER_PIXEL > MOST_BLACK) return;
    this.#isNew = false;
    this.#answer([blackRectangle(size, encoding)]);
  }

  /** A Bell or ServerCutText, between updates. */
  message(data: Buffer): void {
    if (this.#isGreeted && this.viewer.buffered <= SKIPPED_ABOVE) this.#outgoing.push(data);
  }

  /** Sends what has been put together. */
  flush(): void {
    const pieces = this.#outgoing;
    if (pieces.length === 0) return;
    this.#outgoing = [];
    if (!this.#hasEnded) this.viewer.send(pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces));
  }

  #request(isIncremental: boolean): void {
    this.#isAsking = true;
    if (!isIncremental) this.miss();
    if (this.#held.count > 0 && this.#part !== 'Passed') this.#pass();
    this.tell();
    this.#screen.wants();
  }

  /** Sends what is held; the rest of the present update passes. */
  #pass(): void {
    const facts = this.#news();
    if (this.#hasEnded) return;
    const { count, pieces } = this.#held;
    this.#forget();
    this.#isNew = false;
    this.#outgoing.push(updateHeader(count + facts.length), ...facts, ...pieces);
    if (this.#part === 'Held') this.#part = 'Passed';
    else this.#isAsking = this.#missing > 0;
  }

  /** Answers its request with rectangles of the BMC's own, and news. */
  #answer(rectangles: readonly Buffer[]): void {
    const all = [...this.#news(), ...rectangles];
    if (this.#hasEnded || all.length === 0) return;
    this.#isAsking = false;
    this.#outgoing.push(updateHeader(all.length), ...all);
  }

  /** Rectangles with the facts that it does not know. */
  #news(): Buffer[] {
    const { size, name, cursor } = this.#screen.facts;
    const news: Buffer[] = [];
    const told = this.#told;
    this.#told = { ...told, size, name, cursor, extendedKeys: true };
    if (size.width !== told.size?.width || size.height !== told.size.height) {
      if (!this.reads(ENCODING.desktopSize)) {
        this.end('Resized', `the screen has ${size.width} x ${size.height} pixels now; connect again`);
        return [];
      }
      news.push(rectangleHeader(ENCODING.desktopSize, size));
    }
    // The BMC understands these keys whether or not the machine does.
    if (told.extendedKeys === undefined && this.reads(ENCODING.extendedKey)) {
      news.push(rectangleHeader(ENCODING.extendedKey, size));
    }
    if (name !== told.name && this.reads(ENCODING.desktopName)) news.push(nameRectangle(name));
    if (cursor !== undefined && cursor !== told.cursor && this.reads(ENCODING.cursor)) news.push(cursor);
    return news;
  }

  #put(data: Buffer): void {
    if (this.#part === 'Passed') {
      this.#outgoing.push(data);
      return;
    }
    this.#held.pieces.push(data);
    this.#held.bytes += data.length;
  }

  #forget(): void {
    this.#held = { count: 0, pieces: [], bytes: 0 };
  }
}

export function endAll(viewers: Iterable<ViewerConnection>, reason: ViewerEnd, message: string): void {
  for (const viewer of [...viewers]) viewer.end(reason, message);
}

function kindOf(message: Buffer): InputKind {
  return message[0] === 4 ? 'Key' : message[0] === 5 ? 'Pointer' : 'ExtendedKey';
}
