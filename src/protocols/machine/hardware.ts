/** What a machine is made of, as its platform says. What it does not say is undefined. */
export interface Hardware {
  manufacturer: string;
  /** The machine's model, such as the instance type that it was made from. */
  model?: string;
  /** SMBIOS serial number and asset tag. */
  serial?: string;
  assetTag?: string;
  /** ms since 1970 at which the machine was made. */
  createdAt?: number;
  /** vCPUs that the guest sees. */
  cpuCount?: number;
  cpuModel?: string;
  memoryBytes?: number;
  firmware?: 'UEFI' | 'Legacy';
  /** What boots in the machine, as its guest agent says. */
  operatingSystem?: { name?: string; version?: string; hostname?: string };
  networkInterfaces: readonly { name: string; macAddress?: string; ipAddresses: readonly string[] }[];
}
