import { ApiError, isConflict, type KubeClient, type ObjectRef } from '../../kube/index.ts';
import { afterGuestRequest, assertGuestTakes, type GuestRequest } from './guest-control.ts';
import { LIFECYCLE, type LifecycleChange } from './lifecycle.ts';
import { VIRTUAL_MACHINE_INSTANCES, VIRTUAL_MACHINES } from './objects.ts';
import { parseRequestOptions } from './request-options.ts';
import { StatusError } from './status-error.ts';

export interface SubresourceContext {
  client: KubeClient;
  now: () => number;
  /** Told of what a guest was made to do. */
  onGuestRequest: (request: GuestRequest, ref: ObjectRef) => void;
}

export interface SubresourceRequest {
  ref: ObjectRef & { namespace: string };
  body: string;
}

/** Carries out one request and resolves with the HTTP status of its empty answer; throws StatusError for a refusal. */
export type Subresource = (request: SubresourceRequest, context: SubresourceContext) => Promise<number>;

/** By method and `<resource>/<subresource>`. */
export const SUBRESOURCE_HANDLERS: Readonly<Record<string, Subresource>> = {
  'PUT virtualmachines/start': (request, context) => lifecycle('start', request, context),
  'PUT virtualmachines/stop': (request, context) => lifecycle('stop', request, context),
  'PUT virtualmachines/restart': (request, context) => lifecycle('restart', request, context),
  'PUT virtualmachineinstances/pause': (request, context) => guest('pause', request, context),
  'PUT virtualmachineinstances/unpause': (request, context) => guest('unpause', request, context),
  'PUT virtualmachineinstances/softreboot': (request, context) => guest('softreboot', request, context),
  'PUT virtualmachineinstances/reset': (request, context) => guest('reset', request, context),
};

async function lifecycle(
  action: keyof typeof LIFECYCLE,
  { ref, body }: SubresourceRequest,
  { client }: SubresourceContext,
): Promise<number> {
  const vm = await client.find(VIRTUAL_MACHINES, ref);
  if (vm === undefined) throw StatusError.notFound('virtualmachine', ref.name);
  const vmi = await client.find(VIRTUAL_MACHINE_INSTANCES, ref);
  await write(client, ref, LIFECYCLE[action]({ vm, vmi, body }));
  return 202;
}

async function write(client: KubeClient, ref: ObjectRef, change: LifecycleChange): Promise<void> {
  const dryRun = { dryRun: change.dryRun };
  const { subresource, patch } = change.virtualMachine;
  try {
    if (change.instance !== undefined) {
      await client.patch(VIRTUAL_MACHINE_INSTANCES, ref, 'json', change.instance, dryRun);
    }
    await client.patch(
      VIRTUAL_MACHINES,
      ref,
      'json',
      patch,
      subresource === undefined ? dryRun : { ...dryRun, subresource },
    );
    if (change.force !== undefined) {
      await client.patch(VIRTUAL_MACHINE_INSTANCES, ref, 'json', change.force, dryRun);
    }
  } catch (error) {
    // A lost race reads as an internal error with the API server's words, as it does from virt-api beside 1.34.
    if (error instanceof ApiError) throw StatusError.internal(error.serverMessage);
    throw error;
  }
}

/** Attempts to write the instance while others write it too. */
const ATTEMPTS = 10;

async function guest(
  request: GuestRequest,
  { ref, body }: SubresourceRequest,
  { client, now, onGuestRequest }: SubresourceContext,
): Promise<number> {
  const struct = request === 'pause' ? 'PauseOptions' : 'UnpauseOptions';
  const takesOptions = request === 'pause' || request === 'unpause';
  const dryRun = takesOptions && parseRequestOptions(struct, body).dryRun;
  for (let attempt = 1; ; attempt += 1) {
    const vmi = await client.find(VIRTUAL_MACHINE_INSTANCES, ref);
    if (vmi === undefined) throw StatusError.notFound('virtualmachineinstance', ref.name);
    assertGuestTakes(request, vmi);
    if (dryRun) return 200;
    try {
      const next = afterGuestRequest(request, vmi, now());
      if (next !== vmi) await client.replace(VIRTUAL_MACHINE_INSTANCES, next);
      onGuestRequest(request, ref);
      return 200;
    } catch (error) {
      if (isConflict(error) && attempt < ATTEMPTS) continue;
      if (error instanceof ApiError) throw StatusError.internal(error.serverMessage);
      throw error;
    }
  }
}
