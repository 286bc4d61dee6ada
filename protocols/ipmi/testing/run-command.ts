import { OWNER_ACCOUNT } from '../../accounts.ts';
import type { CommandOutcome } from '../commands/command-table.ts';
import { COMMANDS } from '../commands/command-list.ts';
import { CommandTable } from '../commands/command-table.ts';
import type { Bmc, Command } from '../commands/command.ts';
import { bmcParts } from '../commands/bmc-parts.ts';
import { Reservation } from '../commands/reservation.ts';
import { RecordIds } from '../commands/sel/record-id.ts';
import type { Privilege } from '../message/codes.ts';
import { memoryAccount, MemoryAccounts, MemoryMachine, MemorySettings } from '../../testing/index.ts';
import { cipherSuite } from '../rmcpplus/cipher-suite.ts';
import { SecureChannel } from '../rmcpplus/secure-channel.ts';
import { consoleSessionId } from '../rmcpplus/session-id.ts';
import { LanStatistics } from '../lan-statistics.ts';
import { DEFAULT_LIMITS, DEFAULT_LOCKOUT } from '../options.ts';
import type { Session } from '../session/session.ts';
import { SessionTable } from '../session/session-table.ts';
import { SerialOverLan } from '../sol/serial-over-lan.ts';
import { SolConfiguration } from '../sol/sol-configuration.ts';
import { systemGuid } from '../commands/device/guids.ts';
import { aRequest } from './a-request.ts';
import { CREDENTIALS, PEER, seededRandom } from './test-bmc.ts';

/** Runs commands without the protocol layers. */
export interface CommandBench {
  readonly bmc: Bmc & { machine: MemoryMachine };
  now: number;
  /** ms since 1970 */
  time: number;
  /** Adds a session; default privilege Administrator. */
  readonly session: (privilege?: Privilege) => Session;
  /** Runs a command with data in hex; in a new session by default, without one for `null`. */
  run(command: Command, data: string, session?: Session | null): Promise<CommandOutcome>;
  /** The same; returns completion code and data in hex. */
  answer(command: Command, data?: string, session?: Session | null): Promise<string>;
}

export function commandBench(overrides: Partial<Bmc> & { machine?: MemoryMachine } = {}): CommandBench {
  const machine = overrides.machine ?? new MemoryMachine({ state: 'On' });
  const random = seededRandom('bench');
  const sessions = new SessionTable({ ...DEFAULT_LIMITS, random, onEnd: () => undefined, onLapse: () => undefined });
  const table = new CommandTable(COMMANDS);
  const settings = new MemorySettings();
  const solConfiguration = new SolConfiguration(overrides.settings ?? settings);
  const bench: CommandBench = {
    bmc: {
      deviceInfo: { firmware: { major: 1, minor: 23 } },
      cipherSuites: [17, 3],
      sessions,
      ...bmcParts({
        machine,
        settings: overrides.settings ?? settings,
        time: () => bench.time,
        acts: () => true,
        bootFlagTimeout: 60_000,
      }),
      reservations: { sel: new Reservation(), sdr: new Reservation() },
      recordIds: new RecordIds(false),
      guid: () => systemGuid(machine.identity().uuid),
      deviceGuid: () => systemGuid('00010203-0405-0607-0809-0a0b0c0d0e0f'),
      hasBmcKey: () => false,
      accounts: new MemoryAccounts(CREDENTIALS),
      lockout: DEFAULT_LOCKOUT,
      login15: undefined,
      lanAddress: () => undefined,
      settings,
      sol: new SerialOverLan({
        console: machine.console,
        parameters: () => solConfiguration.parameters,
        outbox: () => undefined,
        schedule: () => () => undefined,
        now: () => bench.now,
      }),
      solConfiguration,
      payloadPort: () => 623,
      statistics: new LanStatistics(),
      time: () => bench.time,
      ...overrides,
      machine,
    },
    now: 1_000,
    time: Date.UTC(2026, 0, 2, 3, 4, 5),
    session: (privilege = 4) => {
      const suite = cipherSuite(17);
      const consoleId = consoleSessionId(1);
      const half = sessions.begin({ consoleId, suite, maxPrivilege: 4, peer: PEER, openedAt: bench.now });
      const keys = { integrity: random(32), confidentiality: random(16) };
      const session = sessions.activate(half, {
        user: CREDENTIALS.username,
        account: memoryAccount(OWNER_ACCOUNT, CREDENTIALS),
        maxPrivilege: privilege,
        channel: new SecureChannel({ suite, keys, remoteId: consoleId, random }),
        opening: { proof: random(32), answer: random(24) },
        peer: PEER,
        now: bench.now,
      });
      session.privilege = privilege;
      return session;
    },
    run: async (command, data, session = bench.session()) => {
      const { netFn, command: number } = command;
      const request = aRequest({ netFn, command: number, data: Buffer.from(data.replaceAll(' ', ''), 'hex') });
      const context = { bmc: bench.bmc, session: session ?? undefined, peer: PEER, now: bench.now };
      return await table.execute(table.find(netFn, number), request, context);
    },
    answer: async (command, data = '', session) => {
      const { completionCode, data: response } = await bench.run(command, data, session);
      return [completionCode, ...response].map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
    },
  };
  return bench;
}
