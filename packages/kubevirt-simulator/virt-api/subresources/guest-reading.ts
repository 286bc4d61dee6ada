import type { ObjectRef } from '@groundcrew/controller-runtime';
import { isTrue } from '../../kubevirt/conditions.ts';
import { guestAgentInfo } from '../../guest/index.ts';
import { unreachable } from '../../nodes/index.ts';
import { VIRTUAL_MACHINE_INSTANCES, type VirtualMachineInstance } from '../../kubevirt/objects.ts';
import { StatusError } from '../../kubevirt/status-error.ts';
import { screenPng } from './screen.ts';
import type { SubresourceAnswer, SubresourceContext } from './subresources.ts';

type Reading = 'guestosinfo' | 'userlist' | 'filesystemlist';

/** What the guest's agent tells; all that goes wrong is a 500 in plain text (`httpGetRequestHandler`). */
export async function agentInfo(
  reading: Reading,
  ref: ObjectRef,
  { client, nodes }: SubresourceContext,
): Promise<SubresourceAnswer> {
  const vmi = await client.find(VIRTUAL_MACHINE_INSTANCES, ref);
  if (vmi === undefined) return refused(StatusError.notFound('virtualmachineinstance', ref.name));
  if (vmi.status?.phase !== 'Running') return refused(conflict(vmi, 'VMI is not running'));
  if (!isTrue(vmi.status.conditions, 'AgentConnected')) {
    return refused(conflict(vmi, 'VMI does not have guest agent connected'));
  }
  const failure = unreachable('Get', vmi, reading, nodes);
  if (failure !== undefined) return refused(new Error(failure));
  return { status: 200, type: 'application/json', body: JSON.stringify(READINGS[reading](vmi)) };
}

const READINGS: Record<Reading, (vmi: VirtualMachineInstance) => object> = {
  guestosinfo: guestAgentInfo,
  userlist: () => ({ metadata: {}, items: [] }),
  filesystemlist: () => ({ metadata: {}, items: [] }),
};

/** The guest's screen as a PNG; what goes wrong is a 500 in plain text too. */
export async function screenshot(ref: ObjectRef, { client, nodes }: SubresourceContext): Promise<SubresourceAnswer> {
  const vmi = await client.find(VIRTUAL_MACHINE_INSTANCES, ref);
  if (vmi === undefined) return refused(StatusError.notFound('virtualmachineinstance', ref.name));
  if (vmi.spec.domain.devices?.autoattachGraphicsDevice === false) {
    return refused(new Error('No graphics devices are present.'));
  }
  if (vmi.status?.phase !== 'Running') return refused(new Error('VMI is not running'));
  const failure = unreachable('Get', vmi, 'vnc', nodes);
  if (failure !== undefined) return refused(new Error(`Internal error occurred: dialing virt-handler: ${failure}`));
  return { status: 200, type: 'image/png', body: screenPng() };
}

function refused({ message }: Error): SubresourceAnswer {
  return { status: 500, type: 'text/plain; charset=utf-8', body: message };
}

function conflict(vmi: VirtualMachineInstance, why: string): StatusError {
  return StatusError.conflict('virtualmachineinstance', vmi.metadata.name, why);
}
