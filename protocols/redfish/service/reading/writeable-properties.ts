import type { JsonObject } from '../../json.ts';
import type { ObjectRule } from '../../rules.ts';
import { isObject } from '../bodies/index.ts';

/** Adds `@Redfish.WriteableProperties` to an object and its inner objects (spelling of DSP0266 §9.9.7). */
export function withWriteableProperties(properties: JsonObject, { properties: rules }: ObjectRule): JsonObject {
  const names = Object.keys(rules).filter((name) => !name.includes('@') && Object.hasOwn(properties, name));
  if (names.length === 0) return properties;
  const within = names.flatMap((name) => {
    const [rule, value] = [rules[name], properties[name]];
    return rule?.kind === 'object' && isObject(value) ? [[name, withWriteableProperties(value, rule)]] : [];
  });
  return {
    ...properties,
    ...(Object.fromEntries(within) as JsonObject),
    '@Redfish.WriteableProperties': names,
  };
}
