import { arrayOr, at, equal, isObject, objectOr, textOr, type JsonObject } from '../json.ts';
import type { ApiObject } from '../objects.ts';
import type { Strategy } from '../resources/index.ts';
import { forbidden, type FieldError } from '../status.ts';

export const namespaceStrategy: Strategy = {
  setDefaults: labelWithName,
  prepareCreate(namespace) {
    labelWithName(namespace);
    namespace['spec'] = { finalizers: ['kubernetes'] };
    namespace['status'] = { phase: 'Active' };
  },
  prepareUpdate(namespace, previous) {
    labelWithName(namespace);
    // Only the finalize subresource, which the server's own loop stands for, ends these.
    namespace['spec'] = objectOr(previous['spec']);
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
  validate(secret, previous) {
    const errors = [...dataKeys(secret, 'data'), ...immutability(secret, previous)];
    if (previous !== undefined && secret['type'] !== previous['type']) {
      errors.push({
        field: 'type',
        reason: 'FieldValueInvalid',
        message: `Invalid value: ${JSON.stringify(secret['type'])}: field is immutable`,
      });
    }
    return errors;
  },
};

export const configMapStrategy: Strategy = {
  validate: (map, previous) => [
    ...dataKeys(map, 'data'),
    ...dataKeys(map, 'binaryData'),
    ...immutability(map, previous),
  ],
};

export const bindingStrategy: Strategy = {
  setDefaults(binding) {
    objectOr(binding['roleRef'])['apiGroup'] ??= 'rbac.authorization.k8s.io';
    for (const subject of arrayOr(binding['subjects']).filter(isObject)) {
      if (subject['kind'] !== 'ServiceAccount') subject['apiGroup'] ??= 'rbac.authorization.k8s.io';
    }
  },
  validate(binding, previous) {
    if (previous === undefined || equal(binding['roleRef'], previous['roleRef'])) return [];
    return [
      {
        field: 'roleRef',
        reason: 'FieldValueInvalid',
        message: `Invalid value: ${JSON.stringify(binding['roleRef'])}: cannot change roleRef`,
      },
    ];
  },
};

export const apiServiceStrategy: Strategy = {
  setDefaults(object) {
    const service = at(object, 'spec', 'service');
    if (isObject(service)) service['port'] ??= 443;
  },
  validate(object) {
    const spec = objectOr(object['spec']);
    const name = `${textOr(spec['version'])}.${textOr(spec['group'])}`;
    if (object.metadata.name === name) return [];
    return [
      {
        field: 'metadata.name',
        reason: 'FieldValueInvalid',
        message: `Invalid value: ${JSON.stringify(object.metadata.name)}: must be \`spec.version+"."+spec.group\`: "${name}"`,
      },
    ];
  },
};

export const webhookStrategy: Strategy = {
  setDefaults(object) {
    for (const webhook of arrayOr(object['webhooks']).filter(isObject)) {
      const defaults = {
        failurePolicy: 'Fail',
        matchPolicy: 'Equivalent',
        namespaceSelector: {},
        objectSelector: {},
        timeoutSeconds: 10,
      };
      for (const [key, value] of Object.entries(defaults)) webhook[key] ??= value;
      if (object.kind === 'MutatingWebhookConfiguration') webhook['reinvocationPolicy'] ??= 'Never';
      const service = at(webhook, 'clientConfig', 'service');
      if (isObject(service)) service['port'] ??= 443;
      for (const rule of arrayOr(webhook['rules']).filter(isObject)) rule['scope'] ??= '*';
    }
  },
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

export const endpointSliceStrategy: Strategy = {
  setDefaults(slice) {
    for (const port of arrayOr(slice['ports']).filter(isObject)) {
      port['name'] ??= '';
      port['protocol'] ??= 'TCP';
    }
  },
  validate(slice, previous) {
    if (previous === undefined || slice['addressType'] === previous['addressType']) return [];
    return [
      {
        field: 'addressType',
        reason: 'FieldValueInvalid',
        message: `Invalid value: ${JSON.stringify(slice['addressType'])}: field is immutable`,
      },
    ];
  },
};

export const claimStrategy: Strategy = {
  setDefaults(claim) {
    objectOr(claim['spec'])['volumeMode'] ??= 'Filesystem';
  },
  prepareCreate(claim) {
    claim['status'] = { phase: 'Pending' };
  },
};

function labelWithName({ metadata }: ApiObject): void {
  // A name that is still to be generated is not there yet.
  if ((metadata.name as string | undefined) === undefined) return;
  metadata.labels = { ...metadata.labels, 'kubernetes.io/metadata.name': metadata.name };
}

function dataKeys(object: ApiObject, field: string): FieldError[] {
  return Object.keys(objectOr(object[field]))
    .filter((key) => !/^[-._a-zA-Z0-9]{1,253}$/.test(key))
    .map((key) => ({
      field: `${field}[${key}]`,
      reason: 'FieldValueInvalid',
      message: `Invalid value: ${JSON.stringify(key)}: a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')`,
    }));
}

function immutability(object: ApiObject, previous: ApiObject | undefined): FieldError[] {
  if (previous?.['immutable'] !== true) return [];
  const changed =
    ['data', 'binaryData'].find((key) => !equal(object[key], previous[key])) ??
    (object['immutable'] === true ? undefined : 'immutable');
  return changed === undefined
    ? []
    : [
        {
          field: changed,
          reason: 'FieldValueForbidden',
          message: 'Forbidden: field is immutable when `immutable` is set',
        },
      ];
}
