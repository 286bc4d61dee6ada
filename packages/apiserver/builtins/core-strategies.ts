import { arrayOr, at, equal, isObject, objectOr, textOr, type JsonObject } from '../json.ts';
import type { ApiObject } from '../objects.ts';
import type { Strategy } from '../resources/index.ts';
import { fieldErrors } from '../schema/index.ts';
import { forbidden, type FieldError } from '../status.ts';

const RBAC = 'rbac.authorization.k8s.io';

export const namespaceStrategy: Strategy = {
  setDefaults: labelWithName,
  prepareCreate(namespace) {
    labelWithName(namespace);
    const finalizers = arrayOr(at(namespace, 'spec', 'finalizers'));
    if (!finalizers.includes('kubernetes')) finalizers.push('kubernetes');
    namespace['spec'] = { finalizers };
    namespace['status'] = { phase: 'Active' };
  },
  prepareUpdate(namespace, previous, subresource) {
    labelWithName(namespace);
    if (subresource !== 'finalize') {
      namespace['spec'] = objectOr(previous['spec']);
    } else if (arrayOr(at(namespace, 'spec', 'finalizers')).length === 0) {
      namespace['spec'] = {};
    }
  },
  markDeleted(namespace) {
    namespace['status'] = { ...objectOr(namespace['status']), phase: 'Terminating' };
  },
  isHeld: (namespace) => arrayOr(at(namespace, 'spec', 'finalizers')).length > 0,
  refuseDelete: ({ metadata: { name } }) =>
    ['default', 'kube-system', 'kube-public'].includes(name)
      ? forbidden({ group: '', kind: 'Namespace', plural: 'namespaces' }, name, 'this namespace may not be deleted')
      : undefined,
};

export const eventStrategy: Strategy = {
  setDefaults(event) {
    // Set even if empty: consumers distinguish the two Event APIs by these fields.
    event['eventTime'] ??= null;
    event['reportingComponent'] ??= '';
    event['reportingInstance'] ??= '';
  },
};

export const configMapStrategy: Strategy = {
  validate: (map, previous) => immutability(map, previous, ['data', 'binaryData']),
};

export const secretStrategy: Strategy = {
  setDefaults(secret) {
    secret['type'] ??= 'Opaque';
    const { stringData } = secret;
    if (!isObject(stringData)) return;
    const encoded = Object.entries(stringData).map(
      ([key, value]) => [key, Buffer.from(textOr(value)).toString('base64')] as const,
    );
    const data: JsonObject = { ...objectOr(secret['data']), ...Object.fromEntries(encoded) };
    secret['data'] = data;
    delete secret['stringData'];
  },
  validate: (secret, previous) => [
    ...fixedField('type', secret, previous),
    ...immutability(secret, previous, ['data']),
  ],
};

export const claimStrategy: Strategy = {
  setDefaults(claim) {
    objectOr(claim['spec'])['volumeMode'] ??= 'Filesystem';
  },
  prepareCreate(claim) {
    claim['status'] = { phase: 'Pending' };
  },
};

export const endpointSliceStrategy: Strategy = {
  setDefaults(slice) {
    for (const port of arrayOr(slice['ports']).filter(isObject)) {
      port['name'] ??= '';
      port['protocol'] ??= 'TCP';
    }
  },
};

/** The strategy of RoleBindings and ClusterRoleBindings. */
export const bindingStrategy: Strategy = {
  setDefaults(binding) {
    const reference = objectOr(binding['roleRef']);
    if (textOr(reference['apiGroup']) === '') reference['apiGroup'] = RBAC;
    for (const subject of arrayOr(binding['subjects']).filter(isObject)) {
      if (subject['kind'] !== 'ServiceAccount') subject['apiGroup'] ??= RBAC;
    }
  },
  validate: (binding, previous) => fixedField('roleRef', binding, previous),
};

export const storageClassStrategy: Strategy = {
  setDefaults(storageClass) {
    storageClass['reclaimPolicy'] ??= 'Delete';
    storageClass['volumeBindingMode'] ??= 'Immediate';
  },
};

function fixedField(key: string, next: ApiObject, previous: ApiObject | undefined): FieldError[] {
  if (previous === undefined || equal(next[key], previous[key])) return [];
  return [fieldErrors.invalid(key, next[key], 'field is immutable')];
}

/** The errors of changes to an object with `immutable: true`. */
function immutability(object: ApiObject, previous: ApiObject | undefined, fields: readonly string[]): FieldError[] {
  if (previous?.['immutable'] !== true) return [];
  const changed = fields.filter((field) => !equal(object[field], previous[field]));
  return [...(object['immutable'] === true ? [] : ['immutable']), ...changed].map((field) =>
    fieldErrors.forbidden(field, 'field is immutable when `immutable` is set'),
  );
}

function labelWithName({ metadata }: ApiObject): void {
  // A generated name is not set yet.
  if ((metadata.name as string | undefined) === undefined) return;
  metadata.labels = { ...metadata.labels, 'kubernetes.io/metadata.name': metadata.name };
}

/** The strategy of APIServices. */
export const apiServiceStrategy: Strategy = {
  setDefaults(object) {
    const service = at(object, 'spec', 'service');
    if (isObject(service)) service['port'] ??= 443;
  },
  prepareCreate(object) {
    // A group that this server serves is always available.
    if (isObject(at(object, 'spec', 'service'))) return;
    const { creationTimestamp } = object.metadata;
    object['status'] = {
      conditions: [
        {
          type: 'Available',
          status: 'True',
          ...(creationTimestamp === undefined ? {} : { lastTransitionTime: creationTimestamp }),
          reason: 'Local',
          message: 'Local APIServices are always available',
        },
      ],
    };
  },
};
