import type { JsonObject } from '../json.ts';
import type { Action, Resource } from '../resource.ts';
import type { ObjectRule, Rule } from '../rules.ts';
import { ROOT } from '../uris.ts';
import { actionInfoUri } from './action-info.ts';
import type { Answer } from './answer.ts';
import { allowedMethods, schemaName } from './place.ts';
import { componentOf, hasOwnAnswer, payloadSchemas } from './payload-schema.ts';
import { type Found, liveResources, type LiveRoute, type ResourceTree } from './resource-tree.ts';

/** Location of the OpenAPI description by DSP0266. JSON is valid YAML. It shows what this machine has, so it needs authentication. */
export const OPEN_API = `${ROOT}/openapi.yaml`;

export async function openApiAnswer(tree: ResourceTree): Promise<Answer> {
  return {
    status: 200,
    text: JSON.stringify(await openApi(tree)),
    contentType: 'application/yaml;charset=utf-8',
    headers: { Allow: 'GET, HEAD' },
  };
}

/** OpenAPI description of the service, generated from the routes and their rules. */
async function openApi(tree: ResourceTree): Promise<JsonObject> {
  const live = await liveResources(tree);
  return {
    openapi: '3.1.0',
    info: { title: 'Redfish service', version: '1' },
    components: {
      securitySchemes: {
        basic: { type: 'http', scheme: 'basic' },
        token: { type: 'apiKey', in: 'header', name: 'X-Auth-Token' },
      },
      responses: {
        done: { description: 'Done. There is nothing to say.' },
        refused: { description: 'What was wrong, as messages of a registry.', content: jsonOf('RedfishError') },
      },
      schemas: { ...(await payloadSchemas(live)), RedfishError: REDFISH_ERROR, Resource: RESOURCE },
    },
    security: [{ basic: [] }, { token: [] }],
    paths: Object.fromEntries(live.flatMap(pathsOf)),
  };
}

const TEXT = { type: 'string' };
const MESSAGE = {
  type: 'object',
  properties: { MessageId: TEXT, Message: TEXT, MessageSeverity: TEXT, Resolution: TEXT },
  required: ['MessageId', 'Message'],
};

/** DSP0266 §8.6. */
const REDFISH_ERROR = {
  type: 'object',
  properties: {
    error: {
      type: 'object',
      properties: { code: TEXT, message: TEXT, '@Message.ExtendedInfo': { type: 'array', items: MESSAGE } },
      required: ['code', 'message', '@Message.ExtendedInfo'],
    },
  },
  required: ['error'],
};

/** What all resources have. */
const RESOURCE = {
  type: 'object',
  properties: { '@odata.id': TEXT, '@odata.type': TEXT },
  required: ['@odata.id', '@odata.type'],
};

/** Content with a schema of the components. */
function jsonOf(component: string): JsonObject {
  return { 'application/json': { schema: { $ref: `#/components/schemas/${component}` } } };
}

function answerOf(description: string, component: string, headers?: JsonObject): JsonObject {
  return { description, ...(headers !== undefined && { headers }), content: jsonOf(component) };
}

const LOCATION = { Location: { description: 'URI of the new resource', schema: TEXT } };
const DONE = { $ref: '#/components/responses/done' };

/** A route without current resources gets the operations that every resource has. */
function pathsOf({ route: { path }, found }: LiveRoute): [string, JsonObject][] {
  const first = found[0];
  const parameters = parametersOf(path, found);
  const actions = (first?.resource.actions ?? []).flatMap((action) => actionPaths(path, action, parameters));
  return [[path, { parameters, ...methodsOf(first) }], ...actions];
}

function methodsOf(found: Found | undefined): JsonObject {
  if (found === undefined) return { get: operation('Read it', { 200: answerOf('The resource', 'Resource') }) };
  const { resource, route } = found;
  const { patch, create } = resource;
  const name = schemaName(resource);
  const allowed = allowedMethods(found);
  const openRead = route.isOpen === true && OPEN;
  const made = resource.members?.()[0]?.resource;
  const created = answerOf('The new resource', made === undefined ? 'Resource' : componentOf(made), LOCATION);
  return {
    get: { ...operation(`Read a ${name}`, readAnswers(resource)), ...openRead },
    head: { ...operation(`Read the headers of a ${name}`, { '2XX': DONE }), ...openRead },
    ...(patch !== undefined && { patch: operation(`Change a ${name}`, readAnswers(resource), [patch.rules, false]) }),
    ...(create !== undefined && {
      post: { ...operation(`Add to a ${name}`, { 201: created }, [create.rules, true]), ...(create.isOpen && OPEN) },
    }),
    ...(allowed.includes('DELETE') && { delete: operation(`Remove a ${name}`, { 204: DONE }) }),
  };
}

