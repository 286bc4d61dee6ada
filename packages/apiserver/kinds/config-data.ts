import { parseGoJson } from '../golang/index.ts';
import { equal, isObject, objectOr, textOr, type JsonObject } from '../json.ts';
import type { ApiObject } from '../objects.ts';
import type { Strategy } from '../resources/index.ts';
import { fieldErrors } from '../schema/index.ts';
import type { FieldError } from '../status.ts';

const MAX_BYTES = 1024 * 1024;
const KEY = /^[-._a-zA-Z0-9]+$/;
const KEY_RULE =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

export const configMapStrategy: Strategy = {
  judgesAll: true,
  validate(map, previous) {
    const data = objectOr(map['data']);
    const binary = objectOr(map['binaryData']);
    const errors = immutability(map, previous, ['data', 'binaryData']);
    for (const key of Object.keys(data)) {
      errors.push(...keyErrors('data', key));
      if (binary[key] !== undefined)
        errors.push(fieldErrors.invalid(`data[${key}]`, key, 'duplicate of key present in binaryData'));
    }
    for (const key of Object.keys(binary)) errors.push(...keyErrors('binaryData', key));
    const size = sum(Object.values(data).map((value) => Buffer.byteLength(textOr(value)))) + decodedSize(binary);
    // The real server's name for the object as a whole.
    if (size > MAX_BYTES) errors.push(fieldErrors.tooLong('[]', MAX_BYTES));
    return errors;
  },
};

export const secretStrategy: Strategy = {
  judgesAll: true,
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
    const data = objectOr(secret['data']);
    const errors: FieldError[] = [];
    if (previous !== undefined && secret['type'] !== previous['type'])
      errors.push(fieldErrors.invalid('type', secret['type'], 'field is immutable'));
    errors.push(...immutability(secret, previous, ['data']));
    for (const key of Object.keys(data)) errors.push(...keyErrors('data', key));
    if (decodedSize(data) > MAX_BYTES) errors.push(fieldErrors.tooLong('data', MAX_BYTES));
    return [...errors, ...typeErrors(secret, data)];
  },
};

/** What secrets of Kubernetes' own types must have. */
function typeErrors(secret: ApiObject, data: JsonObject): FieldError[] {
  const missing = (...keys: string[]): FieldError[] =>
    keys.filter((key) => data[key] === undefined).map((key) => fieldErrors.required(`data[${key}]`));
  switch (secret['type']) {
    case 'kubernetes.io/service-account-token': {
      const key = 'kubernetes.io/service-account.name';
      const account = secret.metadata.annotations?.[key] ?? '';
      return account === '' ? [fieldErrors.required(`metadata.annotations[${key}]`)] : [];
    }
    case 'kubernetes.io/dockercfg':
      return [...missing('.dockercfg'), ...notJson(data, '.dockercfg')];
    case 'kubernetes.io/dockerconfigjson':
      return [...missing('.dockerconfigjson'), ...notJson(data, '.dockerconfigjson')];
    case 'kubernetes.io/basic-auth':
      return data['username'] === undefined && data['password'] === undefined ? missing('username', 'password') : [];
    case 'kubernetes.io/ssh-auth':
      return textOr(data['ssh-privatekey']) === '' ? [fieldErrors.required('data[ssh-privatekey]')] : [];
    case 'kubernetes.io/tls':
      return missing('tls.crt', 'tls.key');
    default:
      return [];
  }
}

function notJson(data: JsonObject, key: string): FieldError[] {
  const value = data[key];
  if (value === undefined) return [];
  try {
    parseGoJson(Buffer.from(textOr(value), 'base64').toString('utf8'));
    return [];
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return [fieldErrors.invalid(`data[${key}]`, '<secret contents redacted>', message)];
  }
}

function keyErrors(field: string, key: string): FieldError[] {
  const problems: string[] = [];
  if (key.length > 253) problems.push('must be no more than 253 characters');
  if (!KEY.test(key)) problems.push(KEY_RULE);
  if (key === '.') problems.push("must not be '.'");
  else if (key === '..') problems.push("must not be '..'");
  else if (key.startsWith('..')) problems.push("must not start with '..'");
  return problems.map((problem) => fieldErrors.invalid(`${field}[${key}]`, key, problem));
}

function immutability(object: ApiObject, previous: ApiObject | undefined, fields: readonly string[]): FieldError[] {
  if (previous?.['immutable'] !== true) return [];
  const changed = fields.filter((field) => !equal(object[field], previous[field]));
  return [...(object['immutable'] === true ? [] : ['immutable']), ...changed].map((field) =>
    fieldErrors.forbidden(field, 'field is immutable when `immutable` is set'),
  );
}

function decodedSize(data: JsonObject): number {
  return sum(Object.values(data).map((value) => Buffer.byteLength(textOr(value), 'base64')));
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
