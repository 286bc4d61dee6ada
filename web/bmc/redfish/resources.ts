/** The properties of Redfish resources that the pages read. */

export interface Link {
  readonly '@odata.id': string;
}

export interface Resource extends Link {
  readonly Id: string;
  readonly Name: string;
}

export interface Status {
  readonly State?: string;
  readonly Health?: 'OK' | 'Warning' | 'Critical' | null;
  readonly HealthRollup?: 'OK' | 'Warning' | 'Critical' | null;
  readonly Conditions?: readonly { readonly Message?: string; readonly Resolution?: string }[];
}

export interface Collection<Member> {
  readonly Members: readonly Member[];
}

export interface ComputerSystem extends Resource {
  readonly Manufacturer?: string | null;
  readonly Model?: string | null;
  readonly SerialNumber?: string | null;
  readonly UUID?: string | null;
  readonly HostName?: string | null;
  readonly AssetTag?: string | null;
  readonly BiosVersion?: string | null;
  readonly PowerState: string | null;
  readonly PowerRestorePolicy?: string;
  readonly 'PowerRestorePolicy@Redfish.AllowableValues'?: readonly string[];
  readonly BootProgress?: { readonly LastState?: string | null };
  readonly LastResetTime?: string;
  readonly LocationIndicatorActive?: boolean;
  readonly Status: Status;
  readonly Boot: Boot;
  readonly ProcessorSummary?: { readonly LogicalProcessorCount?: number | null };
  readonly MemorySummary?: { readonly TotalSystemMemoryGiB?: number | null };
  /** Absent with legacy properties. */
  readonly SerialConsole?: { readonly WebSocket?: { readonly ServiceEnabled?: boolean } };
  readonly GraphicalConsole?: { readonly ServiceEnabled?: boolean };
  readonly Actions: Readonly<Record<string, Action | undefined>>;
}

export interface Boot {
  readonly BootSourceOverrideEnabled: string;
  readonly BootSourceOverrideTarget: string;
  readonly 'BootSourceOverrideTarget@Redfish.AllowableValues'?: readonly string[];
  readonly BootSourceOverrideMode?: string;
  readonly HttpBootUri?: string | null;
}

export interface Action {
  readonly target: string;
  readonly [allowableValues: `${string}@Redfish.AllowableValues`]: readonly string[] | undefined;
}

export interface Manager extends Resource {
  /** With legacy properties only. */
  readonly SerialConsole?: { readonly ConnectTypesSupported?: readonly string[] };
  readonly FirmwareVersion?: string;
  readonly Model?: string;
  readonly LastResetTime?: string;
  readonly Actions: Readonly<Record<string, Action | undefined>>;
}

export interface NetworkProtocol extends Resource {
  readonly HostName?: string | null;
  readonly FQDN?: string | null;
  readonly HTTPS: Protocol;
  readonly HTTP: Protocol;
  readonly IPMI: Protocol;
}

export interface Protocol {
  readonly ProtocolEnabled: boolean;
  readonly Port: number | null;
}

export interface EthernetInterface extends Resource {
  readonly MACAddress?: string | null;
  readonly LinkStatus?: string | null;
  readonly HostName?: string | null;
  readonly IPv4Addresses?: readonly IPv4Address[];
  readonly IPv6Addresses?: readonly { readonly Address?: string | null }[];
  readonly NameServers?: readonly string[];
}

export interface IPv4Address {
  readonly Address?: string | null;
  readonly Gateway?: string | null;
  readonly AddressOrigin?: string | null;
}

export interface LogEntry extends Resource {
  readonly Created: string;
  readonly Severity: 'OK' | 'Warning' | 'Critical';
  readonly Message: string;
  readonly MessageId: string;
  readonly Username?: string;
}

export interface Sensor extends Resource {
  readonly Description?: string;
  readonly Status: Status;
  readonly Reading: number | null;
  readonly ReadingUnits?: string;
  readonly ReadingRangeMin?: number | null;
  readonly ReadingRangeMax?: number | null;
}

export interface VirtualMedia extends Resource {
  readonly MediaTypes: readonly string[];
  readonly Image: string | null;
  readonly ImageName: string | null;
  readonly Inserted: boolean;
  readonly ConnectedVia: string;
  readonly UserName?: string | null;
  readonly Status: Status;
  readonly Actions: Readonly<Record<string, Action | undefined>>;
}

export interface Task extends Resource {
  readonly TaskState: string;
  readonly PercentComplete?: number;
  readonly StartTime?: string;
  readonly EndTime?: string;
  readonly Messages?: readonly { readonly Message?: string; readonly Resolution?: string }[];
  readonly Payload?: { readonly TargetUri?: string };
}

/** Only the link of it if the caller may not read it. */
export interface Account extends Resource {
  readonly UserName?: string;
  readonly RoleId?: string;
  readonly Enabled?: boolean;
  readonly Locked?: boolean;
  readonly PasswordChangeRequired?: boolean;
}

export interface AccountService extends Resource {
  readonly MinPasswordLength: number;
  readonly MaxPasswordLength: number;
  readonly AccountLockoutThreshold: number;
  readonly AccountLockoutDuration: number;
}

export interface Role extends Resource {
  readonly AssignedPrivileges: readonly string[];
}

export interface Session extends Resource {
  readonly UserName: string;
  readonly SessionType?: string;
  readonly ClientOriginIPAddress?: string;
  readonly CreatedTime?: string;
  readonly Roles?: readonly string[];
}

export interface SessionService extends Resource {
  /** Seconds. */
  readonly SessionTimeout: number;
}

export interface Certificate extends Resource {
  readonly CertificateString: string;
  readonly Subject?: { readonly CommonName?: string; readonly AlternativeNames?: readonly string[] };
  readonly Issuer?: { readonly CommonName?: string };
  readonly ValidNotBefore?: string;
  readonly ValidNotAfter?: string;
  readonly SerialNumber?: string;
  readonly Fingerprint?: string;
}
