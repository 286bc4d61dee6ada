import { typeErrors } from '../apply/index.ts';
import { isObject, objectOr, textOr, type Json, type JsonObject } from '../json.ts';
import { apiVersionOf } from '../resources/index.ts';
import { badRequest, StatusError } from '../status.ts';
import type { RequestBody } from './request-body.ts';
import type { WriteRequest } from './write-request.ts';

/** What is applied, as it was sent, once it is known to be of the right kind and to fit the schema. Throws 400 and 500. */
export function readApplyConfig(request: WriteRequest, body: RequestBody): JsonObject {
  const { resource } = request;
  const config = parse(body);
  const { apiVersion, kind } = config;
  if (apiVersion !== apiVersionOf(resource) || kind !== resource.kind) {
    const text = textOr(apiVersion);
    throw badRequest(`invalid object type: ${text.includes('/') ? text : `/${text}`}, Kind=${textOr(kind)}`);
  }
  const metadata = objectOr(config['metadata']);
  if (metadata['managedFields'] === null) delete metadata['managedFields'];
  if (metadata['managedFields'] !== undefined) throw badRequest('metadata.managedFields must be nil');
  const errors = typeErrors(config, resource.schema);
  if (errors.length > 0) throw untyped(request, config, errors);
  return config;
}

/** What strict decoding says of keys that come more than once; it comes last. Throws 400 where it is asked for. */
export function judgeApplyConfig(body: RequestBody, { fieldValidation, warnings }: WriteRequest): void {
  const { complaints } = body.parse();
  if (complaints.length === 0) return;
  if (fieldValidation === 'Warn') warnings.push(...complaints);
  if (fieldValidation !== 'Strict') return;
  const lines = complaints.map((line) => `  ${line}`).join('\n');
  throw badRequest(`error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n${lines}`);
}

function parse(body: RequestBody): JsonObject {
  let value: Json;
  try {
    ({ value } = body.parse());
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw badRequest(`error decoding YAML: error converting YAML to JSON: ${error.message}`);
  }
  if (isObject(value)) return value;
  if (value === null) return {};
  const word = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  throw badRequest(
    `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${word} into Go value of type map[string]interface {}`,
  );
}

/** 500: what is applied does not fit the schema. */
function untyped({ resource }: WriteRequest, config: JsonObject, problems: string[]): StatusError {
  const { namespace, name } = objectOr(config['metadata']);
  const gvk = `${resource.group}/${resource.version}, Kind=${resource.kind}`;
  return new StatusError(
    500,
    '',
    `failed to create typed patch object (${textOr(namespace)}/${textOr(name)}; ${gvk}): ${problems.length === 1 ? problems.join('') : ['errors:', ...problems.map((problem) => `  ${problem}`)].join('\n')}`,
  );
}
