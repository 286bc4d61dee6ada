/** A hardware address of six octets as a number of 48 bits: what leases are found by. */
export type HardwareAddress = number;

/** An IPv4 address as an unsigned number of 32 bits. */
export type Ipv4 = number;

/** What all clients of a pool are told. One object for all leases of it: what is derived from it is derived once. */
export interface NetworkSettings {
  /** Name of the pool, for observers. */
  readonly pool: string;
  /** This server's own address on the network: the server identifier (option 54), and where answers come from. */
  readonly serverAddress: Ipv4;
  /** Addresses of the servers that answer alike, this one among them: a client that chose one of them met no stranger. */
  readonly siblings: readonly Ipv4[];
  /** First address of the network and length of its prefix. */
  readonly subnet: Ipv4;
  readonly prefix: number;
  /** Subnets of other pools on the same wire: a client that a relay agent places in one of them is at home all the same. */
  readonly others?: readonly Pick<NetworkSettings, 'subnet' | 'prefix'>[];
  readonly router?: Ipv4;
  readonly dns: readonly Ipv4[];
  readonly domainName?: string;
  readonly domainSearch: readonly string[];
  readonly ntp: readonly Ipv4[];
  /** Seconds; T1 is half of it, T2 seven eighths (RFC 2131 §4.4.5). */
  readonly leaseTime: number;
  readonly routes: readonly StaticRoute[];
  readonly mtu?: number;
  /** Further options, encoded; they go before what is made of the fields above. */
  readonly options: readonly { readonly code: number; readonly value: Uint8Array }[];
  readonly netboot?: Netboot;
}

/** RFC 3442. */
export interface StaticRoute {
  readonly destination: Ipv4;
  readonly prefix: number;
  readonly gateway: Ipv4;
}

/** Boot files by the client's architecture (option 93) and whether it runs iPXE already. */
export interface Netboot {
  readonly nextServer?: Ipv4;
  readonly bootFiles: Readonly<
    Partial<Record<'bios' | 'efi-x64' | 'efi-arm64' | 'http-x64' | 'http-arm64' | 'ipxe', string>>
  >;
}

/** A boot override of the machine that has the lease. */
export interface LeaseBoot {
  /** Identifies the life of the machine that has one network boot by it; absent: every boot is by it, and it is never over. */
  readonly uid?: string;
  /** Absent: what the firmware asks for. */
  readonly mode?: 'Pxe' | 'UefiHttp';
  /** In place of the pool's boot file. */
  readonly uri?: string;
  /** The one network boot has been: no boot files any more. */
  readonly isConsumed: boolean;
}

/** An address that belongs to a hardware address. A change of it is another object: identity tells whether it is known. */
export interface Lease {
  readonly macAddress: HardwareAddress;
  readonly ipAddress: Ipv4;
  readonly settings: NetworkSettings;
  /** Option 12. */
  readonly hostname?: string | undefined;
  readonly boot?: LeaseBoot | undefined;
}

/** The leases that a server answers from. */
export interface LeaseStore {
  /** O(1): every packet of a stranger asks once. */
  find(macAddress: HardwareAddress): Lease | undefined;
  /** Whether what it holds is current. One that is not may say yes, but never no: it may have missed the change. */
  readonly isFresh: boolean;
}
