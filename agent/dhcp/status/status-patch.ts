import { leaseState, type IPLeaseStatus, type JsonPatchOp } from '../../../api/index.ts';
import { timestamp } from '@groundcrew/controller-runtime';
import type { Observation } from './observation.ts';

/** The last known state of the object to patch. */
export interface PatchBase {
  uid: string;
  resourceVersion: string;
  hasStatus: boolean;
  hasFirstBound: boolean;
}

/** Characters: the limit of the fields. */
const MAX_TEXT = 255;

/**
 * A JSON patch of the status. The API server rejects it (422) if the object was replaced: an object of the same name is a lease of
 * the same address to another client. It sets single fields, since two agents write to one lease. The first status is also rejected
 * if another agent has written one.
 */
export function statusPatch(observation: Observation, base: PatchBase, podName: string): JsonPatchOp[] {
  const status = statusOf(observation, base, podName);
  const same: JsonPatchOp = { op: 'test', path: '/metadata/uid', value: base.uid };
  if (!base.hasStatus) {
    const unchanged: JsonPatchOp = { op: 'test', path: '/metadata/resourceVersion', value: base.resourceVersion };
    return [same, unchanged, { op: 'add', path: '/status', value: status }];
  }
  const fields = Object.entries(status).map(([field, value]): JsonPatchOp => ({
    op: 'add',
    path: `/status/${field}`,
    value,
  }));
  return [same, ...fields];
}

function statusOf(observation: Observation, { hasFirstBound }: PatchBase, podName: string): IPLeaseStatus {
  const { state, conflictingMAC, lastSeen, lastAck, expires, inputs, bootConsumedUID } = observation;
  return {
    ...(state === undefined ? {} : leaseState(state)),
    ...(conflictingMAC === undefined ? {} : { conflictingMAC }),
    ...(lastAck === undefined || hasFirstBound ? {} : { firstBound: timestamp(lastAck) }),
    ...(lastSeen === undefined ? {} : { lastSeen: timestamp(lastSeen) }),
    ...(lastAck === undefined ? {} : { lastAck: timestamp(lastAck) }),
    ...(expires === undefined ? {} : { expires: timestamp(expires) }),
    ...(inputs?.hostname === undefined ? {} : { clientHostname: printable(inputs.hostname) }),
    ...(inputs?.vendorClass === undefined ? {} : { vendorClass: printable(inputs.vendorClass) }),
    ...(bootConsumedUID === undefined ? {} : { bootConsumedUID }),
    agent: podName,
  };
}

/** Clients send any bytes: replaces characters that a terminal must not receive. */
function printable(text: string): string {
  const shown = text.toWellFormed().replace(/\p{C}/gu, '\ufffd');
  return Array.from(shown).slice(0, MAX_TEXT).join('');
}
