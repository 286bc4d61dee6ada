import { readFileSync } from 'node:fs';

/** The access to an API server that a kubeconfig of the tests holds: one cluster, one client certificate. */
export function readAccess(path: string): { server: string; ca: string; cert: string; key: string } {
  // The benchmark wrote it, as JSON, which is YAML.
  const config = JSON.parse(readFileSync(path, 'utf8')) as {
    clusters: [{ cluster: { server: string; 'certificate-authority-data': string } }];
    users: [{ user: { 'client-certificate-data': string; 'client-key-data': string } }];
  };
  const [{ cluster }] = config.clusters;
  const [{ user }] = config.users;
  const pem = (base64: string): string => Buffer.from(base64, 'base64').toString('utf8');
  return {
    server: cluster.server,
    ca: pem(cluster['certificate-authority-data']),
    cert: pem(user['client-certificate-data']),
    key: pem(user['client-key-data']),
  };
}
