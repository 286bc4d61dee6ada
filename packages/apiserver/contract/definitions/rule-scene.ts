import type { Http } from '../../../../test/harness/index.ts';
import { definitionScene, object } from '../../../../test/harness/scenes/definition-scene.ts';

const short = { type: 'string', maxLength: 20 };
const map = {
  type: 'array',
  maxItems: 5,
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['k'],
  items: object({ k: short, v: { type: 'integer' } }, { required: ['k'] }),
};
const fields = {
  s: short,
  i: { type: 'integer' },
  l: { type: 'array', items: { type: 'integer' }, maxItems: 5 },
  m: { type: 'object', additionalProperties: short, maxProperties: 5 },
  map,
  other_map: map,
  obj: object({ x: { type: 'integer' } }),
  any: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  nullable: { type: 'string', nullable: true, maxLength: 20 },
};
const AT = 'spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0]';

interface RuleScene {
  /** Where the API server says the rule is. */
  readonly place: string;
  /** What is wrong with a definition whose `spec` has the rule; none where nothing is. Nothing is stored. */
  readonly refusals: (rule: object) => Promise<string[]>;
  /** The same without the place, and without the value where that is the rule itself. */
  readonly problems: (rule: object | string) => Promise<string[]>;
}

/** A rule of `x-kubernetes-validations`, as an object or its text alone, on fields of many types: `s` is a string, `i` an integer. */
export function ruleScene(http: Http): RuleScene {
  const scene = definitionScene(http);
  const refusals = (rule: object): Promise<string[]> =>
    scene.refusals(scene.definition(object({ spec: object(fields, { 'x-kubernetes-validations': [rule] }) })));
  return {
    place: AT,
    refusals,
    problems: async (rule) => {
      const found = await refusals(typeof rule === 'string' ? { rule } : rule);
      // The names of types have a random part.
      return found.map((cause) =>
        cause
          .replaceAll(/selfType\d+/g, 'selfType')
          .replace(`${AT}.`, '')
          .replace(/^FieldValueInvalid rule: Invalid value: \{"Rule":.*"OptionalOldSelf":\w+\}: /, ''),
      );
    },
  };
}
