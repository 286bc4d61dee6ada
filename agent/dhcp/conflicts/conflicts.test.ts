import { beforeEach, describe, expect, it } from 'vitest';
import { EventRecorder, KubeClient } from '@groundcrew/controller-runtime';
import { FakeClock, ScriptedApi, silentLogger } from '@groundcrew/controller-runtime/testing';
import { macText } from '../mac-number.ts';
import { settingsOf } from '../pools/settings-of.ts';
import { SampledLog } from '../reports.ts';
import { LeaseReader, type LeaseRecord } from '../store/lease-record.ts';
import { lease, mac, pool } from '../testing/builders.ts';
import { AddressConflicts } from './address-conflicts.ts';
import type { Neighbours } from './neighbours.ts';
import { RogueServers } from './rogue-servers.ts';

let api: ScriptedApi;
let clock: FakeClock;
let events: EventRecorder;
let confirmed: string[];

beforeEach(() => {
  api = new ScriptedApi();
  clock = new FakeClock();
  const client = new KubeClient({ transport: api, fieldManager: 'test' });
  events = new EventRecorder({ client, component: 'test', clock, logger: silentLogger });
  confirmed = [];
});

function leased(index: number): LeaseRecord & { settings: NonNullable<LeaseRecord['settings']> } {
  const { settings } = settingsOf(pool(), 0);
  if (settings === undefined) throw new Error('the pool is served');
  return Object.assign(new LeaseReader().recordOf(lease(index)), { settings });
}

function conflicts(lookUp?: Neighbours['lookUp']): AddressConflicts {
  return new AddressConflicts({
    neighbours: lookUp === undefined ? undefined : { lookUp },
    events,
    poolOf: () => pool(),
    onConfirmed: ({ name }, by) => confirmed.push(`${name} by ${by}`),
    sampled: new SampledLog(clock),
    logger: silentLogger,
    signal: new AbortController().signal,
  });
}

/** Events as `kubectl get events` shows them. */
async function told(): Promise<string[]> {
  await events.flush();
  return [...api.objects.values()].map((event) => {
    const { reason, involvedObject, message } = event as unknown as Record<string, string> & {
      involvedObject: { name: string };
    };
    return `${reason ?? ''} ${involvedObject.name}: ${message ?? ''}`;
  });
}

describe('a client that declines its address', () => {
  it('keeps it however often it does so: DECLINEs can be forged, and only ARP confirms a conflict', async () => {
    const evaluate = conflicts(() => Promise.resolve(undefined));
    for (let count = 0; count < 10; count += 1) {
      evaluate.declined(leased(1), leased(1));
      await clock.advance(10_500);
    }
    expect(confirmed).toEqual([]);
    expect((await told()).join()).not.toContain('AddressConflict');
  });

  it('confirms the conflict if another host answers for the address', async () => {
    const asked: number[][] = [];
    conflicts((address, from) => {
      asked.push([address, from]);
      return Promise.resolve(mac(66));
    }).declined(leased(1), leased(1));
    await clock.advance(0);
    expect(asked).toEqual([[0x0a000001, 0x0a000002]]);
    expect(confirmed).toEqual(['prod.10.0.0.1 by 02:00:00:00:00:42']);
    const seen = `${macText(mac(66))} answers ARP requests for 10.0.0.1, which is leased to ${macText(mac(1))} and was declined by it.`;
    expect(await told()).toEqual([`AddressConflict prod.10.0.0.1: ${seen}`, `AddressConflict prod: ${seen}`]);
  });

  it.each([
    ['no host answers', () => Promise.resolve(undefined), 'No machine answers ARP requests for the address'],
    ['the client answers', () => Promise.resolve(mac(1)), 'Only this client answers ARP requests for the address'],
    ['the lookup fails', () => Promise.reject(new Error('EADDRNOTAVAIL')), 'The agent could not check this by ARP'],
    ['the agent has no ARP', undefined, 'The agent could not check this by ARP'],
  ])('does not confirm a conflict if %s, and the Event says so', async (_, lookUp, seen) => {
    conflicts(lookUp).declined(leased(1), leased(1));
    await clock.advance(0);
    expect(confirmed).toEqual([]);
    expect(await told()).toEqual([
      `AddressDeclined prod.10.0.0.1: ${macText(mac(1))} sent a DHCP DECLINE of 10.0.0.1. ${seen}, so the lease is not changed.`,
    ]);
  });

  it('causes at most four lookups at a time', () => {
    let lookups = 0;
    const evaluate = conflicts(() => {
      lookups += 1;
      return new Promise(() => undefined);
    });
    for (let index = 1; index <= 100; index += 1) evaluate.declined(leased(index), leased(index));
    expect(lookups).toBe(4);
  });
});

describe('another DHCP server', () => {
  it('is reported with its address, at most once a minute', async () => {
    const rogues = new RogueServers({ events, sampled: new SampledLog(clock), logger: silentLogger });
    for (let now = 0; now < 60_000; now += 1000) rogues.met(pool(), leased(1), 0x0a0000fe, now);
    expect(await told()).toEqual([
      'OtherDHCPServer prod: There is another DHCP server on the network, 10.0.0.254: 02:00:00:00:00:01 chose it over ours',
    ]);
    rogues.met(pool(), leased(2), 0x0a0000fe, 60_000);
    expect((await told()).join()).toContain('02:00:00:00:00:02');
  });

  it('cannot cause a flood of Events or logs with forged addresses', async () => {
    const lines: unknown[] = [];
    const logger = { ...silentLogger, warn: (...line: unknown[]) => lines.push(line) };
    const rogues = new RogueServers({ events, sampled: new SampledLog(clock), logger });
    for (let server = 1; server <= 1000; server += 1) rogues.met(pool(), leased(1), server, server);
    // The limit of Events per object and reason, and one Event that summarizes the others.
    expect((await told()).length).toBeLessThanOrEqual(11);
    expect(lines).toHaveLength(1);
  });
});
