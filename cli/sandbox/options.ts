/** What a person can set of a sandbox that says how it is made, and does not count when it comes back. */
export type OriginOption = 'vms' | 'ipmiPort';

/** What a person can set of a sandbox. */
export interface SandboxOptions {
  /** Virtual machines to make, each with a BMC. */
  vms: number;
  /** Port on 127.0.0.1 of the first BMC: UDP of IPMI, TCP of Redfish; the others follow. */
  ipmiPort: number;
  /** TCP port on 127.0.0.1 of the API server; 0: any free one. */
  apiPort: number;
  /** Manifest files to create once the cluster is up. */
  filename: readonly string[];
  /** Milliseconds that a simulated VM takes from power on to running. */
  bootTime: number;
  /** Folder that the sandbox is kept in and comes back from; absent: nothing is kept. */
  dataDir?: string;
  /** Where the kubeconfig goes; absent: into the sandbox's own folder. */
  kubeconfig?: string;
  /** Where the JSON document for scripts goes when all is up. */
  readyFile?: string;
  logLevel: string;
  logFormat: string;
}
