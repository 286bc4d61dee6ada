import type { JsonObject } from '../../json.ts';
import type { Rule } from '../../rules.ts';

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
