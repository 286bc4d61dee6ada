import { arrayOr, at, objectOr, textOr } from '../json.ts';
import type { ApiObject } from '../objects.ts';
import type { Strategy } from '../resources/index.ts';
import { fieldErrors, nameRules } from '../schema/index.ts';
import { forbidden, type FieldError } from '../status.ts';

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
  validate(namespace, previous, subresource) {
    if (subresource === 'status') return phaseErrors(namespace);
    const isMade = previous === undefined;
    if (!isMade && subresource !== 'finalize') return [];
    return arrayOr(at(namespace, 'spec', 'finalizers')).flatMap((finalizer, index) =>
      finalizerErrors(textOr(finalizer), isMade ? 'spec.finalizers' : `spec.finalizers[${index}]`),
    );
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
    // Written out even when empty: consumers tell the two kinds of Event by them.
    event['eventTime'] ??= null;
    event['reportingComponent'] ??= '';
    event['reportingInstance'] ??= '';
  },
  validate(event) {
    const namespace = at(event, 'involvedObject', 'namespace');
    const isHome =
      namespace === event.metadata.namespace || (namespace === undefined && event.metadata.namespace === 'default');
    if (isHome) return [];
    return [
      {
        field: 'involvedObject.namespace',
        reason: 'FieldValueInvalid',
        message: `Invalid value: ${JSON.stringify(namespace ?? '')}: does not match event.namespace`,
      },
    ];
  },
};

export const storageClassStrategy: Strategy = {
  setDefaults(storageClass) {
    storageClass['reclaimPolicy'] ??= 'Delete';
    storageClass['volumeBindingMode'] ??= 'Immediate';
  },
};

function phaseErrors(namespace: ApiObject): FieldError[] {
  const phase = textOr(at(namespace, 'status', 'phase'));
  const isGoing = namespace.metadata.deletionTimestamp !== undefined;
  const expected = isGoing ? 'Terminating' : 'Active';
  if (phase === expected) return [];
  const rule = `may only be '${expected}' if \`deletionTimestamp\` is ${isGoing ? 'not ' : ''}empty`;
  return [fieldErrors.invalid('status.Phase', phase, rule)];
}

function finalizerErrors(name: string, field: string): FieldError[] {
  const errors = nameRules.qualifiedName(name).map((text) => fieldErrors.invalid(field, name, text));
  if (!name.includes('/') && !['kubernetes', 'orphan', 'foregroundDeletion'].includes(name)) {
    const problem = 'name is neither a standard finalizer name nor is it fully qualified';
    errors.push(fieldErrors.invalid(field, name, problem));
  }
  return errors;
}

function labelWithName({ metadata }: ApiObject): void {
  // A name that is still to be generated is not there yet.
  if ((metadata.name as string | undefined) === undefined) return;
  metadata.labels = { ...metadata.labels, 'kubernetes.io/metadata.name': metadata.name };
}
