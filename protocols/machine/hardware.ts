/** The machine's hardware as reported by its platform. Undefined: not reported. */
export interface Hardware {
  manufacturer: string;
  /** The machine's model, for example its instance type. */
  model?: string;
  /** SMBIOS SKU of the system. */
  sku?: string;
  /** SMBIOS serial number and asset tag. */
  serial?: string;
  assetTag?: string;
  /** Creation time of the machine, ms since 1970. */
  createdAt?: number;
  /** Number of vCPUs that the guest sees. */
  cpuCount?: number;
  cpuModel?: string;
  memoryBytes?: number;
  firmware?: 'UEFI' | 'Legacy';
  /** Version of the firmware that the machine runs. */
  firmwareVersion?: string;
  /** The installed operating system, as reported by the guest agent. */
  operatingSystem?: { name?: string; version?: string; hostname?: string };
  /** Whether UEFI Secure Boot is on; undefined: not supported or not known. */
  secureBoot?: boolean;
  architecture?: 'x86-64' | 'arm64';
  /** Sockets, cores per socket and threads per core that the guest sees. */
  topology?: { sockets: number; cores: number; threads: number };
  /** Whether the machine has a TPM 2.0. */
  hasTpm?: boolean;
  /** What the machine's own watchdog device does when the guest stops feeding it; undefined: no such device. */
  watchdog?: 'Reset' | 'PowerDown';
  networkInterfaces: readonly NetworkInterface[];
  disks: readonly Disk[];
}

export interface NetworkInterface {
  /** Name in the machine's configuration. */
  name: string;
  macAddress?: string;
  ipAddresses: readonly string[];
  /** For example `virtio`. */
  model?: string;
  /** Undefined: not known. */
  isLinkUp?: boolean;
  /** What the platform's DHCP server tells the interface; undefined: the platform does not know its network. */
  dhcp?: InterfaceNetwork;
}

/** The network of an interface. */
export interface InterfaceNetwork {
  /** The leased IPv4 address, which one of `ipAddresses` may be. */
  address: string;
  prefixLength: number;
  gateway?: string;
  nameServers: readonly string[];
  /** Undefined: none, or not known. */
  vlan?: number;
}

export interface Disk {
  /** Name in the machine's configuration. */
  name: string;
  kind: 'Disk' | 'Cdrom' | 'Lun';
  /** For example `virtio`, `sata`, `scsi`, `usb`. */
  bus?: string;
  /** Undefined: not known. */
  capacityBytes?: number;
  serial?: string;
  isReadOnly: boolean;
}

/** A sensor of a machine. If the source reports no value, the reading is undefined ("unavailable"), never an invented constant. */
export interface Sensor {
  /** Sensor number, 1 to 254; the same in every version. */
  readonly number: number;
  /** At most 16 ASCII characters. */
  readonly name: string;
  /** Source of the reading, for display: `the specification`, `the metrics service`. */
  readonly source: string;
  readonly reading: SensorReading;
}

export type SensorReading =
  /** A number in `unit`, always between `min` and `max`. */
  | { kind: 'Number'; unit: SensorUnit; min: number; max: number; value: number | undefined }
  /** States of a sensor type of IPMI 2.0 table 42-3, as offsets 0 to 14: the possible states and the asserted ones. */
  | { kind: 'States'; type: number; possible: readonly number[]; states: readonly number[] | undefined };

export type SensorUnit = 'Percent' | 'MiB' | 'Count' | 'Seconds' | 'MiB/s';
