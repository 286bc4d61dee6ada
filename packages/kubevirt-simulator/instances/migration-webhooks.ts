import { isDeepStrictEqual } from 'node:util';
import { hasCompleted } from './migration-decision.ts';
import { conditionOf } from '../kubevirt/conditions.ts';
import {
  isFinal,
  MIGRATED_INSTANCE,
  MIGRATION_FINALIZER,
  MIGRATIONS,
  VIRTUAL_MACHINE_INSTANCES,
  type Migration,
} from '../kubevirt/objects.ts';
import type { AdmissionResponse, Webhook } from '../virt-api/index.ts';

/** KubeVirt's webhooks for migrations, by path. */
export const MIGRATION_WEBHOOKS: Readonly<Record<string, Webhook>> = {
  '/migration-mutate-create': (request) => {
    const { metadata, spec } = request.object as Migration;
    const labels = { ...metadata.labels, [MIGRATED_INSTANCE]: spec.vmiName };
    const finalizers = [...(metadata.finalizers ?? []), MIGRATION_FINALIZER];
    const patch = [
      { op: 'add', path: '/metadata/labels', value: labels },
      { op: 'add', path: '/metadata/finalizers', value: finalizers },
    ];
    return {
      allowed: true,
      patchType: 'JSONPatch',
      patch: Buffer.from(JSON.stringify(patch)).toString('base64'),
    };
  },

  '/migration-validate-create': async (request, { client }) => {
    const { metadata, spec } = request.object as Migration;
    const { namespace = '' } = metadata;
    const name = spec.vmiName;
    const vmi = await client.find(VIRTUAL_MACHINE_INSTANCES, { namespace, name });
    if (vmi === undefined) return refused(`the VMI "${namespace}/${name}" does not exist`);
    if (isFinal(vmi)) return refused('Cannot migrate VMI in finalized state.');
    const migratable = conditionOf(vmi.status?.conditions, 'LiveMigratable');
    if (migratable?.status === 'False') {
      const { reason = '', message = '' } = migratable;
      return refused(`Cannot migrate VMI, Reason: ${reason}, Message: ${message}`);
    }
    const { items } = await client.list(MIGRATIONS, { namespace, labelSelector: `${MIGRATED_INSTANCE} in (${name})` });
    const active = items.find((migration) => !hasCompleted(migration));
    if (active === undefined) return { allowed: true };
    const uid = active.metadata.uid ?? '';
    return refused(
      `in-flight migration detected. Active migration job (${uid}) is currently already in progress for VMI ${name}.`,
    );
  },

  '/migration-validate-update': (request) => {
    const [next, old] = [request.object as Migration, request.oldObject as Migration];
    if (isDeepStrictEqual(next.spec, old.spec)) return { allowed: true };
    const message = "update of Migration object's spec is restricted";
    return { allowed: false, status: { message, reason: 'Invalid', code: 422 } };
  },
};

function refused(message: string): AdmissionResponse {
  return { allowed: false, status: { message, code: 400 } };
}
