import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EventRecorder, KubeClient } from '@groundcrew/controller-runtime';
import { FakeClock, ScriptedApi, silentLogger } from '@groundcrew/controller-runtime/testing';
import {
  BOOT_REQUEST,
  decodeMessage,
  encodeMessage,
  encodeU32,
  MESSAGE_TYPE,
  OPTION,
  optionOf,
  type DhcpEndpoint,
  type DhcpEndpointOptions,
  type EncodedOption,
  type Ipv4,
} from '../../protocols/dhcp/index.ts';
import { exposition } from '../process/index.ts';
import { DhcpAgent } from './dhcp-agent.ts';
import { lease, LEASES, mac, NETWORK, pool, POOLS } from './testing/builders.ts';

let api: ScriptedApi;
let clock: FakeClock;
let directory: string;
let endpoint: Wire;
let agent: DhcpAgent;
let stop: AbortController;
let ended: Promise<void> | undefined;

/** Sockets of an agent, with the test as the other end. */
class Wire implements DhcpEndpoint {
  readonly options: DhcpEndpointOptions;
  /** Addresses that an interface has. */
  local: Ipv4[] = [0x0a000002];
  served: readonly Ipv4[] = [];
  isOpen = false;

  constructor(options: DhcpEndpointOptions) {
    this.options = options;
  }

  start(): Promise<void> {
    this.isOpen = true;
    return Promise.resolve();
  }

  serve(addresses: readonly Ipv4[]): Promise<readonly Ipv4[]> {
    this.served = addresses.filter((address) => this.local.includes(address));
    return Promise.resolve(addresses.filter((address) => !this.local.includes(address)));
  }

  close(): Promise<void> {
    this.isOpen = false;
    return Promise.resolve();
  }

  /** The type of the answer to a message of the client with that lease. */
  ask(index: number, type: keyof typeof MESSAGE_TYPE, requested?: Ipv4, server?: Ipv4): number | undefined {
    const options: EncodedOption[] = [{ code: OPTION.messageType, value: Uint8Array.of(MESSAGE_TYPE[type]) }];
    if (requested !== undefined) options.push({ code: OPTION.requestedAddress, value: encodeU32(requested) });
    if (server !== undefined) options.push({ code: OPTION.serverIdentifier, value: encodeU32(server) });
    const datagram = encodeMessage({ op: BOOT_REQUEST, macAddress: mac(index), xid: 1, options });
    const reply = this.options.server.handle(datagram, { address: 0, port: 68 }, this.options.now());
    return reply === undefined ? undefined : optionOf(decodeMessage(reply.datagram), OPTION.messageType)?.[0];
  }
}

beforeEach(() => {
  api = new ScriptedApi();
  clock = new FakeClock();
  directory = mkdtempSync(join(tmpdir(), 'agent-'));
  stop = new AbortController();
  ended = undefined;
  agent = create();
});
afterEach(async () => {
  stop.abort();
  await ended;
  rmSync(directory, { recursive: true });
});

function create(): DhcpAgent {
  const client = new KubeClient({ transport: api, fieldManager: 'test' });
  return new DhcpAgent({
    client,
    events: new EventRecorder({ client, component: 'test', clock, logger: silentLogger }),
    network: NETWORK,
    serverIndex: 0,
    namespaces: ['default'],
    podName: 'agent-1',
    snapshotDirectory: directory,
    endpoint: (options) => (endpoint = new Wire(options)),
    clock,
    now: () => clock.now(),
    logger: silentLogger,
  });
}

async function start(): Promise<void> {
  ended = agent.run(stop.signal);
  await clock.advance(0);
}

/** The failing checks of the agent. */
function problems(): string[] {
  return [...agent.checks].flatMap(([name, check]) => {
    const problem = check();
    return problem === undefined ? [] : [`${name}: ${problem}`];
  });
}