/** Needs no authentication. */
const OPEN = { security: [] };

function readAnswers(resource: Resource): JsonObject {
  if (resource.stream !== undefined) {
    return { 200: { description: 'Events', content: { 'text/event-stream': { schema: TEXT } } } };
  }
  if (hasOwnAnswer({ resource })) return { 200: DONE, 202: DONE, 204: DONE };
  return { 200: answerOf('The resource', componentOf(resource)), '3XX': DONE };
}

/** Of an action: done, done with messages or a body of its own, or a Task. */
const ACTION_ANSWERS = {
  200: { description: 'Done', content: { 'application/json': { schema: { type: 'object' } } } },
  202: answerOf('The Task that goes on', 'Resource', LOCATION),
  204: DONE,
};

function actionPaths(path: string, action: Action, parameters: readonly JsonObject[]): [string, JsonObject][] {
  const info = actionInfoUri(path, action);
  return [
    [
      `${path}/Actions/${action.name}`,
      { parameters, post: operation(action.name, ACTION_ANSWERS, [action.rules, true]) },
    ],
    ...(info === undefined
      ? []
      : [[info, { parameters, get: operation(`Parameters of ${action.name}`, PARAMETERS) }] as [string, JsonObject]]),
  ];
}

const PARAMETERS = { 200: answerOf('The parameters', 'Resource') };
const REFUSED = { $ref: '#/components/responses/refused' };

/** @param body rules of the body, and whether required properties must be present */
function operation(summary: string, answers: JsonObject, body?: readonly [ObjectRule, boolean]): JsonObject {
  return {
    summary,
    ...(body !== undefined && { requestBody: { content: { 'application/json': { schema: jsonSchema(...body) } } } }),
    responses: { ...answers, '4XX': REFUSED, '5XX': REFUSED },
  };
}

/** The example of a parameter is the first member: a log has hundreds. */
function parametersOf(path: string, found: readonly Found[]): readonly JsonObject[] {
  return path.split('/').flatMap((segment, at) => {
    if (!segment.startsWith('{')) return [];
    const first = found[0]?.uri.split('/')[at];
    const schema = { type: 'string', ...(first !== undefined && { examples: [decodeURIComponent(first)] }) };
    return [{ name: segment.slice(1, -1), in: 'path', required: true, schema }];
  });
}

/**
 * Converts a rule to JSON Schema (2020-12).
 *
 * @param isWhole required properties must be present
 */
export function jsonSchema(rule: Rule, isWhole: boolean): JsonObject {
  const schema = bareSchema(rule, isWhole);
  return rule.isNullable === true ? { anyOf: [schema, { type: 'null' }] } : schema;
}

function bareSchema(rule: Rule, isWhole: boolean): JsonObject {
  switch (rule.kind) {
    case 'flag':
      return { type: 'boolean' };
    case 'number':
      return { type: 'integer', minimum: rule.least, maximum: rule.most };
    case 'word':
      return { type: 'string', enum: rule.words };
    case 'text':
      return {
        type: 'string',
        maxLength: rule.maxLength,
        ...(rule.minLength !== undefined && { minLength: rule.minLength }),
        // Tools in other languages do not support Unicode classes and reject the whole operation.
        ...(rule.pattern?.unicode === false && { pattern: rule.pattern.source }),
      };
    case 'list':
      return { type: 'array', maxItems: rule.maxItems, items: jsonSchema(rule.items, true) };
    case 'object':
      return objectSchema(rule.properties, rule.isOpen === true, isWhole);
  }
}

function objectSchema(properties: Readonly<Record<string, Rule>>, isOpen: boolean, isWhole: boolean): JsonObject {
  const required = Object.entries(properties).filter(([, { isRequired }]) => isWhole && isRequired === true);
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(properties).map(([name, rule]) => [name, jsonSchema(rule, isWhole)])),
    additionalProperties: isOpen,
    ...(required.length > 0 && { required: required.map(([name]) => name) }),
  };
}
