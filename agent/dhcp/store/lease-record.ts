import { apiVersionOf, type KubeObject, type ObjectRef } from '@groundcrew/controller-runtime';
import { IP_LEASES, type IPLease, type IPLeaseStatus, LABELS, parseIpv4 } from '../../../api/index.ts';
import type { HardwareAddress, Ipv4, Lease, LeaseBoot, NetworkSettings } from '../../../protocols/dhcp/index.ts';
import { macNumber } from '../mac-number.ts';

/** The part of a lease's status that the API server is known to have. */
export interface KnownStatus {
  readonly hasStatus: boolean;
  readonly state: IPLeaseStatus['state'];
  readonly hasFirstBound: boolean;
  /** Time of the last write, seconds since 1970: the later of lastSeen and lastAck. 0: never. */
  readonly written: number;
  /** Time until which a client may hold it, seconds since 1970. 0: unknown. */
  readonly expires: number;
  readonly bootConsumedUID: string | undefined;
}

/** The fields of a record without its settings. */
export type LeaseInputs = Omit<LeaseRecord, 'settings' | 'name' | 'namespace' | 'ref' | 'object' | 'with' | 'learn'>;

/**
 * All data that an agent keeps of an IPLease; it is also the lease that the server answers from. With 10,000 leases, each further
 * object or string per lease costs a megabyte. All records have the same fields in the same order, so that V8 uses one shape. A
 * change that clients can notice creates a new record; the status is updated in place.
 */
export class LeaseRecord implements KnownStatus {
  /** `namespace/name`. */
  readonly key: string;
  readonly uid: string;
  /** `namespace/name` of its pool. */
  readonly pool: string;
  /** Seconds since 1970. */
  readonly created: number;
  /** -1: invalid, so the lease cannot be served. The same for the IP address. */
  readonly macAddress: HardwareAddress;
  readonly ipAddress: Ipv4;
  readonly hostname: string | undefined;
  readonly boot: LeaseBoot | undefined;
  /** Settings of its pool; undefined: the lease is not served. */
  settings: NetworkSettings | undefined;
  /** Resource version of the object; NaN if unknown or not a number. */
  version: number;
  hasStatus: boolean;
  state: IPLeaseStatus['state'];
  hasFirstBound: boolean;
  written: number;
  expires: number;
  bootConsumedUID: string | undefined;

  constructor(inputs: LeaseInputs, settings?: NetworkSettings, boot: LeaseBoot | undefined = inputs.boot) {
    this.key = inputs.key;
    this.uid = inputs.uid;
    this.pool = inputs.pool;
    this.created = inputs.created;
    this.macAddress = inputs.macAddress;
    this.ipAddress = inputs.ipAddress;
    this.hostname = inputs.hostname;
    this.boot = boot;
    this.settings = settings;
    this.version = inputs.version;
    this.hasStatus = inputs.hasStatus;
    this.state = inputs.state;
    this.hasFirstBound = inputs.hasFirstBound;
    this.written = inputs.written;
    this.expires = inputs.expires;
    this.bootConsumedUID = inputs.bootConsumedUID;
  }

  get namespace(): string {
    return this.key.slice(0, this.key.indexOf('/'));
  }

  get name(): string {
    return this.key.slice(this.key.indexOf('/') + 1);
  }

  get ref(): Required<ObjectRef> {
    return { namespace: this.namespace, name: this.name };
  }

  /** The part of the object that an Event needs. */
  get object(): KubeObject {
    const { namespace, name, uid } = this;
    return { apiVersion: apiVersionOf(IP_LEASES), kind: IP_LEASES.kind, metadata: { namespace, name, uid } };
  }

  /** A copy with other settings. */
  with(settings: NetworkSettings | undefined, boot: LeaseBoot | undefined = this.boot): LeaseRecord {
    return new LeaseRecord(this, settings, boot);
  }

  /** Takes over a status unless it is older than the known one. */
  learn(status: KnownStatus): void {
    if (status.written < this.written) return;
    this.hasStatus = status.hasStatus;
    this.state = status.state;
    this.hasFirstBound = status.hasFirstBound;
    this.written = status.written;
    this.expires = status.expires;
    this.bootConsumedUID = status.bootConsumedUID ?? this.bootConsumedUID;
  }
}

