import { OWNER_ACCOUNT } from '../../accounts.ts';
import { MemoryConsole, memoryAccount } from '../../testing/index.ts';
import { managedSessionId } from '../rmcpplus/session-id.ts';
import { Session } from '../session/session.ts';
import { TestTimers } from './test-timers.ts';
import { SerialOverLan } from '../sol/serial-over-lan.ts';
import { type SolParameters, solParameters } from '../sol/sol-configuration.ts';

/** Serial over LAN without encryption and sockets: payloads in, payloads out, with a manual clock. */
export class SolBench {
  readonly console = new MemoryConsole();
  readonly sol: SerialOverLan;
  /** Unsolicited payloads and their sessions. */
  readonly sent: { session: string; payload: Buffer }[] = [];
  now = 1_000;
  readonly #timers = new TestTimers();
  readonly #sessions = new Map<number, string>();

  constructor(parameters: Partial<SolParameters> = {}) {
    this.sol = new SerialOverLan({
      console: this.console,
      parameters: () => ({ ...solParameters({}), ...parameters }),
      outbox: (payload, { port }) => void this.sent.push({ session: this.#sessions.get(port) ?? '', payload }),
      schedule: (work, delay) => this.#timers.add(work, this.now + delay),
      now: () => this.now,
    });
  }

  session(user: string): Session {
    const port = 40_000 + this.#sessions.size;
    this.#sessions.set(port, user);
    return new Session({
      id: managedSessionId(port),
      handle: 1,
      user,
      account: memoryAccount(OWNER_ACCOUNT, { username: user, password: 'password' }),
      maxPrivilege: 4,
      channel: { seal: (_type, payload) => payload, open: (datagram) => datagram },
      opening: { proof: Buffer.alloc(0), answer: Buffer.alloc(0) },
      peer: { address: '192.0.2.7', port },
      now: this.now,
    });
  }

  /** A session with the activated payload. */
  async activated(user = 'admin'): Promise<Session> {
    const session = this.session(user);
    await this.sol.activate(session);
    return session;
  }

  advance(ms: number): void {
    const end = this.now + ms;
    this.#timers.runUntil(end, (at) => (this.now = at));
    this.now = end;
  }

  /** Unsolicited payloads since the last call, in hex. */
  takeSent(): string[] {
    return this.sent.splice(0).map(({ payload }) => payload.toString('hex'));
  }

  /** Passes a payload in hex to the BMC and returns the answers in hex. */
  answer(session: Session, payload: string): string[] {
    const answer = this.sol.receive(session, Buffer.from(payload.replaceAll(' ', ''), 'hex'), this.now);
    if (answer instanceof Promise) throw new TypeError('it answers at once');
    return answer.map((datagram) => datagram.toString('hex'));
  }
}
