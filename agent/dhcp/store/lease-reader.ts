import { LABELS, parseIpv4, type IPLease, type IPLeaseStatus } from '../../../api/index.ts';
import type { LeaseBoot } from '../../../protocols/dhcp/index.ts';
import { macNumber } from '../pools/index.ts';
import { LeaseRecord, type KnownStatus } from './lease-record.ts';

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
