import { VIRTUAL_MACHINES, type VirtualMachine } from '../../../../api/index.ts';
import { ApiError, type KubeClient, type ObjectRef, type Status } from '@groundcrew/controller-runtime';
import { putSubresource, type Subresource } from './power-call.ts';
import { type PowerRefusal, refusalOf } from './power-refusal.ts';

/** `restart` is sent without a grace period: with one, virt-api 1.8.4 deletes the launcher pod even in a dry run. */
const WITH_DRY_RUN: readonly Subresource[] = ['start', 'stop', 'restart', 'pause', 'unpause'];
/** virt-api 1.8.4 ignores the body of these and would carry them out. */
const WITHOUT_DRY_RUN: readonly Subresource[] = ['reset', 'softreboot'];

const ACCESS_REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';

/**
 * Checks whether KubeVirt accepts all calls of the BMC. Changes nothing.
 *
 * @returns the first refusal, or undefined
 * @throws TransportError if the API server does not answer
 */
export async function probePower(
  client: KubeClient,
  machine: ObjectRef,
  vm: VirtualMachine,
): Promise<PowerRefusal | undefined> {
  const requests = [
    ...WITH_DRY_RUN.map((subresource) => () => putSubresource(client, machine, subresource, { dryRun: ['All'] })),
    ...WITHOUT_DRY_RUN.map((subresource) => () => assertAllowed(client, machine, subresource)),
    // Boot devices and some run strategies need a patch. It also calls virt-api's webhooks.
    () => patchNothing(client, machine, vm),
  ];
  return await firstRefusal(requests);
}

/**
 * Checks whether the BMC may change this VM: its Role names each VM. Changes nothing.
 *
 * @returns the refusal, or undefined
 * @throws TransportError if the API server does not answer
 */
export async function probePermission(
  client: KubeClient,
  machine: ObjectRef,
  vm: VirtualMachine,
): Promise<PowerRefusal | undefined> {
  return await firstRefusal([() => patchNothing(client, machine, vm)]);
}

async function firstRefusal(requests: readonly (() => Promise<unknown>)[]): Promise<PowerRefusal | undefined> {
  for (const request of requests) {
    try {
      await request();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const refusal = refusalOf(error);
      if (refusal !== undefined) return refusal;
    }
  }
  return undefined;
}

async function patchNothing(client: KubeClient, machine: ObjectRef, { metadata }: VirtualMachine): Promise<void> {
  const patch = [{ op: 'test', path: '/metadata/uid', value: metadata.uid }];
  await client.patch(VIRTUAL_MACHINES, machine, 'json', patch, { dryRun: true });
}

/** @throws ApiError 403, like the call itself */
async function assertAllowed(client: KubeClient, machine: ObjectRef, subresource: Subresource): Promise<void> {
  const resource = {
    group: 'subresources.kubevirt.io',
    version: 'v1',
    resource: 'virtualmachineinstances',
    subresource,
  };
  const answer = await client
    .request({
      method: 'POST',
      path: ACCESS_REVIEWS,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SelfSubjectAccessReview',
        spec: { resourceAttributes: { ...resource, ...machine, verb: 'update' } },
      }),
    })
    .catch((error: unknown) => {
      // A cluster without access reviews has not refused the call.
      if (!(error instanceof ApiError)) throw error;
    });
  if (!isDenied(answer)) return;
  const message = `virtualmachineinstances.subresources.kubevirt.io "${machine.name}" is forbidden: cannot update ${subresource}`;
  const status: Status = { kind: 'Status', apiVersion: 'v1', code: 403, message };
  throw new ApiError(`PUT ${subresource}`, 403, status);
}

function isDenied(answer: unknown): boolean {
  const { status } = (answer ?? {}) as { status?: { allowed?: boolean } };
  return status?.allowed === false;
}
