export interface KubeconfigOptions {
  /** `https://host:port`. */
  server: string;
  /** The server's CA certificate, PEM. */
  ca: string;
  token: string;
  contextName: string;
}

/** A kubeconfig with one context, as YAML. It contains the token: write it with mode 0600. */
export function kubeconfigYaml({ server, ca, token, contextName }: KubeconfigOptions): string {
  const name = JSON.stringify(contextName);
  return `apiVersion: v1
kind: Config
clusters:
  - name: ${name}
    cluster:
      server: ${JSON.stringify(server)}
      certificate-authority-data: ${Buffer.from(ca).toString('base64')}
users:
  - name: ${name}
    user:
      token: ${JSON.stringify(token)}
contexts:
  - name: ${name}
    context:
      cluster: ${name}
      user: ${name}
      namespace: default
current-context: ${name}
`;
}
