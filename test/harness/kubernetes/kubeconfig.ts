/** A kubeconfig file with one user, who holds a client certificate. */
export function adminKubeconfig(access: { server: string; ca: string; cert: string; key: string }): string {
  const base64 = (pem: string) => Buffer.from(pem).toString('base64');
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'test', cluster: { server: access.server, 'certificate-authority-data': base64(access.ca) } }],
    users: [
      {
        name: 'admin',
        user: { 'client-certificate-data': base64(access.cert), 'client-key-data': base64(access.key) },
      },
    ],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'admin' } }],
    'current-context': 'test',
  });
}
