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
  /** Whether the firmware boots signed systems alone; undefined: it has no such thing, or that is not known. */
  secureBoot?: boolean;
  /** `x86-64` or `arm64`. */
  architecture?: 'x86-64' | 'arm64';
  /** Sockets, and cores of each, and threads of each core, that the guest sees. */
  topology?: { sockets: number; cores: number; threads: number };
  networkInterfaces: readonly NetworkInterface[];
  disks: readonly Disk[];
}

export interface NetworkInterface {
  /** In the machine's configuration. */
  name: string;
  macAddress?: string;
  ipAddresses: readonly string[];
  /** Such as `virtio`. */
  model?: string;
  /** Undefined: not known. */
  isLinkUp?: boolean;
}

export interface Disk {
  /** In the machine's configuration. */
  name: string;
  kind: 'Disk' | 'Cdrom' | 'Lun';
  /** Such as `virtio`, `sata`, `scsi`, `usb`. */
  bus?: string;
  /** Undefined: not known. */
  capacityBytes?: number;
  serial?: string;
  isReadOnly: boolean;
}
