import type { Account, Accounts } from '../accounts.ts';
import { type Answer, NO_ANSWER, type Peer } from './datagram.ts';
import type { Bmc } from './commands/command.ts';
import { bmcParts } from './commands/bmc-parts.ts';
import { Reservation } from './commands/reservation.ts';
import { RecordIds } from './commands/sel/record-id.ts';
import { endForbiddenSol } from './commands/sol/payload.ts';
import { Login15 } from './ipmi15/login15.ts';
import { IpmiMessages } from './ipmi-messages.ts';
import { LanStatistics } from './lan-statistics.ts';
import type { IpmiObserver } from './observer.ts';
import {
  type BindContext,
  DEFAULT_BOOT_FLAG_TIMEOUT,
  DEFAULT_LIMITS,
  DEFAULT_LOCKOUT,
  DEFAULT_PORT,
  type IpmiServerOptions,
} from './options.ts';
import { PacketError } from './packet-error.ts';
import { PacketRouter } from './packet-router.ts';
import type { PayloadHandler } from './payload-handler.ts';
import { remembered } from './remembered.ts';
import { PAYLOAD_TYPE } from './rmcpplus/packet.ts';
import { bmcKeyOf, ipmiUserOf, type IpmiUser } from './session/account.ts';
import { Handshake } from './session/handshake.ts';
import { LoginGuard } from '../logins/index.ts';
import { SessionTable } from './session/session-table.ts';
import { SerialOverLan } from './sol/serial-over-lan.ts';
import { SolConfiguration } from './sol/sol-configuration.ts';
import { systemGuid } from './commands/device/guids.ts';

/** ms between looks at the time with power, which is told in minutes: each reads the machine, and a process has many BMCs. */
const COUNT_PERIOD = 10_000;

/**
 * The IPMI 2.0 over LAN interface of one machine's BMC: datagrams in, datagrams out. It uses no socket and no clock.
 *
 * @example
 * const server = new IpmiServer({ machine, accounts, settings, time: Date.now, random: randomBytes, deviceInfo, cipherSuites: [17, 3] });
 * for (const datagram of await server.handle(received, { address, port }, performance.now())) send(datagram);
 */
export class IpmiServer {
  readonly #sessions: SessionTable;
  readonly #bmc: Bmc;
  readonly #acts: () => boolean;
  readonly #accounts: Accounts;
  readonly #router: PacketRouter;
  readonly #observer: IpmiObserver;
  readonly #bind: BindContext;
  readonly #statistics = new LanStatistics();
  #countsAt = -Infinity;

