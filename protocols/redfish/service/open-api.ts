import type { JsonObject } from '../json.ts';
import type { Action } from '../resource.ts';
import type { ObjectRule, Rule } from '../rules.ts';
import { ROOT } from '../uris.ts';
import { actionInfoUri } from './action-info.ts';
import type { Answer } from './answer.ts';
import { allowedMethods, schemaName } from './place.ts';
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
        done: { description: 'As DSP0266 has it for the method.', content: JSON_OBJECT },
        refused: { description: 'What was wrong, as messages of a registry.', content: JSON_OBJECT },
      },
    },
    security: [{ basic: [] }, { token: [] }],
    paths: Object.fromEntries(live.flatMap(pathsOf)),
  };
}

const JSON_OBJECT = { 'application/json': { schema: { type: 'object' } } };

/** A route without current resources gets the operations that every resource has. */
function pathsOf({ route: { path }, found }: LiveRoute): [string, JsonObject][] {
  const first = found[0];
  const parameters = parametersOf(path, found);
  const actions = (first?.resource.actions ?? []).flatMap((action) => actionPaths(path, action, parameters));
  return [[path, { parameters, ...methodsOf(first) }], ...actions];
}

function methodsOf(found: Found | undefined): JsonObject {
  if (found === undefined) return { get: operation('Read it') };
  const { resource } = found;
  const name = schemaName(resource);
  const allowed = allowedMethods(found);
  return {
    get: operation(`Read a ${name}`),
    head: operation(`Read the headers of a ${name}`),
    ...(resource.patch !== undefined && { patch: operation(`Change a ${name}`, resource.patch.rules, false) }),
    ...(resource.create !== undefined && { post: operation(`Add to a ${name}`, resource.create.rules, true) }),
    ...(allowed.includes('DELETE') && { delete: operation(`Remove a ${name}`) }),
  };
}

function actionPaths(path: string, action: Action, parameters: readonly JsonObject[]): [string, JsonObject][] {
  const info = actionInfoUri(path, action);
  return [
    [`${path}/Actions/${action.name}`, { parameters, post: operation(action.name, action.rules, true) }],
    ...(info === undefined
      ? []
      : [[info, { parameters, get: operation(`Parameters of ${action.name}`) }] as [string, JsonObject]]),
  ];
}

/** @param isWhole required properties must be present */
function operation(summary: string, rules?: ObjectRule, isWhole?: boolean): JsonObject {
  return {
    summary,
    ...(rules !== undefined && {
      requestBody: { content: { 'application/json': { schema: jsonSchema(rules, isWhole === true) } } },
    }),
    responses: {
      '2XX': { $ref: '#/components/responses/done' },
      '3XX': { $ref: '#/components/responses/done' },
      '4XX': { $ref: '#/components/responses/refused' },
    },
  };
}

/** The values of a parameter are the existing members. */
function parametersOf(path: string, found: readonly Found[]): readonly JsonObject[] {
  return path.split('/').flatMap((segment, at) => {
    if (!segment.startsWith('{')) return [];
    const values = new Set(found.map(({ uri }) => decodeURIComponent(uri.split('/')[at] ?? '')));
    const schema = { type: 'string', ...(values.size > 0 && { examples: [...values] }) };
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
