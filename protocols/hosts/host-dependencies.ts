/** Dependencies for checking hosts that clients name. The process runs in a cluster; its clients may be outside. */
export interface HostDependencies {
  /** Treats the machine's own addresses as any others: for a cluster that is simulated on one machine. */
  allowsLoopback: boolean;
  /** The Kubernetes API to which the process has credentials; clients must never name it. Undefined: none. */
  ownApi?: { readonly host: string; readonly port: number };
  /** Addresses of a host name. @throws Error if there are none */
  resolve: (hostName: string) => Promise<readonly string[]>;
}
