import type { Account } from '../../accounts.ts';
import type { Requester } from '../../machine/index.ts';

/** `HostConsole`: the serial port. `KVMIP`: screen, keyboard and mouse. Values of Session's `SessionType`. */
export type ConsoleKind = 'HostConsole' | 'KVMIP';

/** Why the service ends a console. */
export type ConsoleEnd =
  | 'Leaving'
  | 'Unavailable'
  | 'Forbidden'
  | 'LoggedOut'
  | 'Taken'
  | 'EndedByUser'
  | 'NotSupported'
  | 'SwitchedOff'
  | 'Invalid';

/** Close codes of the WebSocket: those of RFC 6455 and IANA's registry, and private ones. */
export const CLOSE_CODES: Readonly<Record<ConsoleEnd, number>> = {
  Invalid: 1002,
  Leaving: 1012,
  Unavailable: 1013,
  Forbidden: 3003,
  LoggedOut: 4001,
  Taken: 4002,
  EndedByUser: 4003,
  NotSupported: 4004,
  SwitchedOff: 4005,
};

/**
 * Why one who is logged in gets no console. It is told by the close code of the WebSocket: browsers keep the answer to a refused request
 * from pages.
 */
export interface ConsoleRefusal {
  readonly why: ConsoleEnd;
  /** A sentence for the user, without a full stop; at most 123 bytes. */
  readonly message: string;
}

/** Most open consoles of one kind; shown as `MaxConcurrentSessions`. */
export const MOST_OF_KIND = 8;
/** Most of one kind for one account: it cannot keep all others out. */
const MOST_OF_ACCOUNT = 6;
/** Most open consoles of one address. */
const MOST_OF_SOURCE = 12;
const LEAVING = 'the BMC is being replaced: connect again';
const NOUNS: Readonly<Record<ConsoleKind, string>> = { HostConsole: 'serial console', KVMIP: 'screen' };
/** ms between two checks whether the callers of the open consoles may still have them. */
const CHECK_INTERVAL = 5_000;
const ID_BYTES = 4;

/** A console that a client has open. */
export interface OpenConsole {
  readonly id: string;
  readonly kind: ConsoleKind;
  readonly account: Account;
  readonly requester: Requester;
  /** ms since 1970 */
  readonly openedAt: number;
  /** Whether its user is logged in as before; counts as a use of the session. */
  isPermitted(): boolean;
  /** @param message a sentence for its user */
  end(why: ConsoleEnd, message: string): void;
}

export interface ConsoleRegisterOptions {
  isEnabled: () => boolean;
  random: (size: number) => Buffer;
  time: () => number;
  schedule: (work: () => void, delay: number) => () => void;
}

/** The open consoles of a BMC. Each is shown as a Session, but is no log-in. */
export class ConsoleRegister {
  readonly #options: ConsoleRegisterOptions;
  readonly #open = new Map<string, OpenConsole>();
  #cancelCheck: (() => void) | undefined;
  #isLeaving = false;

  constructor(options: ConsoleRegisterOptions) {
    this.#options = options;
  }

  /** Oldest first. */
  list(): readonly OpenConsole[] {
    return [...this.#open.values()];
  }

  find(id: string): OpenConsole | undefined {
    return this.#open.get(id);
  }

  /** Why no more may be opened; undefined: one more may. */
  refusalOf(
    kind: ConsoleKind,
    { account, requester }: Pick<OpenConsole, 'account' | 'requester'>,
  ): ConsoleRefusal | undefined {
    if (this.#isLeaving) return { why: 'Leaving', message: LEAVING };
    const open = this.list();
    const ofKind = open.filter((each) => each.kind === kind);
    const ofAccount = ofKind.filter((each) => each.account.id === account.id);
    const ofSource = open.filter((each) => each.requester.address === requester.address);
    const what = NOUNS[kind];
    const [message] = [
      ofKind.length >= MOST_OF_KIND && `the ${what} is open ${MOST_OF_KIND} times, which is the limit`,
      ofAccount.length >= MOST_OF_ACCOUNT && `your account has the ${what} open ${MOST_OF_ACCOUNT} times, its limit`,
      ofSource.length >= MOST_OF_SOURCE && `${MOST_OF_SOURCE} consoles are open from your address, which is its limit`,
    ].filter((each) => each !== false);
    return message === undefined ? undefined : { why: 'Unavailable', message };
  }

  /** @returns the console, until {@link remove} */
  add(opened: Omit<OpenConsole, 'id' | 'openedAt'>): OpenConsole {
    const id = this.#newId();
    const added = { ...opened, id, openedAt: this.#options.time() };
    this.#open.set(id, added);
    this.#checkLater();
    return added;
  }

  /** @returns false: it was removed before */
  remove(id: string): boolean {
    const isThere = this.#open.delete(id);
    if (this.#open.size === 0) this.#cancel();
    return isThere;
  }

  /** Ends those whose users are no longer logged in as before, or all if the web console is switched off. */
  check(): void {
    const isEnabled = this.#options.isEnabled();
    for (const open of this.list()) {
      if (!isEnabled) open.end('SwitchedOff', 'the web console was switched off');
      else if (!open.isPermitted()) open.end('LoggedOut', 'the session has ended: log in again');
    }
  }

  /** Ends all and opens no more. */
  leave(): void {
    this.#isLeaving = true;
    for (const open of this.list()) open.end('Leaving', LEAVING);
    this.#cancel();
  }

  #checkLater(): void {
    this.#cancelCheck ??= this.#options.schedule(() => {
      this.#cancelCheck = undefined;
      this.check();
      if (this.#open.size > 0) this.#checkLater();
    }, CHECK_INTERVAL);
  }

  #cancel(): void {
    this.#cancelCheck?.();
    this.#cancelCheck = undefined;
  }

  #newId(): string {
    for (;;) {
      const id = `console-${this.#options.random(ID_BYTES).toString('hex')}`;
      if (!this.#open.has(id)) return id;
    }
  }
}
