import { KubeClient } from '../../src/kube/index.ts';
import { undiciTransport } from '../../src/kube/transport-undici.ts';
import type { Outage } from './outage.ts';

/** An API server to test against, whichever it is. */
export interface TestServer {
  /** `https://127.0.0.1:<port>` */
  server: string;
  ca: string;
  /** May do everything. */
  client: KubeClient;
  outage: Outage;
  /** Whether permissions are checked, so that the chart's must be in place. */
  rbac: boolean;
  close(): Promise<void>;
}

/** A client with the credentials given. */
export function clientOf(
  access: { server: string; ca: string } & ({ token: string } | { cert: string; key: string }),
  name = 'groundcrew-tests',
): KubeClient {
  return new KubeClient({ transport: undiciTransport(access), fieldManager: name });
}
