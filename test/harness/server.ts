import { KubeClient, type Transport } from '@groundcrew/controller-runtime';
import { undiciTransport } from '@groundcrew/controller-runtime/transport-undici';
import type { NodeSimulatorOptions } from './kubevirt/node-simulator.ts';
import type { Outage } from './outage.ts';

/** Who a client is to the server. */
export type Credentials = { token: string } | { cert: string; key: string };

/** An API server to test against, whichever it is. */
export interface TestServer {
  /** `https://127.0.0.1:<port>` */
  server: string;
  ca: string;
  /** Of an administrator, who may do everything. */
  credentials: Credentials;
  /** Sends with the administrator's credentials. */
  transport: Transport;
  /** May do everything. */
  client: KubeClient;
  outage: Outage;
  /** Makes the server forget what was before now; the embedded one forgets by itself, after some hundred changes. */
  compact: () => Promise<void>;
  /** Whether permissions are checked, so that the chart's must be in place. */
  rbac: boolean;
  /** Where the real KubeVirt runs beside it: what the simulator of its nodes needs. */
  kubeVirt?: Pick<NodeSimulatorOptions, 'identity' | 'clientOn' | 'holdController' | 'resumeController'>;
  close(): Promise<void>;
}

/** A client with the credentials given. */
export function clientOf(access: { server: string; ca: string } & Credentials, name?: string): KubeClient {
  return clientOver(undiciTransport(access), name);
}

export function clientOver(transport: Transport, name = 'groundcrew-tests'): KubeClient {
  return new KubeClient({ transport, fieldManager: name });
}
