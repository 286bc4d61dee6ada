import { MachineError, type SerialClosure, type SerialConsole, type SerialLine } from '../../machine/index.ts';
import type { ConsoleEnd } from './console-register.ts';

/** One of those who look at a console. */
export interface SerialViewer {
  /** Shows output; it may take any time. */
  send(data: Buffer): void;
  /** Bytes that it has not received yet. */
  readonly buffered: number;
  /** Stops and resumes what the viewer types. */
  pause(): void;
  resume(): void;
  /** The last call. */
  close(why: ConsoleEnd, message: string): void;
}

export interface AttachedSerialViewer {
  /** The viewer has typed. */
  received(data: Buffer): void;
  /** Some of what was buffered was sent. */
  written(): void;
  /** The viewer has left. */
  closed(): void;
}

/** Output that a new viewer gets, bytes. */
const REMEMBERED = 16 * 1024;
/** Unsent bytes of a viewer from which on it is slow, up to which it is again in time, and at which output is skipped. */
const SLOW = 256 * 1024;
const IN_TIME = 32 * 1024;
const TOO_SLOW = 1024 * 1024;

const SAYINGS = {
  skipped: 'output was skipped: the connection is too slow',
  taken: 'another client of this BMC has the console; press a key to take it',
} as const;

interface Attached {
  readonly viewer: SerialViewer;
  /** Output was skipped. */
  isBehind: boolean;
}

/**
 * The serial line of a machine for several viewers at a time: all see the same output, and what they type is mixed. The line is held
 * while there is a viewer. Serial over LAN takes it; the next viewer who types takes it back. A viewer who comes does not take it: pages
 * connect again by themselves.
 */
export class SharedSerial {
  readonly #console: SerialConsole;
  readonly #viewers = new Set<Attached>();
  #line: SerialLine | undefined;
  /** Counts attempts to open the line: what an earlier one reports does not count. */
  #attempt = 0;
  #state: 'closed' | 'opening' | 'open' | 'taken' = 'closed';
  #output: Buffer = Buffer.alloc(0);
  /** Whether the machine reads no more input for now. */
  #isBlocked = false;
  /** Whether the machine's output is paused. */
  #isPaused = false;

  constructor(console: SerialConsole) {
    this.#console = console;
  }

