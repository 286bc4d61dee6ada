/** What a process that stands in a cluster knows of the hosts that its clients, who need not, have it connect to. */
export interface HostDependencies {
  /** This machine's own addresses are like any others: on a machine where all of a cluster is simulated. */
  allowsLoopback: boolean;
  /** The API that the process itself has rights at: never what a client may name. Undefined: there is none. */
  ownApi?: { readonly host: string; readonly port: number };
  /** Addresses of a host name. @throws Error where there are none */
  resolve: (hostName: string) => Promise<readonly string[]>;
}