/** A record that is served. */
export type ServedLease = LeaseRecord & Lease;

export function isServed(record: LeaseRecord | undefined): record is ServedLease {
  return record?.settings !== undefined;
}

/** Whether clients notice no difference between two records with the same settings. */
export function isSameLease(a: LeaseRecord, b: LeaseRecord): boolean {
  return (
    a.uid === b.uid &&
    a.pool === b.pool &&
    a.macAddress === b.macAddress &&
    a.ipAddress === b.ipAddress &&
    a.hostname === b.hostname &&
    // The fields of both are in the order of `bootOf`.
    JSON.stringify(a.boot) === JSON.stringify(b.boot)
  );
}

/** The oldest lease of a MAC address is served. The manager uses the same order and deletes the others. */
export function olderFirst(a: LeaseRecord, b: LeaseRecord): number {
  if (a.created !== b.created) return a.created - b.created;
  return a.name < b.name ? -1 : 1;
}

/** Creates records from IPLeases and shares equal strings. */
export class LeaseReader {
  readonly #strings = new Map<string, string>();

  recordOf({ metadata, spec, status }: IPLease): LeaseRecord {
    const { uid = '', resourceVersion, creationTimestamp, labels } = metadata;
    const known = knownStatusOf(status);
    return new LeaseRecord({
      // `join` creates a flat string; the concatenation in `keyOf` would keep two parts.
      key: [metadata.namespace ?? '', metadata.name].join('/'),
      uid,
      pool: this.#shared(`${metadata.namespace ?? ''}/${labels?.[LABELS.ipPool] ?? ''}`),
      created: seconds(creationTimestamp),
      macAddress: macNumber(spec.macAddress) ?? -1,
      ipAddress: parseIpv4(spec.ipAddress) ?? -1,
      hostname: spec.hostname === '' ? undefined : spec.hostname,
      boot: bootOf(spec.boot, known.bootConsumedUID),
      version: versionOf(resourceVersion),
      ...known,
    });
  }

  #shared(text: string): string {
    const known = this.#strings.get(text);
    if (known !== undefined) return known;
    this.#strings.set(text, text);
    return text;
  }
}

export function knownStatusOf(shown: IPLeaseStatus | undefined): KnownStatus {
  // The API server shows a default; in older clusters there is no status.
  const status = shown?.state === 'Allocated' ? undefined : shown;
  return {
    hasStatus: status !== undefined,
    state: status?.state,
    hasFirstBound: status?.firstBound !== undefined,
    expires: seconds(status?.expires),
    written: Math.max(seconds(status?.lastSeen), seconds(status?.lastAck)),
    bootConsumedUID: status?.bootConsumedUID,
  };
}

/** A version as a number, which needs no memory of its own; NaN if it is not a number. */
function versionOf(resourceVersion: string | undefined): number {
  return resourceVersion === undefined || !/^\d{1,15}$/.test(resourceVersion) ? Number.NaN : Number(resourceVersion);
}

function bootOf(boot: IPLease['spec']['boot'], consumedUID: string | undefined): LeaseBoot | undefined {
  if (boot === undefined) return undefined;
  const { vmiUID, mode, uri, files, consumed } = boot;
  if (vmiUID === undefined && mode === undefined && files === undefined) return undefined;
  return {
    ...(vmiUID === undefined ? {} : { uid: vmiUID }),
    ...(mode === undefined ? {} : { mode }),
    ...(uri === undefined || uri === '' ? {} : { uri }),
    ...(files === undefined ? {} : { files }),
    // `consumed` is set by the manager if the boot was done by another interface.
    isConsumed: vmiUID !== undefined && (consumed === true || vmiUID === consumedUID),
  };
}

/** Seconds since 1970; 0 if absent or invalid. */
function seconds(text: string | undefined): number {
  const parsed = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(parsed) ? 0 : Math.floor(parsed / 1000);
}