  attach(viewer: SerialViewer): AttachedSerialViewer {
    const attached: Attached = { viewer, isBehind: false };
    this.#viewers.add(attached);
    if (this.#output.length > 0) viewer.send(withoutQueries(this.#output));
    if (this.#isBlocked) viewer.pause();
    this.#regulate();
    if (this.#state === 'closed' || this.#state === 'taken') this.#openIfFree();
    return {
      received: (data) => {
        if (this.#viewers.has(attached)) this.#type(data);
      },
      written: () => {
        this.#catchUp(attached);
      },
      closed: () => {
        if (!this.#viewers.delete(attached)) return;
        if (this.#viewers.size === 0) this.#close();
        else this.#regulate();
      },
    };
  }

  #openIfFree(): void {
    if (!this.#console.isOpen) this.#open();
    else if (this.#state !== 'taken') this.#taken();
  }

  #taken(): void {
    this.#state = 'taken';
    this.#show(notice(SAYINGS.taken));
  }

  #open(): void {
    this.#state = 'opening';
    this.#attempt += 1;
    const attempt = this.#attempt;
    const isCurrent = (): boolean => this.#attempt === attempt;
    const listener = {
      received: (data: Buffer): void => {
        if (isCurrent()) this.#show(data);
      },
      drained: (): void => {
        if (isCurrent()) this.#unblock();
      },
      closed: (reason: SerialClosure): void => {
        if (isCurrent()) this.#lost(reason);
      },
    };
    this.#console.open(listener).then(
      (line) => {
        if (!isCurrent() || this.#state !== 'opening') {
          line.close();
          return;
        }
        this.#line = line;
        this.#state = 'open';
        if (this.#isPaused) line.pause();
      },
      (error: unknown) => {
        if (isCurrent()) this.#failed(error);
      },
    );
  }

  #type(data: Buffer): void {
    if (this.#state === 'taken') {
      // What was typed was meant for the previous screen.
      this.#open();
      return;
    }
    if (this.#line === undefined || this.#line.write(data)) return;
    this.#isBlocked = true;
    for (const { viewer } of this.#viewers) viewer.pause();
  }

  #unblock(): void {
    if (!this.#isBlocked) return;
    this.#isBlocked = false;
    for (const { viewer } of this.#viewers) viewer.resume();
  }

  #show(data: Buffer): void {
    this.#remember(data);
    for (const attached of this.#viewers) {
      if (attached.viewer.buffered >= TOO_SLOW) attached.isBehind = true;
      else if (!attached.isBehind) attached.viewer.send(data);
    }
    this.#regulate();
  }

  #remember(data: Buffer): void {
    const all = Buffer.concat([this.#output, data.subarray(-REMEMBERED)]);
    if (all.length <= REMEMBERED) {
      this.#output = all;
      return;
    }
    const recent = all.subarray(-REMEMBERED);
    // From the begin of a line on, rather than from within a control sequence.
    const end = recent.indexOf('\n');
    this.#output = Buffer.from(recent.subarray(end + 1));
  }

  /** Pauses the machine's output while all viewers are slow. */
  #regulate(): void {
    const limit = this.#isPaused ? IN_TIME : SLOW;
    const isPaused = this.#viewers.size > 0 && [...this.#viewers].every(({ viewer }) => viewer.buffered > limit);
    if (isPaused === this.#isPaused) return;
    this.#isPaused = isPaused;
    if (isPaused) this.#line?.pause();
    else this.#line?.resume();
  }

  #catchUp(attached: Attached): void {
    if (!this.#viewers.has(attached)) return;
    if (attached.isBehind && attached.viewer.buffered <= IN_TIME) {
      attached.isBehind = false;
      attached.viewer.send(notice(SAYINGS.skipped));
    }
    if (this.#isPaused) this.#regulate();
  }

  #lost(reason: SerialClosure): void {
    this.#forgetLine();
    if (reason !== 'TakenOver') {
      this.#endAll(
        'Unavailable',
        reason === 'Off' ? 'the machine is off' : 'the console of the machine is not available',
      );
      return;
    }
    this.#taken();
  }

  #failed(error: unknown): void {
    this.#forgetLine();
    const { code, message } = error instanceof MachineError ? error : { code: 'Unavailable', message: UNKNOWN };
    this.#endAll(code === 'NotSupported' ? 'NotSupported' : 'Unavailable', message);
  }

  #endAll(why: ConsoleEnd, message: string): void {
    const viewers = [...this.#viewers];
    this.#viewers.clear();
    this.#close();
    for (const { viewer } of viewers) viewer.close(why, message);
  }

  #close(): void {
    this.#line?.close();
    this.#forgetLine();
    this.#output = Buffer.alloc(0);
  }

  #forgetLine(): void {
    this.#line = undefined;
    this.#attempt += 1;
    this.#state = 'closed';
    this.#isPaused = false;
    this.#unblock();
  }
}

const UNKNOWN = 'the console of the machine cannot be opened';

/**
 * Requests that a terminal answers by itself (ECMA-48 and xterm's control sequences: DSR, DA, DECRQM, DECREQTPARM, window reports, ENQ,
 * DECID, colours, DECRQSS, XTGETTCAP).
 */
const QUERIES = /\x1b\[[?>=]?[\d;]*(?:[cntx]|\$p)|\x05|\x1bZ|\x1b\][\d;]+;\?(?:\x07|\x1b\\)|\x1bP[$+]q[^\x1b]*\x1b\\/g;

/** Output that is shown again: the terminals that were there have answered it, and one more answer would be typed. */
function withoutQueries(output: Buffer): Buffer {
  return Buffer.from(output.toString('latin1').replace(QUERIES, ''), 'latin1');
}

/** A line from the BMC within the machine's output. */
function notice(text: string): Buffer {
  return Buffer.from(`\r\n[${text}]\r\n`);
}
