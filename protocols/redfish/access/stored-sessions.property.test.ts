import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RedfishState, RedfishStateStore } from '../state.ts';
import { AccessBench, ADDRESS, settled } from '../testing/access-bench.ts';
import { type Access, createAccess } from './access.ts';

const TIMEOUT = 30 * 60_000;

/** A store shared by two processes: each sees changes with a delay, and conflicting edits are repeated. */
class SharedState {
  stored: RedfishState = {};

  view(): RedfishStateStore & { catchUp: () => void } {
    let seen = this.stored;
    return {
      current: () => seen,
      catchUp: () => {
        seen = this.stored;
      },
      change: async (edit) => {
        let based: RedfishState;
        let made: Partial<RedfishState>;
        do {
          based = this.stored;
          made = edit(based);
          await Promise.resolve();
        } while (this.stored !== based);
        if (Object.keys(made).length > 0) this.stored = { ...based, ...made };
        seen = this.stored;
      },
    };
  }
}

interface Process {
  view: ReturnType<SharedState['view']>;
  access: Access;
}

/** The expected state of a session. */
interface Known {
  token: string;
  id: string;
  user: string;
  lastUse: number;
  hasEnded: boolean;
}

const USERS = ['admin', 'chief', 'operator'];
const process = fc.integer({ min: 0, max: 1 });
const which = fc.nat(9);
const step = fc.oneof(
  fc.record({ do: fc.constant('open' as const), process, user: fc.constantFrom(...USERS) }),
  fc.record({ do: fc.constant('open in both' as const), user: fc.constantFrom(...USERS) }),
  fc.record({ do: fc.constant('use' as const), process, which }),
  fc.record({ do: fc.constant('end' as const), process, which }),
  fc.record({ do: fc.constant('change password' as const), user: fc.constantFrom('chief', 'operator') }),
  fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 0, max: TIMEOUT * 1.2 }) }),
  fc.record({ do: fc.constant('restart' as const), process }),
);

describe('sessions of two processes', () => {
  it('are neither lost nor kept after their end', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const bench = new AccessBench();
        const shared = new SharedState();
        const start = (): Process => {
          const view = shared.view();
          return { view, access: createAccess(bench.optionsOn(view)) };
        };
        const processes = [start(), start()];
        const known: Known[] = [];
        let passwords = 0;
        const at = (index: number): Process => processes[index] ?? start();
        const open = async ({ access }: Process, user: string): Promise<void> => {
          const { token, session } = await access.sessions.open(bench.account(user), ADDRESS);
          known.push({ token, id: session.id, user, lastUse: bench.time, hasEnded: false });
        };
        const use = ({ access, view }: Process, session: Known): void => {
          view.catchUp();
          const idle = bench.time - session.lastUse;
          let user: string | undefined;
          try {
            user = access.authenticate({ 'x-auth-token': session.token }, ADDRESS).account.name;
          } catch {
            user = undefined;
          }
          // Another process may miss the last uses, up to a quarter of the timeout.
          if (session.hasEnded || idle >= TIMEOUT) expect(user).toBeUndefined();
          else if (idle < (TIMEOUT * 3) / 4) expect(user).toBe(session.user);
          if (user === undefined) session.hasEnded = true;
          else session.lastUse = bench.time;
        };

        for (const next of steps) {
          switch (next.do) {
            case 'open':
              await open(at(next.process), next.user);
              break;
            case 'open in both':
              await Promise.all(processes.map((one) => open(one, next.user)));
              break;
            case 'use': {
              const session = known[next.which];
              if (session !== undefined) use(at(next.process), session);
              break;
            }
            case 'end': {
              const session = known[next.which];
              if (session === undefined) break;
              await at(next.process).access.sessions.end(session.id);
              session.hasEnded = true;
              break;
            }
            case 'change password':
              await bench.change(next.user, { password: Buffer.from(`${next.user} ${(passwords += 1)}`) });
              for (const session of known) if (session.user === next.user) session.hasEnded = true;
              break;
            case 'wait':
              await bench.pass(next.ms);
              break;
            case 'restart':
              at(next.process).access.close();
              processes[next.process] = start();
          }
          await settled();
        }
        expect(new Set(known.map(({ id }) => id)).size).toBe(known.length);
        for (const one of processes) for (const session of known) use(one, session);
        expect(bench.failures).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });
});
