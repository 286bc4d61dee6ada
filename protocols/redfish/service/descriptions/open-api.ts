import type { JsonObject } from '../../json.ts';
import type { Action } from '../../resource.ts';
import type { ObjectRule } from '../../rules.ts';
import { ROOT } from '../../uris.ts';
import {
  actionInfoUri,
  type LiveRoute,
  liveResources,
  schemaName,
  allowedMethods,
  type Found,
  type ResourceTree,
} from '../tree/index.ts';
import type { Answer } from '../exchange/index.ts';
import { jsonSchema } from './json-schema.ts';

/**
 * Where DSP0266 has the description of the service by OpenAPI stand. JSON is YAML. It names what this machine has, so that it is for
 * those who are logged in.
 */
export const OPEN_API = `${ROOT}/openapi.yaml`;

export async function openApiAnswer(tree: ResourceTree): Promise<Answer> {
  return {
    status: 200,
    text: JSON.stringify(await openApi(tree)),
    contentType: 'application/yaml;charset=utf-8',
    headers: { Allow: 'GET, HEAD' },
  };
}

/** What can be asked of the service, for tools: each route with what its resources take, as their rules say it. */
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

/** What there is none of now is described by what all resources can. */
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

/** @param isWhole what is required has to be there */
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

/** The members that there are stand for what a parameter may be. */
function parametersOf(path: string, found: readonly Found[]): readonly JsonObject[] {
  return path.split('/').flatMap((segment, at) => {
    if (!segment.startsWith('{')) return [];
    const values = new Set(found.map(({ uri }) => decodeURIComponent(uri.split('/')[at] ?? '')));
    const schema = { type: 'string', ...(values.size > 0 && { examples: [...values] }) };
    return [{ name: segment.slice(1, -1), in: 'path', required: true, schema }];
  });
}
