import { join } from 'node:path';

/** Where kubelet mounts a Pod's service account. */
const MOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

export interface ServiceAccountOptions {
  /** KUBERNETES_SERVICE_HOST: a host name, IPv4 or IPv6 address. */
  host: string;
  /** KUBERNETES_SERVICE_PORT. */
  port: string | number;
  /** Folder with `token`, `ca.crt` and `namespace`. Default: where kubelet mounts them. */
  directory?: string;
}

/** The data for a transport to the API server from inside a Pod. */
export interface ServiceAccountConfig {
  server: string;
  ca: string;
  /** Reads the current token: kubelet rotates it. */
  token: () => string;
  namespace: string;
}

/**
 * Reads a Pod's service account.
 *
 * @throws an Error of node:fs if the files are missing
 */
export function serviceAccountConfig(options: ServiceAccountOptions): ServiceAccountConfig {
  const directory = options.directory ?? MOUNT;
  // An ESM import of node:fs also loads its promises API, 3 MB that an agent does not need.
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
        // kubelet is replacing the file; the previous token is still valid for minutes.
      }
      return last;
    },
  };
}