  constructor(options: IpmiServerOptions) {
    const { machine, cipherSuites, deviceInfo, random } = options;
    const observer = options.observer ?? {};
    const bmcKey = (): Buffer | undefined => bmcKeyOf(options.bmcKey?.()) ?? undefined;
    const usersOf = remembered((accounts: readonly Account[]) => accounts.flatMap((each) => ipmiUserOf(each) ?? []));
    const users = (): readonly IpmiUser[] => {
      if (bmcKeyOf(options.bmcKey?.()) === null || options.admitsLogins?.() === false) return [];
      return usersOf(options.accounts.list());
    };
    const guidOf = remembered(systemGuid);
    const guid = (): Buffer => guidOf(options.guid ?? machine.identity().uuid);
    const acts = options.acts ?? (() => true);
    const payloads = new Map<number, PayloadHandler>();
    const sessions = new SessionTable({
      ...limitsOf(options),
      random,
      onEnd: (session, reason) => {
        for (const handler of payloads.values()) handler.sessionEnded?.(session, reason);
        observer.sessionEnded?.({ user: session.user, peer: session.peer }, reason);
      },
      onLapse: (half, why) => {
        handshake.lapsed(half, why);
      },
    });
    const guard = new LoginGuard(options.lockout ?? DEFAULT_LOCKOUT);
    const hideUserNames = options.hideUserNames ?? false;
    const logins = { sessions, guard, users, random, observer, hideUserNames };
    const handshake = new Handshake({ ...logins, cipherSuites, bmcKey, guid });
    const login15 =
      options.ipmi15 === true ? new Login15({ ...logins, users: () => (bmcKey() ? [] : users()) }) : undefined;
    const solConfiguration = new SolConfiguration(options.settings);
    const statistics = this.#statistics;
    const sol = serialOverLan(options, solConfiguration, statistics);
    if (sol !== undefined) payloads.set(PAYLOAD_TYPE.sol, sol);
    const bmc: Bmc = {
      machine,
      deviceInfo,
      cipherSuites,
      sessions,
      ...bmcParts({
        machine,
        settings: options.settings,
        time: options.time,
        acts,
        bootFlagTimeout: options.bootFlagTimeout ?? DEFAULT_BOOT_FLAG_TIMEOUT,
      }),
      reservations: { sel: new Reservation(), sdr: new Reservation() },
      recordIds: new RecordIds(options.oemEventRecords ?? false),
      guid,
      deviceGuid: () => (options.deviceGuid === undefined ? guid() : systemGuid(options.deviceGuid)),
      hasBmcKey: () => bmcKey() !== undefined,
      accounts: options.accounts,
      lockout: guard.policy,
      login15,
      lanAddress: () => options.lanAddress?.(),
      settings: options.settings,
      sol,
      solConfiguration,
      payloadPort: () => options.advertisedPort?.() ?? DEFAULT_PORT,
      statistics,
      time: options.time,
    };
    this.#bind = options.bind ?? ((work) => work);
    const messages = new IpmiMessages(bmc, observer, this.#bind);
    payloads.set(PAYLOAD_TYPE.ipmi, messages);
    this.#observer = observer;
    this.#sessions = sessions;
    this.#bmc = bmc;
    this.#acts = acts;
    this.#accounts = options.accounts;
    this.#router = new PacketRouter({ sessions, handshake, login15, messages, payloads, statistics });
  }

  /** Number of active sessions. */
  get sessionCount(): number {
    return this.#sessions.activeCount;
  }

  /**
   * Handles a datagram. Returns a promise if a command waits for the machine; meanwhile other packets are handled. Never throws or
   * rejects: errors are reported to the observer and get no answer.
   *
   * @param now ms of a monotonic clock
   */
  handle(datagram: Buffer, peer: Peer, now: number): Answer {
    this.#statistics.received += 1;
    try {
      const answer = this.#router.route(datagram, peer, now);
      if (!(answer instanceof Promise)) return this.#counted(answer);
      return answer.then(
        this.#counted,
        this.#bind((error: unknown) => this.#drop(error, peer)),
      );
    } catch (error) {
      return this.#drop(error, peer);
    }
  }

  /** Ends expired sessions and handshakes, and runs the watchdog and the power-on counter. Call it about once a second. */
  tick(now: number): void {
    this.#sessions.expire(now);
    const { watchdog, powerOnCounter } = this.#bmc;
    this.#unasked(watchdog.tick(now), 'look after the watchdog');
    if (now < this.#countsAt) return;
    this.#countsAt = now + COUNT_PERIOD;
    if (this.#acts()) this.#unasked(powerOnCounter.tick(), 'count the hours with power');
  }

  /**
   * Ends all sessions and handshakes, for example after a change of K_G or before the BMC is removed. Half-open log-ins that would be
   * reported as failed at their timeout are reported at once.
   */
  invalidateSessions(): void {
    this.#sessions.clear();
  }

  /** Tells the owner of serial over LAN that the BMC is about to end all sessions. */
  drain(): void {
    this.#bmc.sol?.announce('this BMC restarts and ends this session within a minute: open it again then');
  }

  /** Ends serial over LAN with a notice to its owner, who would otherwise notice only by a timeout. */
  endSerialOverLan(): void {
    this.#bmc.sol?.revoke('this BMC restarts: open serial over LAN again');
  }

  /** Ends sessions whose account was removed, has a new password or fewer rights, and SOL if it was switched off. */
  accountsChanged(): void {
    const accounts = this.#accounts.list();
    this.#sessions.endWhere((session) => !session.isGranted(accounts));
    endForbiddenSol(this.#bmc);
  }

  #unasked(work: Promise<void>, activity: string): void {
    work.catch((error: unknown) => this.#observer.failed?.(error, activity));
  }

  readonly #counted = (answer: readonly Buffer[]): readonly Buffer[] => {
    this.#statistics.sent += answer.length;
    return answer;
  };

  #drop(error: unknown, peer: Peer): readonly Buffer[] {
    if (error instanceof PacketError) this.#observer.packetDropped?.(peer, error.code, error.message);
    else this.#observer.failed?.(error, 'handle a packet');
    return NO_ANSWER;
  }
}

/** Undefined if it is disabled or unsolicited packets cannot be sent. */
function serialOverLan(
  options: IpmiServerOptions,
  configuration: SolConfiguration,
  statistics: LanStatistics,
): SerialOverLan | undefined {
  const { machine, outbox, schedule, now } = options;
  if (options.serialOverLan === false || outbox === undefined || schedule === undefined || now === undefined) {
    return undefined;
  }
  return new SerialOverLan({
    console: machine.console,
    parameters: () => configuration.parameters,
    outbox: (datagram, peer) => {
      statistics.sent += 1;
      outbox(datagram, peer);
    },
    ...{ schedule, now },
    onChange: ({ user, peer }, isActive) => options.observer?.consoleChanged?.({ user, peer }, isActive),
  });
}

function limitsOf(options: IpmiServerOptions): typeof DEFAULT_LIMITS {
  return {
    maxSessions: options.maxSessions ?? DEFAULT_LIMITS.maxSessions,
    maxHalfOpen: options.maxHalfOpen ?? DEFAULT_LIMITS.maxHalfOpen,
    maxHalfOpenPerSource: options.maxHalfOpenPerSource ?? DEFAULT_LIMITS.maxHalfOpenPerSource,
    sessionTimeout: options.sessionTimeout ?? DEFAULT_LIMITS.sessionTimeout,
    halfOpenTimeout: options.halfOpenTimeout ?? DEFAULT_LIMITS.halfOpenTimeout,
  };
}
