/** The document that `--ready-file` writes: everything that a script needs to use the sandbox. */
export interface ReadyDocument {
  kubeconfig: string;
  /** File with the certificate, PEM, of the authority that signs what BMCs show over HTTPS. */
  authority: string;
  bmcs: ReadyBmc[];
  pools: ReadyPool[];
}

export interface ReadyBmc {
  namespace: string;
  name: string;
  virtualMachine: string;
  /** Absent where IPMI is off. */
  ipmi?: { host: string; port: number };
  /** URL of Redfish; absent where it is not served. */
  redfish?: string;
  username: string;
  password: string;
}

export interface ReadyPool {
  namespace: string;
  name: string;
  cidr: string;
  /** Where one of its servers answers whoever asks as a relay agent of the network does. */
  dhcp: { host: string; port: number };
  /** An address of the network that a relay agent would have. */
  relay: string;
}

/** Whether a text is such a document. */
export function isReadyDocument(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && 'kubeconfig' in value && 'bmcs' in value && 'pools' in value;
  } catch {
    return false;
  }
}
