import fc from 'fast-check';
import { expect, it } from 'vitest';
import { memoryAccount, MemoryAccounts } from '../../testing/index.ts';
import { cipherSuite } from '../rmcpplus/cipher-suite.ts';
import { Client15 } from '../testing/client15.ts';
import type { RmcpPlusClient } from '../testing/rmcp-plus-client.ts';
import { CREDENTIALS, testBmc, type TestBmc } from '../testing/test-bmc.ts';
import { directTransport } from '../testing/transport.ts';

const MAX_SESSIONS = 3;
const SESSION_TIMEOUT = 60_000;
const OPS = 3;

/** A logged-in client, and the conditions under which its session stays open. */
interface Member {
  client: RmcpPlusClient | Client15;
  isOps: boolean;
  lastActive: number;
}

interface World {
  bmc: TestBmc;
  members: Member[];
  opsPassword: string;
  /** Changes of that password. */
  changes: number;
}

type Step = (world: World) => Promise<void>;

function peerOf(source: number): { address: string; port: number } {
  return { address: `192.0.2.${source}`, port: 40_000 };
}

function isIn({ bmc }: World, member: Member): boolean {
  return bmc.now - member.lastActive <= SESSION_TIMEOUT;
}

async function join(
  world: World,
  isOps: boolean,
  client: Member['client'],
  login: () => Promise<unknown>,
): Promise<void> {
  const hasRoom = world.members.filter((member) => isIn(world, member)).length < MAX_SESSIONS;
  const result = await login().then(
    (code) => code === undefined || typeof code === 'object' || code === 0,
    () => false,
  );
  expect(result).toBe(hasRoom);
  if (result) world.members.push({ client, isOps, lastActive: world.bmc.now });
}

/** There are enough sources in a run that none is throttled, so the right password always works. */
const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ source: fc.nat(200), isOps: fc.boolean() }).map(({ source, isOps }): Step => async (world) => {
    const client = world.bmc.client(peerOf(source));
    const login = isOps
      ? { username: 'ops', password: world.opsPassword, privilege: 3 }
      : { ...CREDENTIALS, privilege: 4 };
    await join(world, isOps, client, () => client.login(login));
  }),
  fc.nat(200).map((source): Step => async (world) => {
    const client = new Client15(directTransport(world.bmc.server, peerOf(source), () => world.bmc.now));
    await join(world, false, client, async () => {
      if ((await client.login(CREDENTIALS)) !== 0) throw new Error('refused');
    });
  }),
  fc.nat(200).map((source): Step => async ({ bmc }) => {
    await bmc
      .client(peerOf(source))
      .open(cipherSuite(3))
      .catch(() => undefined);
  }),
  fc.nat(200).map((source): Step => async ({ bmc }) => {
    const before = bmc.server.sessionCount;
    const guess = { username: 'ops', password: 'guess' };
    await expect(bmc.client({ address: `198.51.100.${source}`, port: 1 }).loginBlindly(guess)).rejects.toThrow();
    expect(bmc.server.sessionCount).toBe(before);
  }),
  fc.nat(5).map((which): Step => async (world) => {
    const member = world.members[which];
    if (member === undefined) return;
    const answer = await member.client.command(0x06, 0x01).catch(() => undefined);
    expect(answer !== undefined).toBe(isIn(world, member));
    if (answer !== undefined) member.lastActive = world.bmc.now;
  }),
  fc.integer({ min: 0, max: 40_000 }).map((ms): Step => ({ bmc }) => {
    bmc.now += ms;
    bmc.server.tick(bmc.now);
    return Promise.resolve();
  }),
  fc.constant<Step>(async (world) => {
    world.changes += 1;
    world.opsPassword = `changed-${world.changes}`;
    await world.bmc.accounts.change(OPS, { password: Buffer.from(world.opsPassword) });
    world.bmc.server.accountsChanged();
    for (const member of world.members) if (member.isOps) member.lastActive = -Infinity;
  }),
  fc.constant<Step>((world) => {
    world.bmc.server.invalidateSessions();
    for (const member of world.members) member.lastActive = -Infinity;
    return Promise.resolve();
  }),
);

it('a session is open exactly if a client authenticated with a still valid password and was active recently', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { maxLength: 60 }), async (played) => {
      const bmc = testBmc({
        ipmi15: true,
        maxSessions: MAX_SESSIONS,
        maxHalfOpen: 8,
        lockout: { threshold: 1000, seconds: 60 },
      });
      const ops = memoryAccount(OPS, { username: 'ops', password: 'operator', role: 'Operator' });
      bmc.accounts = new MemoryAccounts(CREDENTIALS, [ops]);
      const world: World = { bmc, members: [], opsPassword: 'operator', changes: 0 };
      for (const step of played) {
        await step(world);
        bmc.server.tick(bmc.now);
        expect(bmc.server.sessionCount).toBe(world.members.filter((member) => isIn(world, member)).length);
      }
      expect(bmc.told.failed).toEqual([]);
    }),
    { numRuns: 150 },
  );
});
