import { MemoryAccounts, memoryAccount, MemoryMachine, MemoryRedfishState } from '../../testing/index.ts';
import type { Caller, Route } from '../resource.ts';
import type { RedfishContext, ServiceEvent } from '../context.ts';
import type { JsonObject } from '../json.ts';
import type { MachineError } from '../../machine/index.ts';
import type { CertificateRequest, ListenerPolicy, ManagerNetwork, RedfishOptions, WatchdogState } from '../options.ts';
import { composePayload } from '../service/read.ts';
import { ResourceTree } from '../service/resource-tree.ts';

/** Fake dependencies of the resources, with a fixed clock and no sessions. Tests set values and inspect the recorded calls. */
export class FakeBmc {
  readonly machine = new MemoryMachine();
  readonly state = new MemoryRedfishState();
  network: ManagerNetwork = { hostName: 'testvm-bmc', addresses: ['192.0.2.9'], httpsPort: 443 };
  /** PEM */
  certificates: readonly string[] = [];
  /** The answer to changes of certificates and services. */
  refusal: MachineError | undefined;
  readonly requested: CertificateRequest[] = [];
  legacyProperties = false;
  watchdog: WatchdogState | undefined;
  /** Undefined: there is no web console. */
  isWebConsoleOn: boolean | undefined;
  /** ms since 1970 */
  time = Date.UTC(2026, 10, 22, 1, 2, 3);
  restarts = 0;
  /** All names resolve to this machine, where the listeners of tests are. */
  readonly listeners: ListenerPolicy = {
    allowedHosts: () => [],
    allowedHostsSetting: 'the list of hosts',
    trustAdvice: 'add its CA to the configuration',
    allowsLoopback: true,
    resolve: () => Promise.resolve(['127.0.0.1']),
  };
  readonly undelivered: string[] = [];
  /** Hosts, and how their subscriptions ended. */
  readonly unsubscribed: string[] = [];
  readonly audited: string[] = [];
  /** Consoles that were opened and closed. */
  readonly consoles: string[] = [];
  readonly published: ServiceEvent[] = [];
  readonly #scheduled: (() => void)[] = [];

  readonly options: RedfishOptions = {
    machine: this.machine,
    accounts: new MemoryAccounts(),
    state: this.state,
    serviceUuid: '0f7a3c1e-5b52-4d0c-9a55-1f3f8a2b6c4d',
    network: () => this.network,
    version: '1.2.3',
    certificates: () => this.certificates,
    certificateOwner: {
      request: (contents) =>
        this.#unlessRefused(() => {
          this.requested.push(contents);
          return 'a CSR';
        }),
      replace: (text) =>
        this.#unlessRefused(() => {
          this.certificates = [text];
        }),
    },
    switchServices: (change) =>
      this.#unlessRefused(() => {
        const { ipmiPort, httpPort, ...network } = this.network;
        const { ipmi = ipmiPort !== undefined, http = httpPort !== undefined } = change;
        this.network = { ...network, ...(ipmi && { ipmiPort: 623 }), ...(http && { httpPort: 80 }) };
      }),
    legacyProperties: () => this.legacyProperties,
    watchdog: () => this.watchdog,
    lockout: () => ({ threshold: 5, seconds: 60 }),
    admitsLogins: () => true,
    restart: () => {
      this.restarts += 1;
    },
    listeners: this.listeners,
    observer: {
      loggedIn: () => undefined,
      loginFailed: () => undefined,
      answered: () => undefined,
      consoleChanged: ({ user }, kind, isOpen) => {
        this.consoles.push(`${user} ${isOpen ? 'opens' : 'closes'} ${kind}`);
      },
      audited: (_requester, what) => {
        this.audited.push(what);
      },
      undelivered: (destination, why) => {
        this.undelivered.push(`${new URL(destination).host} ${why}`);
      },
      unsubscribed: (destination, how) => {
        this.unsubscribed.push(`${new URL(destination).host} ${how}`);
      },
      failed: () => undefined,
    },
    random: (size) => Buffer.alloc(size),
    time: () => this.time,
    now: () => this.time,
    schedule: (work) => {
      this.#scheduled.push(work);
      return () => undefined;
    },
  };

  readonly context: RedfishContext = {
    options: this.options,
    startedAt: this.time,
    sessions: {
      list: () => [],
      find: () => undefined,
      open: () => Promise.reject(new Error('log-ins are not supported here')),
      end: () => Promise.resolve(false),
      accountChanged: () => Promise.resolve(),
      timeout: 1800,
    },
    logins: {
      logIn: () => {
        throw new Error('log-ins are not supported here');
      },
      remember: () => undefined,
      isLockedOut: () => false,
      unlock: () => undefined,
      lockout: { threshold: 5, seconds: 60, countedFor: 60 },
    },
    consoles: { list: () => [], find: () => undefined },
    events: {
      publish: (event) => {
        this.published.push(event);
      },
    },
  };

  #unlessRefused<T>(change: () => T): Promise<T> {
    return this.refusal === undefined ? Promise.resolve(change()) : Promise.reject(this.refusal);
  }

  /** Runs the scheduled work. */
  runScheduled(): void {
    for (const work of this.#scheduled.splice(0)) work();
  }
}

/** An authenticated administrator. */
export const CALLER: Caller = {
  account: memoryAccount(2, { username: 'admin', password: 'anything' }),
  requester: { protocol: 'Redfish', user: 'admin', address: '192.0.2.1' },
};

/** The answer to a GET of the URI; undefined: not found. */
export async function payloadAt(routes: readonly Route[], uri: string): Promise<JsonObject | undefined> {
  const found = new ResourceTree(() => routes).find(uri);
  return found === undefined ? undefined : (await composePayload(found)).properties;
}