describe('an agent', () => {
  it('is ready when its lists have arrived and its sockets are bound', async () => {
    api.put(`${POOLS}/prod`, pool());
    api.put(`${LEASES}/prod.10.0.0.10`, lease(10));
    expect(problems()).toEqual(['leases: waiting for the lists of ippools, ipleases', 'sockets: not bound yet']);
    await start();
    expect(problems()).toEqual([]);
    expect([endpoint.isOpen, endpoint.served]).toEqual([true, [0x0a000002]]);
    expect(endpoint.ask(10, 'discover')).toBe(MESSAGE_TYPE.offer);
  });

  it('reports a server address that no interface has, and serves it when an interface has it', async () => {
    api.put(`${POOLS}/prod`, pool());
    api.put(
      `${POOLS}/more`,
      pool({ serverIP: '10.0.0.3', pool: { start: '10.0.0.201', end: '10.0.0.210' } }, { name: 'more' }),
    );
    await start();
    expect(problems()).toEqual(['addresses: no interface has 10.0.0.3']);
    expect(endpoint.served).toEqual([0x0a000002]);
    endpoint.local.push(0x0a000003);
    await clock.advance(2000);
    expect(problems()).toEqual([]);
    expect(endpoint.served).toEqual([0x0a000002, 0x0a000003]);
  });

  it('serves the address of a new pool and stops when the pool is deleted', async () => {
    await start();
    expect(endpoint.served).toEqual([]);
    api.put(`${POOLS}/prod`, pool());
    await clock.advance(0);
    expect(endpoint.served).toEqual([0x0a000002]);
    api.delete(`${POOLS}/prod`);
    await clock.advance(0);
    expect(endpoint.served).toEqual([]);
  });

  it('serves from the snapshot after two seconds without the API server, and sends no NAK', async () => {
    api.put(`${POOLS}/prod`, pool());
    api.put(`${LEASES}/prod.10.0.0.10`, lease(10));
    await start();
    await clock.advance(10_000);
    expect(endpoint.ask(10, 'request', 0x0a000063)).toBe(MESSAGE_TYPE.nak);
    stop.abort();
    await clock.advance(0);
    await ended;
    api.intercept = () => {
      throw new Error('connection refused');
    };
    stop = new AbortController();
    agent = create();
    await start();
    await clock.advance(1999);
    expect(problems()).toHaveLength(2);
    await clock.advance(1);
    expect(problems()).toEqual([]);
    expect(endpoint.ask(10, 'discover')).toBe(MESSAGE_TYPE.offer);
    expect(endpoint.ask(10, 'request', 0x0a000063)).toBeUndefined();
    expect(endpoint.ask(10, 'request', 0x0a00000a)).toBe(MESSAGE_TYPE.ack);
    api.intercept = () => undefined;
    await clock.advance(20_000);
    expect(endpoint.ask(10, 'request', 0x0a000063)).toBe(MESSAGE_TYPE.nak);
  });

  it('exports metrics of its leases and their freshness', async () => {
    api.put(`${POOLS}/prod`, { ...pool(), status: { ipv4: { available: 188 } } } as object as ReturnType<typeof pool>);
    for (const index of [10, 11]) api.put(`${LEASES}/prod.10.0.0.${index}`, lease(index));
    await start();
    await clock.advance(5000);
    endpoint.ask(10, 'discover');
    const text = exposition(agent.metrics.families());
    expect(text).toContain('groundcrew_dhcp_leases{pool="default/prod"} 2\n');
    expect(text).toContain('groundcrew_dhcp_pool_available_addresses{pool="default/prod"} 188\n');
    expect(text).toContain('groundcrew_dhcp_cache_age_seconds 5\n');
    expect(text).toContain('groundcrew_dhcp_cache_fresh 1\n');
    expect(text).toContain('groundcrew_dhcp_packets_total{type="Discover",outcome="Offer"} 1\n');
  });

  it('reports a DECLINE of an address from another agent, and does not give it up on a second one', async () => {
    api.put(`${POOLS}/prod`, pool({ serverIPs: ['10.0.0.2', '10.0.0.3'] }));
    api.put(`${LEASES}/prod.10.0.0.10`, lease(10));
    await start();
    const reasons = () => [...api.objects.values()].map((object) => ('reason' in object ? object.reason : undefined));
    endpoint.ask(10, 'decline', 0x0a00000a, 0x0a000003);
    await clock.advance(10_500);
    expect(reasons()).toContain('AddressDeclined');
    endpoint.ask(10, 'decline', 0x0a00000a, 0x0a000002);
    await clock.advance(1000);
    expect(reasons()).not.toContain('AddressConflict');
  });

  it('stops at once while it waits for the API server', async () => {
    api.intercept = async ({ signal }) =>
      await new Promise((_, reject) => {
        signal?.addEventListener('abort', () => {
          reject(new Error('aborted'));
        });
      });
    await start();
    await clock.advance(5000);
    stop.abort();
    await clock.advance(0);
    expect(endpoint.isOpen).toBe(false);
  });
});
