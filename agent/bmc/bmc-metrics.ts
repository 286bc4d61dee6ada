import type { LoginFailure, PacketErrorCode } from '../../protocols/ipmi/index.ts';
import type { RedfishObserver } from '../../protocols/redfish/index.ts';
import { type Family, gauge, Histogram, PairCounts } from '../process/index.ts';

export type Protocol = 'ipmi' | 'redfish';
type RedfishFailure = Parameters<RedfishObserver['loginFailed']>[1];

/** Values that are read when the metrics are requested. */
export interface BmcGauges {
  /** Clients that are logged in. */
  sessions: Readonly<Record<Protocol, number>>;
  /** BMCs that answer, and BMCs that do not. A shared agent that stands by has none. */
  bmcs: Readonly<Record<'served' | 'failing', number>>;
  /** When the first HTTPS certificate expires, ms since 1970; undefined: no BMC has a certificate. */
  certificateExpires: number | undefined;
}

/** Upper bounds of calls to KubeVirt, seconds. */
const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

const FAILURES: readonly [Protocol, LoginFailure | RedfishFailure][] = [
  ...(['UnknownUser', 'WrongPassword', 'PrivilegeTooHigh', 'NoSlot', 'LockedOut'] as const).map(ofIpmi),
  ...(['UnknownUser', 'WrongPassword', 'LockedOut', 'Refused'] as const).map(ofRedfish),
];

function ofIpmi(reason: LoginFailure): [Protocol, LoginFailure] {
  return ['ipmi', reason];
}

function ofRedfish(reason: RedfishFailure): [Protocol, RedfishFailure] {
  return ['redfish', reason];
}

/**
 * The agent's metrics. A request only updates numbers. Labels have few values, which clients cannot choose, and contain
 * no names of users.
 */
export class BmcMetrics {
  readonly #read: () => BmcGauges;
  /** By command and completion code or HTTP status. */
  readonly #requests = {
    ipmi: new PairCounts<string, number>(),
    redfish: new PairCounts<string, number>(),
  };
  readonly #dropped = new PairCounts<'ipmi', PacketErrorCode>();
  readonly #logins = { ipmi: 0, redfish: 0 };
  readonly #failures = new PairCounts<Protocol, LoginFailure | RedfishFailure>();
  readonly #errors = { ipmi: 0, redfish: 0 };
  readonly #calls = new PairCounts<string, string>();
  readonly #callTimes = new Map<string, Histogram>();
  #consoles = 0;

  constructor(read: () => BmcGauges) {
    this.#read = read;
    for (const [protocol, reason] of FAILURES) this.#failures.begin(protocol, reason);
  }

  /**
   * @param command from a fixed list
   * @param code completion code of IPMI, or HTTP status
   */
  answered(protocol: Protocol, command: string, code: number): void {
    this.#requests[protocol].add(command, code);
  }

  dropped(reason: PacketErrorCode): void {
    this.#dropped.add('ipmi', reason);
  }

  loggedIn(protocol: Protocol): void {
    this.#logins[protocol] += 1;
  }

  loginFailed(protocol: Protocol, reason: LoginFailure | RedfishFailure): void {
    this.#failures.add(protocol, reason);
  }

  consoleChanged(isOpen: boolean): void {
    this.#consoles += isOpen ? 1 : -1;
  }

  /** An internal error. */
  failed(protocol: Protocol): void {
    this.#errors[protocol] += 1;
  }

  /**
   * A request to KubeVirt.
   *
   * @param call from a fixed list
   * @param code HTTP status, or `<error>`
   */
  called(call: string, code: string, seconds: number): void {
    this.#calls.add(call, code);
    let times = this.#callTimes.get(call);
    if (times === undefined) this.#callTimes.set(call, (times = new Histogram(BOUNDS)));
    times.observe(seconds);
  }

  families(): Family[] {
    return [...this.#ofRequests(), ...this.#ofClients(), ...this.#ofCalls()];
  }

  #ofRequests(): Family[] {
    const ipmi = [...this.#requests.ipmi].map(([command, code, value]) => ({
      labels: { protocol: 'ipmi', command, code: `0x${code.toString(16).padStart(2, '0')}` },
      value,
    }));
    const redfish = [...this.#requests.redfish].map(([command, code, value]) => ({
      labels: { protocol: 'redfish', command, code: String(code) },
      value,
    }));
    return [
      {
        name: 'groundcrew_bmc_requests_total',
        help: 'Answered requests by command and completion code or HTTP status',
        type: 'counter',
        samples: [...ipmi, ...redfish],
      },
      {
        name: 'groundcrew_bmc_packets_dropped_total',
        help: 'IPMI packets that got no answer',
        type: 'counter',
        samples: [...this.#dropped].map(([protocol, reason, value]) => ({ labels: { protocol, reason }, value })),
      },
      byProtocol('groundcrew_bmc_errors_total', 'Internal errors of a protocol server', 'counter', this.#errors),
    ];
  }

  #ofClients(): Family[] {
    const { sessions, bmcs, certificateExpires } = this.#read();
    return [
      {
        name: 'groundcrew_bmc_bmcs',
        help: 'BMCs that the agent runs, by whether they answer',
        type: 'gauge',
        samples: Object.entries(bmcs).map(([state, value]) => ({ labels: { state }, value })),
      },
      byProtocol('groundcrew_bmc_sessions', 'Sessions of clients', 'gauge', sessions),
      gauge(
        'groundcrew_bmc_consoles',
        'Open consoles: serial over LAN, and serial ports and screens by WebSocket',
        this.#consoles,
      ),
      byProtocol('groundcrew_bmc_logins_total', 'Successful log-ins', 'counter', this.#logins),
      {
        name: 'groundcrew_bmc_login_failures_total',
        help: 'Refused log-ins by reason',
        type: 'counter',
        samples: [...this.#failures].map(([protocol, reason, value]) => ({ labels: { protocol, reason }, value })),
      },
      {
        name: 'groundcrew_bmc_certificate_expiration_timestamp_seconds',
        help: 'When the first HTTPS certificate in use expires, in seconds since unix epoch',
        type: 'gauge',
        samples: certificateExpires === undefined ? [] : [{ value: certificateExpires / 1000 }],
      },
    ];
  }

  #ofCalls(): Family[] {
    return [
      {
        name: 'groundcrew_bmc_kubevirt_calls_total',
        help: 'Requests to KubeVirt by call and HTTP status',
        type: 'counter',
        samples: [...this.#calls].map(([call, code, value]) => ({ labels: { call, code }, value })),
      },
      {
        name: 'groundcrew_bmc_kubevirt_call_duration_seconds',
        help: 'Time from a request to KubeVirt to the head of its answer',
        type: 'histogram',
        samples: [...this.#callTimes].flatMap(([call, times]) => times.samples({ call })),
      },
    ];
  }
}

function byProtocol(
  name: string,
  help: string,
  type: 'counter' | 'gauge',
  values: Readonly<Record<Protocol, number>>,
): Family {
  return {
    ...{ name, help, type },
    samples: Object.entries(values).map(([protocol, value]) => ({ labels: { protocol }, value })),
  };
}
