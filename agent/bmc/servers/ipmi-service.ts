import { setImmediate } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { IPMISettings } from '../../../api/index.ts';
import type { Clock, Logger } from '@groundcrew/controller-runtime';
import type { Accounts } from '../../../protocols/accounts.ts';
import {
  type DeviceInfo,
  type IpmiObserver,
  IpmiServer,
  IpmiUdpEndpoint,
  type IpmiUdpEndpointOptions,
  isAesNative,
  isHmacNative,
  type NativeUdp,
  rmcpPing,
  type SettingsStore,
} from '../../../protocols/ipmi/index.ts';
import type { Machine } from '../../../protocols/machine/index.ts';
import type { RequestTraces } from '../request-traces.ts';
import type { CheckRounds, RunningCheck } from './check-rounds.ts';
import type { Lane, ProcessorShare } from './processor-share.ts';
import { reachable } from './self-check.ts';

/** Settings of the IPMI server. */
export interface IpmiWish {
  /** K_G, if set. */
  bmcKey: Buffer | undefined;
  settings: Omit<IPMISettings, 'enabled' | 'advertisedPort'>;
  /** UDP port that clients use. A change does not end sessions. */
  advertisedPort: number;
}

export interface IpmiServiceOptions {
  machine: Machine;
  accounts: Accounts;
  settings: SettingsStore;
  addresses: readonly string[];
  port: number;
  deviceInfo: DeviceInfo;
  /** UUID of the BMC itself. */
  deviceGuid?: string;
  /** Whether this agent is the acting agent; default always. */
  acts?: () => boolean;
  /** IPv4 address that clients use. Default: unknown. */
  lanAddress?: () => string | undefined;
  observer: IpmiObserver;
  random: (size: number) => Buffer;
  /** See {@link IpmiUdpEndpointOptions.native}. */
  nativeUdp?: NativeUdp | undefined;
  /** Milliseconds of a monotonic clock. */
  now: () => number;
  clock: Clock;
  logger: Logger;
  traces: RequestTraces;
  checks: CheckRounds;
  /** The BMC's part of the processor; absent: all of it. */
  share?: ProcessorShare;
  /** Called when `answers` has changed. */
  onCheck?: () => void;
}

/** Interval and timeout of self-pings in milliseconds. */
const PING_PERIOD = 5_000;
const PING_TIMEOUT = 1_000;

/** Serves IPMI for one machine with the current settings. */
export class IpmiService {
  readonly #options: IpmiServiceOptions;
  #wish: IpmiWish | undefined;
  #running: { server: IpmiServer; endpoint: IpmiUdpEndpoint; pings: RunningCheck } | undefined;
  #draining = false;

  constructor(options: IpmiServiceOptions) {
    this.#options = options;
  }

  /** Whether its own pings are answered on every address. */
  get answers(): boolean {
    return this.#running?.pings.answers === true;
  }

  /** Clients that are logged in. */
  get sessionCount(): number {
    return this.#running?.server.sessionCount ?? 0;
  }

  /** The UDP port; undefined while IPMI is not served. */
  get port(): number | undefined {
    return this.#running?.endpoint.port;
  }

