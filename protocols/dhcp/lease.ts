/** A MAC address as a 48-bit number: the key of a lease. */
export type HardwareAddress = number;

/** An IPv4 address as an unsigned number of 32 bits. */
export type Ipv4 = number;

/** An IPv4 network. */
export interface Subnet {
  /** Its first address. */
  readonly subnet: Ipv4;
  readonly prefix: number;
}

/** Settings of a pool, for all its clients. All leases of a pool share one object, so that derived data is computed once. */
export interface NetworkSettings extends Subnet {
  /** Name of the pool, for observers. */
  readonly pool: string;
  /** This server's address on the network: the server identifier (option 54) and the source of answers. */
  readonly serverAddress: Ipv4;
  /** Addresses of all servers with the same leases, including this one. */
  readonly siblings: readonly Ipv4[];
  /** Subnets of other pools on the same link. A client that a relay agent places in one of them counts as on its own network. */
  readonly others?: readonly Subnet[];
  /** Relay agents with addresses in none of these subnets. Other relay agents get no answer. */
  readonly relays?: readonly Subnet[];
  readonly router?: Ipv4;
  readonly dns: readonly Ipv4[];
  readonly domainName?: string;
  readonly domainSearch: readonly string[];
  readonly ntp: readonly Ipv4[];
  /** Seconds; T1 is half of it, T2 seven eighths (RFC 2131 §4.4.5). */
  readonly leaseTime: number;
  readonly routes: readonly StaticRoute[];
  readonly mtu?: number;
  /** Further encoded options; they override the options derived from the fields above. */
  readonly options: readonly { readonly code: number; readonly value: Uint8Array }[];
  readonly netboot?: Netboot;
}

/** RFC 3442. */
export interface StaticRoute {
  readonly destination: Ipv4;
  readonly prefix: number;
  readonly gateway: Ipv4;
}

/** Network boot firmware by architecture (option 93). */
export type Firmware =
  | 'bios'
  | `${'efi' | 'http'}-${'ia32' | 'x64' | 'arm64' | 'riscv64'}`
  /** The loader of QEMU's s390x machines. */
  | 's390x';

/** Boot files by the client's architecture and for iPXE; an empty text: no file. */
export type BootFiles = Readonly<Partial<Record<Firmware | 'ipxe', string>>>;

export interface Netboot {
  readonly nextServer?: Ipv4;
  readonly bootFiles: BootFiles;
}

/** How the machine with this lease boots, where that differs from its pool. */
export interface LeaseBoot {
  /** Identifies the machine instance of a one-time network boot; absent: the override applies to every boot. */
  readonly uid?: string;
  /** Absent: the method that the firmware requests. */
  readonly mode?: 'Pxe' | 'UefiHttp';
  /** Replaces all boot files. */
  readonly uri?: string;
  /** Replace the pool's boot files one by one. */
  readonly files?: BootFiles;
  /** The one-time network boot is done: no more boot files. */
  readonly isConsumed: boolean;
}

/** An IP address assigned to a MAC address. A changed lease is a new object, so caches can compare identity. */
export interface Lease {
  readonly macAddress: HardwareAddress;
  readonly ipAddress: Ipv4;
  readonly settings: NetworkSettings;
  /** Option 12. */
  readonly hostname?: string | undefined;
  readonly boot?: LeaseBoot | undefined;
}

/** The source of leases for a server. */
export interface LeaseStore {
  /** O(1): called for every packet of an unknown client. */
  find(macAddress: HardwareAddress): Lease | undefined;
  /** Whether the store is current. The server sends no NAK from a stale store, since it may have missed a change. */
  readonly isFresh: boolean;
}
