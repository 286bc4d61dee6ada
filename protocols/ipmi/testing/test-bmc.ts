import { createHash } from 'node:crypto';
import { MemoryAccounts, MemoryMachine, MemorySettings } from '../../testing/index.ts';
import { IpmiServer } from '../ipmi-server.ts';
import type { CompletedCommand, Login, LoginFailure } from '../observer.ts';
import type { IpmiServerOptions } from '../options.ts';
import type { PacketErrorCode } from '../packet-error.ts';
import type { Peer } from '../datagram.ts';
import type { SessionEnd } from '../session/session-table.ts';
import { type LoginOptions, RmcpPlusClient } from './rmcp-plus-client.ts';
import { TestTimers } from './test-timers.ts';
import { directTransport } from './transport.ts';

export const CREDENTIALS = { username: 'admin', password: 'password' } as const;

export const PEER: Peer = { address: '192.0.2.7', port: 40_000 };

/** A BMC with a machine in memory, a manual clock, predictable random bytes and recorded observer events. */
export interface TestBmc {
  readonly server: IpmiServer;
  readonly machine: MemoryMachine;
  readonly told: {
    loginSucceeded: Login[];
    loginFailed: { login: Login; reason: LoginFailure }[];
    sessionEnded: SessionEnd[];
    console: string[];
    commands: CompletedCommand[];
    dropped: PacketErrorCode[];
    failed: unknown[];
  };
  /** ms; tests may change it. */
  now: number;
  accounts: MemoryAccounts;
  bmcKey: Buffer | undefined;
  readonly settings: MemorySettings;
  /** ms since 1970 */
  time: number;
  /** Unsolicited datagrams of the server. */
  readonly sent: { datagram: Buffer; peer: Peer }[];
  /** Advances both clocks and runs due timers. */
  advance(ms: number): void;
  /** A client that has not logged in. */
  client(peer?: Peer): RmcpPlusClient;
  /** A logged-in client; default privilege Administrator. */
  loggedIn(options?: Partial<LoginOptions> & { peer?: Peer }): Promise<RmcpPlusClient>;
}

export function testBmc(options: Partial<IpmiServerOptions> & { machine?: MemoryMachine } = {}): TestBmc {
  const machine = options.machine ?? new MemoryMachine({ state: 'On' });
  const told: TestBmc['told'] = {
    loginSucceeded: [],
    loginFailed: [],
    sessionEnded: [],
    console: [],
    commands: [],
    dropped: [],
    failed: [],
  };
  const random = seededRandom('bmc');
  const settings = new MemorySettings();
  const sent: TestBmc['sent'] = [];
  const timers = new TestTimers();
  const server = new IpmiServer({
    accounts: {
      list: () => bmc.accounts.list(),
      add: (account) => bmc.accounts.add(account),
      change: (id, change) => bmc.accounts.change(id, change),
    },
    bmcKey: () => bmc.bmcKey,
    settings,
    time: () => bmc.time,
    random,
    deviceInfo: { firmware: { major: 1, minor: 23 } },
    cipherSuites: [17, 3],
    observer: {
      loginSucceeded: (login) => void told.loginSucceeded.push(login),
      loginFailed: (login, reason) => void told.loginFailed.push({ login, reason }),
      consoleChanged: ({ user }, isOpen) => void told.console.push(`${user} ${isOpen ? 'begins' : 'ends'}`),
      sessionEnded: (_session, reason) => void told.sessionEnded.push(reason),
      commandCompleted: (command) => void told.commands.push(command),
      packetDropped: (_peer, reason) => void told.dropped.push(reason),
      failed: (error) => void told.failed.push(error),
    },
    outbox: (datagram, peer) => void sent.push({ datagram, peer }),
    schedule: (work, delay) => timers.add(work, bmc.now + delay),
    now: () => bmc.now,
    ...options,
    machine,
  });
  const bmc: TestBmc = {
    server,
    machine,
    told,
    now: 1_000,
    time: Date.UTC(2026, 0, 2, 3, 4, 5),
    accounts: new MemoryAccounts(CREDENTIALS),
    bmcKey: undefined,
    settings,
    sent,
    advance: (ms) => {
      const [now, time] = [bmc.now + ms, bmc.time + ms];
      timers.runUntil(now, (at) => {
        bmc.time += at - bmc.now;
        bmc.now = at;
      });
      [bmc.now, bmc.time] = [now, time];
    },
    client: (peer = PEER) =>
      new RmcpPlusClient(
        directTransport(server, peer, () => bmc.now),
        random,
      ),
    loggedIn: async ({ peer, ...login } = {}) => {
      const client = bmc.client(peer);
      await client.login({ ...CREDENTIALS, ...login });
      await client.setPrivilege(login.privilege ?? 4);
      return client;
    },
  };
  return bmc;
}

/** Deterministic pseudo-random bytes. */
export function seededRandom(seed: string): (size: number) => Buffer {
  let counter = 0;
  return (size) => {
    const blocks: Buffer[] = [];
    for (let length = 0; length < size; length += 32) {
      blocks.push(createHash('sha256').update(`${seed}${counter}`).digest());
      counter += 1;
    }
    return Buffer.concat(blocks).subarray(0, size);
  };
}
