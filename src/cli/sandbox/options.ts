/** What a person can set of a sandbox. */
export interface SandboxOptions {
  /** Virtual machines to make, each with a BMC. */
  vms: number;
  /** UDP port on 127.0.0.1 of the first BMC; the others follow. */
  ipmiPort: number;
  /** TCP port on 127.0.0.1 of the API server; 0: any free one. */
  apiPort: number;
  /** Manifest files to create once the cluster is up. */
  filename: readonly string[];
  /** Milliseconds that a simulated VM takes from power on to running. */
  bootTime: number;
  /** Where the kubeconfig goes; absent: into the sandbox's temporary folder. */
  kubeconfig?: string;
  /** Where the JSON document for scripts goes when all is up. */
  readyFile?: string;
  logLevel: string;
  logFormat: string;
}
