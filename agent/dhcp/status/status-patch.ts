import type { IPLeaseStatus, JsonPatchOp } from '../../../api/index.ts';
import { timestamp } from '@groundcrew/controller-runtime';
import type { Observation } from './observation.ts';

/** The object that a patch is for, as it was last known. */
export interface PatchBase {
  uid: string;
  resourceVersion: string;
  hasStatus: boolean;
  hasFirstBound: boolean;
}

/** Characters: the limit of the fields. */
const MAX_TEXT = 255;

/**
 * A JSON patch of the status, which the API server refuses (422) where the object is another by now: one of the same
 * name is a lease of the same address to somebody else. Field by field, since two agents write of one lease; where there
 * is no status yet, it is refused too where another agent has written one meanwhile.
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
  const { state, lastSeen, lastAck, expires, inputs, bootConsumedUID } = observation;
  return {
    ...(state === undefined ? {} : { state }),
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

/** Clients send what they like; what is no text is replaced, as it would be in any terminal that shows it. */
function printable(text: string): string {
  const shown = text.toWellFormed().replace(/\p{C}/gu, '\ufffd');
  return Array.from(shown).slice(0, MAX_TEXT).join('');
}