  /**
   * Applies the settings; undefined stops the server. A change of K_G ends all sessions; a change or removal of an
   * account ends its sessions.
   *
   * @throws Error of node:dgram if an address cannot be bound
   */
  async serve(wish: IpmiWish | undefined): Promise<void> {
    const { logger } = this.#options;
    const before = this.#wish;
    this.#wish = wish;
    if (wish === undefined || !isDeepStrictEqual(before?.settings, wish.settings)) await this.#stop();
    if (wish === undefined) return;
    if (this.#running === undefined) await this.#start(wish);
    else if (!isDeepStrictEqual(before?.bmcKey, wish.bmcKey)) {
      logger.info({}, 'K_G has changed; all sessions end');
      this.#running.server.invalidateSessions();
    } else {
      this.#running.server.accountsChanged();
    }
  }

  /** Refuses new log-ins, and tells the user of the console. */
  drain(): void {
    this.#draining = true;
    this.#running?.server.drain();
  }

  async close(): Promise<void> {
    this.#wish = undefined;
    await this.#stop();
  }

  async #start(wish: IpmiWish): Promise<void> {
    const { machine, accounts, settings, addresses, port, deviceInfo, observer, random, now, clock, logger } =
      this.#options;
    const { cipherSuites, hideUserNames, ipmi15, lockout, oemEventRecords, serialOverLan } = wish.settings;
    const server = new IpmiServer({
      machine,
      accounts,
      admitsLogins: () => !this.#draining,
      bmcKey: () => this.#wish?.bmcKey,
      settings,
      time: () => clock.now(),
      advertisedPort: () => this.#wish?.advertisedPort ?? wish.advertisedPort,
      ...{ cipherSuites, hideUserNames, ipmi15, lockout, oemEventRecords, serialOverLan },
      deviceInfo,
      deviceGuid: this.#options.deviceGuid,
      acts: this.#options.acts,
      lanAddress: () => this.#options.lanAddress?.(),
      observer,
      bind: this.#options.traces.bind,
      random,
      outbox: (datagram, peer) => {
        endpoint.send(datagram, peer);
      },
      now,
      schedule: (work, delay) => {
        const timer = clock.setTimeout(work, delay);
        return () => {
          timer.cancel();
        };
      },
    });
    const onError = (error: Error): void => {
      logger.warn({ err: error }, 'an IPMI socket failed');
    };
    const endpoint = new IpmiUdpEndpoint({
      server: shared(traced(server, this.#options.traces), this.#options),
      native: this.#options.nativeUdp,
      addresses,
      port,
      now,
      // Without a session no packet may cost more than its answer, and none may cost it other BMCs.
      polls: () => this.#options.share === undefined && server.sessionCount > 0,
      onError,
    });
    await endpoint.start();
    this.#running = { server, endpoint, pings: this.#ping(endpoint) };
    const native = { sockets: endpoint.isNative, hmac: isHmacNative, aes: isAesNative };
    logger.info({ addresses, port: endpoint.port, cipherSuites, native }, 'IPMI is served');
  }

  async #stop(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    if (running === undefined) return;
    running.pings.stop();
    running.server.endSerialOverLan();
    // A closed socket sends nothing that has just been handed to it.
    await setImmediate();
    await running.endpoint.close();
    running.server.invalidateSessions();
    this.#options.logger.info({}, 'IPMI is no longer served');
  }

  /** Starts periodic pings of an endpoint. */
  #ping(endpoint: IpmiUdpEndpoint): RunningCheck {
    const { addresses, checks, onCheck } = this.#options;
    const check = async (): Promise<boolean> => {
      const pongs = addresses.map((at) => rmcpPing(reachable(at), endpoint.port, PING_TIMEOUT));
      return (await Promise.all(pongs)).every(Boolean);
    };
    return checks.add({ check, period: PING_PERIOD, onChange: onCheck });
  }
}

/** The server, with a trace for each datagram until its answer. */
function traced(server: IpmiServer, traces: RequestTraces): IpmiUdpEndpointOptions['server'] {
  return {
    handle: (datagram, peer, at) =>
      traces.beginBrief((trace) => {
        const answer = server.handle(datagram, peer, at);
        if (answer instanceof Promise) {
          return answer.finally(() => {
            trace.end();
          });
        }
        trace.end();
        return answer;
      }),
    tick: (at) => {
      server.tick(at);
    },
  };
}

/** The server, within the BMC's part of the processor. What waits too long is dropped: the client sends it again. */
function shared(
  server: IpmiUdpEndpointOptions['server'],
  { share, now, observer }: Pick<IpmiServiceOptions, 'share' | 'now' | 'observer'>,
): IpmiUdpEndpointOptions['server'] {
  if (share === undefined) return server;
  return {
    handle: (datagram, peer, at) =>
      share.run(
        laneOf(datagram),
        // Time has passed if it had to wait.
        () => server.handle(datagram, peer, Math.max(at, now())),
        () => {
          observer.packetDropped?.(peer, 'Overloaded', 'the BMC has used up its part of the processor');
          return [];
        },
      ),
    tick: (at) => {
      server.tick(at);
    },
  };
}

/** Offset of the session ID in a packet of RMCP+ (IPMI 2.0 §13.6), and of IPMI 1.5 behind its sequence number. */
const [ID_20, ID_15] = [6, 9];

/** A packet without a session is a step of a log-in, or asks for what is needed before. */
function laneOf(datagram: Buffer): Lane {
  const offset = datagram[4] === 0x06 ? ID_20 : ID_15;
  return datagram.length < offset + 4 || datagram.readUInt32LE(offset) === 0 ? 'login' : 'packet';
}
