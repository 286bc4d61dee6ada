import { randomBytes } from 'node:crypto';
import {
  IpmiServer,
  IpmiUdpEndpoint,
  type IpmiServerOptions,
  type LoginFailure,
} from '../../../../protocols/ipmi/index.ts';
import { MemoryAccounts, MemoryMachine, MemorySettings } from '../../../../protocols/testing/index.ts';
import type { Endpoint } from './run-line.ts';

/** A BMC on a real socket with an in-memory machine, without a cluster. */
export interface MemoryBmc {
  readonly machine: MemoryMachine;
  readonly endpoint: Endpoint;
  readonly failures: readonly LoginFailure[];
  /** Unexpected errors. */
  readonly errors: readonly unknown[];
  close(): Promise<void>;
}

export interface MemoryBmcOptions extends Partial<IpmiServerOptions> {
  /** Default 127.0.0.1. */
  host?: string;
  /** Default: a free port. */
  port?: number;
}

/** Starts a BMC whose machine is on. */
export async function startMemoryBmc({
  host = '127.0.0.1',
  port = 0,
  ...more
}: MemoryBmcOptions = {}): Promise<MemoryBmc> {
  const machine = new MemoryMachine({ state: 'On' });
  const credentials = { username: 'admin', password: 'password' };
  const failures: LoginFailure[] = [];
  const errors: unknown[] = [];
  const now = (): number => performance.now();
  const server = new IpmiServer({
    machine,
    accounts: new MemoryAccounts(credentials),
    settings: new MemorySettings(),
    time: Date.now,
    random: randomBytes,
    deviceInfo: { firmware: { major: 1, minor: 23 } },
    cipherSuites: [17, 3],
    now,
    schedule: (work, delay) => {
      const timer = setTimeout(work, delay);
      return () => {
        clearTimeout(timer);
      };
    },
    outbox: (datagram, peer) => {
      endpoint.send(datagram, peer);
    },
    observer: {
      loginFailed: (_login, reason) => void failures.push(reason),
      failed: (error) => void errors.push(error),
    },
    ...more,
  });
  const onError = (error: Error): void => void errors.push(error);
  const endpoint = new IpmiUdpEndpoint({ server, addresses: [host], port, now, onError });
  await endpoint.start();
  return {
    machine,
    endpoint: { host, port: endpoint.port, ...credentials },
    failures,
    errors,
    close: () => endpoint.close(),
  };
}
