/** Options that apply only when a sandbox is created, not when it is restored. */
export type OriginOption = 'vms' | 'ipmiPort';

/** Options of the sandbox. */
export interface SandboxOptions {
  /** Number of virtual machines to create, each with a BMC. */
  vms: number;
  /** Port on 127.0.0.1 of the first BMC (UDP for IPMI, TCP for Redfish); the other BMCs use the next ports. */
  ipmiPort: number;
  /** TCP port of the API server on 127.0.0.1; 0: any free port. */
  apiPort: number;
  /** Manifest files to create after the start of the cluster. */
  filename: readonly string[];
  /** Milliseconds from power on until a simulated VM is running. */
  bootTime: number;
  /** Data folder; absent: nothing is kept. */
  dataDir?: string;
  /** Path of the kubeconfig; absent: in the sandbox's folder. */
  kubeconfig?: string;
  /** Path of the JSON document that is written when the sandbox is ready. */
  readyFile?: string;
  logLevel: string;
  logFormat: string;
}
