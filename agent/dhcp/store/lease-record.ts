import { apiVersionOf, type KubeObject, type ObjectRef } from '@groundcrew/controller-runtime';
import { IP_LEASES, type IPLease, type IPLeaseStatus, LABELS, parseIpv4 } from '../../../api/index.ts';
import type { HardwareAddress, Ipv4, Lease, LeaseBoot, NetworkSettings } from '../../../protocols/dhcp/index.ts';
import { macNumber } from '../mac-number.ts';

/** What the API server is known to have of a lease's status. */
export interface KnownStatus {
  readonly hasStatus: boolean;
  readonly state: IPLeaseStatus['state'];
  readonly hasFirstBound: boolean;
  /** When it was last written, seconds since 1970: the later of lastSeen and lastAck. 0: never. */
  readonly written: number;
  /** Until when a client may hold it, seconds since 1970. 0: not told of. */
  readonly expires: number;
  readonly bootConsumedUID: string | undefined;
}

/** What makes a record, but for what it is served with. */
export type LeaseInputs = Omit<LeaseRecord, 'settings' | 'name' | 'namespace' | 'ref' | 'object' | 'with' | 'learn'>;

/**
 * All that an agent keeps of an IPLease, and as it stands the lease that the server answers from: of 10,000 leases every
 * object and every string more for each is a megabyte. All have the same fields in the same order, so that V8 keeps them
 * as one shape. What a client can tell apart changes by another object in its place; the status is learnt in place.
 */
export class LeaseRecord implements KnownStatus {
  /** `namespace/name`. */
  readonly key: string;
  readonly uid: string;
  /** `namespace/name` of its pool. */
  readonly pool: string;
  /** Seconds since 1970. */
  readonly created: number;
  /** -1: what the object says is no MAC address, and the lease cannot be served. Likewise its address. */
  readonly macAddress: HardwareAddress;
  readonly ipAddress: Ipv4;
  readonly hostname: string | undefined;
  readonly boot: LeaseBoot | undefined;
  /** Of its pool; undefined: it is not served. */
  settings: NetworkSettings | undefined;
  /** Of the object; NaN where it is no number, or not known. */
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

  /** What an Event needs of its object. */
  get object(): KubeObject {
    const { namespace, name, uid } = this;
    return { apiVersion: apiVersionOf(IP_LEASES), kind: IP_LEASES.kind, metadata: { namespace, name, uid } };
  }

  /** Another record, with other settings. */
  with(settings: NetworkSettings | undefined, boot: LeaseBoot | undefined = this.boot): LeaseRecord {
    return new LeaseRecord(this, settings, boot);
  }

  /** Takes over a status that is no older than what is known. */
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

/** Whether a client could not tell one from the other, given the same settings. */
export function isSameLease(a: LeaseRecord, b: LeaseRecord): boolean {
  return (
    a.uid === b.uid &&
    a.pool === b.pool &&
    a.macAddress === b.macAddress &&
    a.ipAddress === b.ipAddress &&
    a.hostname === b.hostname &&
    isSameBoot(a.boot, b.boot)
  );
}

/** Of leases that have one hardware address the older one holds it, as for the manager, which takes the other away. */
export function olderFirst(a: LeaseRecord, b: LeaseRecord): number {
  if (a.created !== b.created) return a.created - b.created;
  return a.name < b.name ? -1 : 1;
}

function isSameBoot(a: LeaseBoot | undefined, b: LeaseBoot | undefined): boolean {
  return a?.uid === b?.uid && a?.mode === b?.mode && a?.uri === b?.uri && a?.isConsumed === b?.isConsumed;
}

/** Makes records of IPLeases; strings that many of them share are kept once. */
export class LeaseReader {
  readonly #strings = new Map<string, string>();

  recordOf({ metadata, spec, status }: IPLease): LeaseRecord {
    const { uid = '', resourceVersion, creationTimestamp, labels } = metadata;
    const known = knownStatusOf(status);
    return new LeaseRecord({
      // Joined, a string is one piece; put together by `keyOf` it would be kept in two.
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

export function knownStatusOf(status: IPLeaseStatus | undefined): KnownStatus {
  return {
    hasStatus: status !== undefined,
    state: status?.state,
    hasFirstBound: status?.firstBound !== undefined,
    expires: seconds(status?.expires),
    written: Math.max(seconds(status?.lastSeen), seconds(status?.lastAck)),
    bootConsumedUID: status?.bootConsumedUID,
  };
}

/** A version as a number, which takes no memory of its own; NaN for what is none. */
function versionOf(resourceVersion: string | undefined): number {
  return resourceVersion === undefined || !/^\d{1,15}$/.test(resourceVersion) ? Number.NaN : Number(resourceVersion);
}

function bootOf(boot: IPLease['spec']['boot'], consumedUID: string | undefined): LeaseBoot | undefined {
  if (boot === undefined) return undefined;
  const { vmiUID, mode, uri, consumed } = boot;
  if (vmiUID === undefined && mode === undefined) return undefined;
  return {
    ...(vmiUID === undefined ? {} : { uid: vmiUID }),
    ...(mode === undefined ? {} : { mode }),
    ...(uri === undefined || uri === '' ? {} : { uri }),
    // The manager says it of a boot by another interface.
    isConsumed: vmiUID !== undefined && (consumed === true || vmiUID === consumedUID),
  };
}

/** Since 1970; 0 for what is absent or no time. */
function seconds(text: string | undefined): number {
  const parsed = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(parsed) ? 0 : Math.floor(parsed / 1000);
}
