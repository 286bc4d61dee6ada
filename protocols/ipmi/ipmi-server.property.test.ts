import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SteppingClient } from './testing/stepping-client.ts';
import { CREDENTIALS, testBmc, type TestBmc } from './testing/test-bmc.ts';

const LIMITS = {
  maxSessions: 3,
  maxHalfOpen: 3,
  maxHalfOpenPerSource: 2,
  halfOpenTimeout: 5_000,
  sessionTimeout: 20_000,
};
const CLIENTS = 4;
/** RMCP+ status codes, IPMI 2.0 table 13-15. */
const [OK, NO_RESOURCES, NO_SESSION, NO_NAME, WRONG_PROOF] = [0x00, 0x01, 0x02, 0x0d, 0x0f];

const client = fc.nat({ max: CLIENTS - 1 });
const deed = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('open' as const), client }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('rakp1' as const), client, isKnown: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('rakp3' as const), client, proves: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('log in' as const), client }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('ask' as const), client }) },
  fc.record({ kind: fc.constant('replay' as const), client }),
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('close' as const), client }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(1, 1_000, 5_001, 20_001) }),
  },
);

interface Half {
  source: number;
  openedAt: number;
  isProved: boolean;
}

interface Active {
  lastActive: number;
}

/** Expected state of one client: its last handshake and its last session. */
class ModelClient {
  readonly steps: SteppingClient;
  readonly source: number;
  half: Half | undefined;
  session: Active | undefined;
  /** The session's handshake is still the last one. */
  isLastHandshakeDone = false;
  lastRequest: Buffer | undefined;

  constructor(steps: SteppingClient, source: number) {
    this.steps = steps;
    this.source = source;
  }
}

/** Model of the session table: a list of handshakes and a list of sessions. */
class Model {
  readonly bmc: TestBmc = testBmc({ ...LIMITS, lockout: { threshold: 0, seconds: 0 } });
  readonly clients: ModelClient[];
  #halves: Half[] = [];
  #active: Active[] = [];

  constructor() {
    this.clients = Array.from({ length: CLIENTS }, (_, index) => {
      const source = index >> 1;
      const peer = { address: `192.0.2.${source}`, port: 1_000 + index };
      const send = (datagram: Buffer): Buffer | undefined => this.answers(datagram, peer)[0];
      return new ModelClient(new SteppingClient(send, `client ${index}`), source);
    });
  }

  get sessionCount(): number {
    return this.#active.length;
  }

  answers(datagram: Buffer, peer = { address: '192.0.2.0', port: 1 }): readonly Buffer[] {
    const answer = this.bmc.server.handle(datagram, peer, this.bmc.now);
    if (answer instanceof Promise) throw new Error('expected a synchronous answer');
    expect(answer.length).toBeLessThanOrEqual(1);
    return answer;
  }

  wait(ms: number): void {
    this.bmc.advance(ms);
    this.bmc.server.tick(this.bmc.now);
    this.#halves = this.#halves.filter(({ openedAt }) => this.bmc.now - openedAt <= LIMITS.halfOpenTimeout);
    this.#active = this.#active.filter(({ lastActive }) => this.bmc.now - lastActive <= LIMITS.sessionTimeout);
  }

  open(one: ModelClient): void {
    const isFull = this.#active.length >= LIMITS.maxSessions;
    expect(one.steps.open()).toBe(isFull ? NO_RESOURCES : OK);
    if (isFull) return;
    const siblings = this.#halves.filter(({ source }) => source === one.source);
    if (siblings.length >= LIMITS.maxHalfOpenPerSource) this.#drop(siblings[0]);
    else if (this.#halves.length >= LIMITS.maxHalfOpen) this.#halves.shift();
    one.half = { source: one.source, openedAt: this.bmc.now, isProved: false };
    one.isLastHandshakeDone = false;
    this.#halves.push(one.half);
  }

  rakp1(one: ModelClient, isKnown: boolean): void {
    const isThere = this.#isThere(one.half);
    const status = one.steps.rakp1(isKnown ? CREDENTIALS.username : 'nobody');
    expect(status).toBe(isThere ? (isKnown ? OK : NO_NAME) : NO_SESSION);
    if (!isThere || one.half === undefined) return;
    if (isKnown) one.half.isProved = true;
    else this.#drop(one.half);
  }

  rakp3(one: ModelClient, proves: boolean): void {
    const { half } = one;
    const status = one.steps.rakp3(proves);
    if (half === undefined || !this.#isThere(half)) {
      const isRepeated = proves && one.isLastHandshakeDone && this.#isActive(one.session);
      expect(status).toBe(isRepeated ? OK : NO_SESSION);
      return;
    }
    const isFull = this.#active.length >= LIMITS.maxSessions;
    // A handshake without RAKP 1 is not changed.
    expect(status).toBe(half.isProved ? (proves ? (isFull ? NO_RESOURCES : OK) : WRONG_PROOF) : undefined);
    if (!half.isProved) return;
    this.#drop(half);
    if (status !== OK) return;
    one.session = { lastActive: this.bmc.now };
    one.isLastHandshakeDone = true;
    one.lastRequest = undefined;
    this.#active.push(one.session);
  }

  ask(one: ModelClient): void {
    const request = one.steps.request(0x06, 0x01, Buffer.alloc(0));
    if (request === undefined) return;
    const isActive = this.#isActive(one.session);
    expect(this.answers(request)).toHaveLength(isActive ? 1 : 0);
    if (!isActive || one.session === undefined) return;
    one.session.lastActive = this.bmc.now;
    one.lastRequest = request;
  }

  replay(one: ModelClient): void {
    if (one.lastRequest !== undefined) expect(this.answers(one.lastRequest)).toEqual([]);
  }

  close(one: ModelClient): void {
    const request = one.steps.close();
    if (request === undefined) return;
    const { session } = one;
    expect(this.answers(request)).toHaveLength(this.#isActive(session) ? 1 : 0);
    this.#active = this.#active.filter((other) => other !== session);
  }

  #isThere(half: Half | undefined): boolean {
    return half !== undefined && this.#halves.includes(half);
  }

  #isActive(session: Active | undefined): boolean {
    return session !== undefined && this.#active.includes(session);
  }

  #drop(half: Half | undefined): void {
    this.#halves = this.#halves.filter((other) => other !== half);
  }
}

describe('any sequence of sessions of several clients', () => {
  it('gets the specified answers and stays within the limits', () => {
    fc.assert(
      fc.property(fc.array(deed, { maxLength: 80, size: 'max' }), (deeds) => {
        const model = new Model();
        for (const one of deeds) {
          run(model, one);
          expect(model.bmc.server.sessionCount).toBe(model.sessionCount);
          expect(model.sessionCount).toBeLessThanOrEqual(LIMITS.maxSessions);
        }
        expect(model.bmc.told.failed).toEqual([]);
      }),
      { numRuns: 300 },
    );
  }, 60_000);
});

function run(model: Model, one: typeof deed extends fc.Arbitrary<infer T> ? T : never): void {
  if (one.kind === 'wait') {
    model.wait(one.ms);
    return;
  }
  const subject = model.clients[one.client];
  if (subject === undefined) throw new RangeError(`client ${one.client}`);
  switch (one.kind) {
    case 'open':
    case 'ask':
    case 'replay':
    case 'close':
      model[one.kind](subject);
      return;
    case 'rakp1':
      model.rakp1(subject, one.isKnown);
      return;
    case 'rakp3':
      model.rakp3(subject, one.proves);
      return;
    case 'log in':
      model.open(subject);
      model.rakp1(subject, true);
      model.rakp3(subject, true);
  }
}
