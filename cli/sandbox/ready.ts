/** The document that `--ready-file` writes: everything that a script needs to use the sandbox. */
export interface ReadyDocument {
  kubeconfig: string;
  /** PEM file with the certificate of the CA that signs the HTTPS certificates of BMCs. */
  authority: string;
  bmcs: ReadyBmc[];
  pools: ReadyPool[];
}

export interface ReadyBmc {
  namespace: string;
  name: string;
  virtualMachine: string;
  /** Absent if IPMI is disabled. */
  ipmi?: { host: string; port: number };
  /** Redfish URL; absent if Redfish is disabled. */
  redfish?: string;
  username: string;
  password: string;
}

export interface ReadyPool {
  namespace: string;
  name: string;
  cidr: string;
  /** Address at which a DHCP server of the pool accepts requests from relay agents. */
  dhcp: { host: string; port: number };
  /** An address of the network that a relay agent can use as giaddr. */
  relay: string;
}

/** Whether the text is a ready document. */
export function isReadyDocument(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && 'kubeconfig' in value && 'bmcs' in value && 'pools' in value;
  } catch {
    return false;
  }
}
