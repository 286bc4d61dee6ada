import { KubeClient, type Transport } from '@groundcrew/controller-runtime';
import { undiciTransport } from '@groundcrew/controller-runtime/transport-undici';
import type { NodeSimulatorOptions } from './kubevirt/node-simulator.ts';

/** The credentials of a client. */
export type Credentials = { token: string } | { cert: string; key: string };

/** Stops the API server and restarts it with its stored objects. */
export interface Outage {
  /** Connections break, and no server listens at the address. */
  begin(): Promise<void>;
  /** Resolves when the server answers again. */
  end(): Promise<void>;
}

/** An API server for tests, embedded or real. */
export interface TestServer {
  /** `https://127.0.0.1:<port>` */
  server: string;
  ca: string;
  /** Credentials of an administrator with all permissions. */
  credentials: Credentials;
  /** Sends with the administrator's credentials. */
  transport: Transport;
  /** Has all permissions. */
  client: KubeClient;
  outage: Outage;
  /** Deletes the server's history up to now; the embedded server deletes history itself after some hundred changes. */
  compact: () => Promise<void>;
  /** Whether permissions are checked, so that the chart's RBAC must be installed. */
  rbac: boolean;
  /** Whether other test files use it afterwards. */
  isShared: boolean;
  /** Set if the real KubeVirt runs: the data for the simulator of its nodes. */
  kubeVirt?: Pick<NodeSimulatorOptions, 'identity' | 'clientOn' | 'holdController' | 'resumeController'>;
  close(): Promise<void>;
}

/** A client with the given credentials. */
export function clientOf(access: { server: string; ca: string } & Credentials, name?: string): KubeClient {
  return clientOver(undiciTransport(access), name);
}

export function clientOver(transport: Transport, name = 'groundcrew-tests'): KubeClient {
  return new KubeClient({ transport, fieldManager: name });
}
