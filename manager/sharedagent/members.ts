import {
  readMember,
  SECRET_KEYS,
  writeMember,
  type SharedAgentMember,
  type VirtualMachineBMC,
} from '../../api/index.ts';
import type { Secret } from '@groundcrew/controller-runtime';
import { byAge } from '../by-age.ts';
import type { Claim } from './assignments.ts';

/** A BMC of a shared agent, and what the agent needs of it. */
export interface Member {
  bmc: VirtualMachineBMC;
  slot: number;
  /** The Secret with its credentials. `Unread`: not known yet. */
  credentials: { state: 'Unread' | 'Missing' } | { state: 'Found'; secret: Secret };
  /** `resourceVersion` of the Secret with its certificate. */
  certificate: string | undefined;
}

/** Most base64 characters of one BMC's credentials in the Secret of its agent, which can have 1 MiB: larger ones are left out. */
export const LONGEST_CREDENTIALS = 1024;

/** The base64 characters of the credentials in the data of a Secret. */
export function credentialsLength(data: Readonly<Record<string, string>>): number {
  return Object.values(SECRET_KEYS).reduce((sum, key) => sum + (data[key]?.length ?? 0), 0);
}

/**
 * The BMCs that have a slot. Of several BMCs in one slot the oldest has it; a BMC that is not known, or that is not the one of the
 * claim, has none.
 */
export function holdersOf(
  claims: readonly Claim[],
  find: (claim: Claim) => VirtualMachineBMC | undefined,
): { bmc: VirtualMachineBMC; slot: number }[] {
  const bySlot = new Map<number, VirtualMachineBMC>();
  for (const claim of claims) {
    const bmc = find(claim);
    if (bmc === undefined || (claim.uid !== undefined && claim.uid !== bmc.metadata.uid)) continue;
    const other = bySlot.get(claim.slot);
    if (other === undefined || byAge(bmc, other) < 0) bySlot.set(claim.slot, bmc);
  }
  return [...bySlot]
    .map(([slot, bmc]) => ({ bmc, slot }))
    .toSorted((a, b) => (a.bmc.metadata.name < b.bmc.metadata.name ? -1 : 1));
}

/** The changes of the Secret's data that make it name these members: text by BMC, null to remove. Empty: none. */
export function memberChanges(
  members: readonly Member[],
  before: Readonly<Record<string, string>>,
): Record<string, string | null> {
  const wanted = new Map(
    members.flatMap((member): [string, string][] => {
      const { name } = member.bmc.metadata;
      const text = memberText(member, before[name]);
      return text === undefined ? [] : [[name, text]];
    }),
  );
  const removed = Object.keys(before).filter((name) => !wanted.has(name));
  return Object.fromEntries([
    ...removed.map((name): [string, null] => [name, null]),
    ...[...wanted].filter(([name, text]) => before[name] !== text),
  ]);
}

/**
 * The text of a BMC in the Secret.
 *
 * @param before the text that is there
 * @returns base64; undefined: not yet, because its credentials are not known
 */
export function memberText(
  { bmc, slot, credentials, certificate }: Member,
  before: string | undefined,
): string | undefined {
  const uid = bmc.metadata.uid ?? '';
  const last = before === undefined ? undefined : readMember(Buffer.from(before, 'base64').toString());
  const known = last?.uid === uid ? last : undefined;
  if (credentials.state === 'Unread' && known === undefined) return undefined;
  const copy = credentials.state === 'Unread' ? known?.credentials : copyOf(credentials);
  const member: SharedAgentMember = {
    uid,
    slot,
    ...(copy === undefined ? {} : { credentials: copy }),
    ...(certificate === undefined ? {} : { certificate }),
  };
  return Buffer.from(writeMember(member)).toString('base64');
}

function copyOf(credentials: Member['credentials']): SharedAgentMember['credentials'] {
  if (credentials.state !== 'Found') return undefined;
  const { metadata, data = {} } = credentials.secret;
  const { name, uid = '', resourceVersion = '' } = metadata;
  if (credentialsLength(data) > LONGEST_CREDENTIALS) return { name, uid, resourceVersion };
  const kept = Object.values(SECRET_KEYS).flatMap((key): [string, string][] => {
    const value = data[key];
    return value === undefined ? [] : [[key, value]];
  });
  return { name, uid, resourceVersion, data: Object.fromEntries(kept) };
}
