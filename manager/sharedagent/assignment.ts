import { LABELS, sharedAgentIndex, sharedAgentSlot } from '../../api/index.ts';
import type { Service } from '@groundcrew/controller-runtime';

/** The shared agent of a BMC, and its slot there. */
export interface Assignment {
  /** `virtbmc-shared-<index>`, in the BMC's namespace. */
  agent: string;
  slot: number;
}

/** The labels by which the Service of a BMC selects the acting pod of its shared agent. */
export function actingSelector(agent: string): Record<string, string> {
  return { [LABELS.sharedAgent]: agent, [LABELS.acting]: 'true' };
}

/** The assignment that a BMC's Service records: the agent in its selector, the slot in the target port of IPMI. */
export function assignmentOf({ spec }: Pick<Service, 'spec'>): Assignment | undefined {
  const agent = spec?.selector?.[LABELS.sharedAgent] ?? '';
  const port = spec?.ports?.find(({ name }) => name === 'ipmi')?.targetPort;
  const slot = typeof port === 'number' ? sharedAgentSlot(port) : undefined;
  return sharedAgentIndex(agent) === undefined || slot === undefined ? undefined : { agent, slot };
}

export function isSameAssignment(a: Assignment | undefined, b: Assignment | undefined): boolean {
  return a?.agent === b?.agent && a?.slot === b?.slot;
}
