interface Access {
  /** `https://host:port` */
  server: string;
  ca: string;
}

/** A kubeconfig file with one user that has a client certificate. */
export function adminKubeconfig(access: Access & { cert: string; key: string }): string {
  return kubeconfig(access, {
    'client-certificate-data': base64(access.cert),
    'client-key-data': base64(access.key),
  });
}

/** A kubeconfig file with one user that has a token. */
export function tokenKubeconfig(access: Access, token: string): string {
  return kubeconfig(access, { token });
}

/** A kubeconfig file with one user whose credentials are in a file (ExecCredential of client.authentication.k8s.io/v1). */
export function execKubeconfig(access: Access, file: string): string {
  const apiVersion = 'client.authentication.k8s.io/v1';
  return kubeconfig(access, { exec: { apiVersion, command: 'cat', args: [file], interactiveMode: 'Never' } });
}

function kubeconfig({ server, ca }: Access, user: object): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'test', cluster: { server, 'certificate-authority-data': base64(ca) } }],
    users: [{ name: 'user', user }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'user' } }],
    'current-context': 'test',
  });
}

function base64(pem: string): string {
  return Buffer.from(pem).toString('base64');
}
