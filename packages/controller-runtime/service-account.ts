import { join } from 'node:path';

/** Where kubelet mounts a Pod's service account. */
const MOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

export interface ServiceAccountOptions {
  /** KUBERNETES_SERVICE_HOST: a name or an address of either family. */
  host: string;
  /** KUBERNETES_SERVICE_PORT. */
  port: string | number;
  /** Holds `token`, `ca.crt` and `namespace`. Default: where kubelet mounts them. */
  directory?: string;
}

/** What a transport needs to reach the API server from inside a Pod. */
export interface ServiceAccountConfig {
  server: string;
  ca: string;
  /** Reads the token as it is now: kubelet rotates it. */
  token: () => string;
  namespace: string;
}

/**
 * Reads a Pod's service account.
 *
 * @throws Error of node:fs, where the files are not there
 */
export function serviceAccountConfig(options: ServiceAccountOptions): ServiceAccountConfig {
  const directory = options.directory ?? MOUNT;
  // An ESM import of node:fs loads its promises too: 3 MB that an agent has no use for.
  const { readFileSync } = process.getBuiltinModule('node:fs');
  const read = (file: string): string => readFileSync(join(directory, file), 'utf8');
  let last = read('token').trim();
  return {
    server: `https://${options.host.includes(':') ? `[${options.host}]` : options.host}:${options.port}`,
    ca: read('ca.crt'),
    namespace: read('namespace').trim(),
    token() {
      try {
        const token = read('token').trim();
        if (token !== '') last = token;
      } catch {
        // Kubelet is replacing the file; the token before it is good for minutes yet.
      }
      return last;
    },
  };
}
