import type { Json, JsonObject } from '../json.ts';
import type { Action, Resource } from '../resource.ts';
import type { Rule } from '../rules.ts';

/** URI of an action's ActionInfo: `/redfish/v1/Systems/1/ResetActionInfo`. Undefined: the action has no parameters. */
export function actionInfoUri(owner: string, action: Action): string | undefined {
  return Object.keys(action.rules.properties).length === 0 ? undefined : `${owner}/${shortName(action)}ActionInfo`;
}

/** Describes the parameters of an action. */
export function actionInfo(action: Action): Resource {
  const name = shortName(action);
  return {
    type: 'ActionInfo.v1_5_0.ActionInfo',
    read: () => ({
      Id: `${name}ActionInfo`,
      Name: `Parameters of ${name}`,
      Parameters: Object.entries(action.rules.properties).map(([parameter, rule]) => describe(parameter, rule)),
    }),
  };
}

/** The object `Actions` of a resource: targets and parameters. */
export function actionsOf(uri: string, actions: readonly Action[]): JsonObject {
  return Object.fromEntries(actions.map((action) => [`#${action.name}`, entry(uri, action)]));
}

function entry(uri: string, action: Action): JsonObject {
  const info = actionInfoUri(uri, action);
  return {
    target: `${uri}/Actions/${action.name}`,
    ...(info !== undefined && { '@Redfish.ActionInfo': info }),
    ...Object.fromEntries(
      Object.entries(action.rules.properties).flatMap(([name, rule]) => {
        const words = allowableValues(rule);
        return words === undefined ? [] : [[`${name}@Redfish.AllowableValues`, words]];
      }),
    ),
  };
}

function describe(name: string, rule: Rule): JsonObject {
  const words = allowableValues(rule);
  return {
    Name: name,
    Required: rule.isRequired === true,
    DataType: dataType(rule),
    ...(words !== undefined && { AllowableValues: words }),
    ...(rule.kind === 'number' && { MinimumValue: rule.least, MaximumValue: rule.most }),
    ...(rule.kind === 'list' && { ArraySizeMaximum: rule.maxItems }),
  };
}

function allowableValues(rule: Rule): readonly Json[] | undefined {
  if (rule.kind === 'list') return allowableValues(rule.items);
  return rule.kind === 'word' ? rule.words : undefined;
}

const DATA_TYPES = { text: 'String', word: 'String', number: 'Number', flag: 'Boolean', object: 'Object' } as const;

/** Nested lists have no data type in the schema. */
function dataType(rule: Rule): string {
  if (rule.kind !== 'list') return DATA_TYPES[rule.kind];
  return rule.items.kind === 'list' ? 'ObjectArray' : `${DATA_TYPES[rule.items.kind]}Array`;
}

function shortName({ name }: Action): string {
  return name.slice(name.indexOf('.') + 1);
}
