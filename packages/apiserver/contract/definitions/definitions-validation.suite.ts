import { describe, expect, it } from 'vitest';
import { cluster, eventually } from '../../../../test/harness/index.ts';
import {
  causes,
  definitionScene,
  DEFINITIONS,
  spec,
  type Definition,
} from '../../../../test/harness/scenes/definition-scene.ts';

const { http } = await cluster();
const { definition, define, change, refusals } = definitionScene(http);

const str = { type: 'string' };
const schema = { openAPIV3Schema: { type: 'object' } };

type Case = [label: string, change: Record<string, unknown>, causes: string[]];

describe('a definition with', () => {
  const version = (more: object) => ({ name: 'v1', served: true, storage: true, schema, ...more });
  const column = (more: object) => ({ versions: [version({ additionalPrinterColumns: [{ name: 'a', type: 'string', jsonPath: '.a', ...more }] })] }); // prettier-ignore
  const scale = (more: object) => ({ versions: [version({ subresources: { scale: { specReplicasPath: '.spec.a', statusReplicasPath: '.status.a', ...more } } })] }); // prettier-ignore
  const selectable = (...paths: string[]) => ({ versions: [version({ schema: { openAPIV3Schema: spec({ a: str, o: { type: 'object' }, l: { type: 'array', items: str } }) }, selectableFields: paths.map((jsonPath) => ({ jsonPath })) })] }); // prettier-ignore
  const cases: Case[] = [
    [
      'a group that is no domain',
      { group: 'NoDot' },
      [
        "FieldValueInvalid metadata.name: Invalid value: \"PLURAL.NoDot\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
        "FieldValueInvalid spec.group: Invalid value: \"NoDot\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      ],
    ],
    [
      'a group of Kubernetes without approval',
      { group: 'foo.k8s.io' },
      [
        'FieldValueRequired metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111',
      ],
    ],
    ['no scope', { scope: undefined }, ['FieldValueRequired spec.scope: Required value']],
    [
      'a scope that is none',
      { scope: 'Galaxy' },
      ['FieldValueNotSupported spec.scope: Unsupported value: "Galaxy": supported values: "Cluster", "Namespaced"'],
    ],
    [
      'names that are none',
      {
        names: {
          plural: 'as',
          kind: 'A_b',
          listKind: 'A_b',
          shortNames: ['X', 'ok'],
          categories: ['-'],
          singular: 'Q',
        },
      },
      [
        `FieldValueInvalid spec.names.categories[0]: Invalid value: "-": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')`,
        `FieldValueInvalid spec.names.kind: Invalid value: "A_b": may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')`,
        'FieldValueInvalid spec.names.listKind: Invalid value: "A_b": kind and listKind may not be the same',
        `FieldValueInvalid spec.names.listKind: Invalid value: "A_b": may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')`,
        `FieldValueInvalid spec.names.shortNames[0]: Invalid value: "X": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')`,
        `FieldValueInvalid spec.names.singular: Invalid value: "Q": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')`,
      ],
    ],
    [
      'no kind',
      { names: { plural: 'as' } },
      [
        'FieldValueRequired spec.names.kind: Required value',
        'FieldValueRequired spec.names.listKind: Required value',
        'FieldValueRequired spec.names.singular: Required value',
      ],
    ],
    [
      'a conversion strategy that is none',
      { conversion: { strategy: 'Foo' } },
      [
        'FieldValueNotSupported spec.conversion.strategy: Unsupported value: "Foo": supported values: "None", "Webhook"',
      ],
    ],
    [
      'a webhook that nobody asks',
      {
        conversion: {
          strategy: 'None',
          webhook: { clientConfig: { url: 'https://x' }, conversionReviewVersions: ['v1'] },
        },
      },
      [
        'FieldValueForbidden spec.conversion.conversionReviewVersions: Forbidden: should not be set when strategy is not set to Webhook',
        'FieldValueForbidden spec.conversion.webhookClientConfig: Forbidden: should not be set when strategy is not set to Webhook',
      ],
    ],
    [
      'fields that are not pruned',
      { preserveUnknownFields: true },
      [
        'FieldValueInvalid spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
      ],
    ],
    [
      'no versions',
      { versions: [] },
      [
        'FieldValueInvalid spec.versions: Invalid value: []: must have exactly one version marked as storage version',
        'FieldValueInvalid status.storedVersions: Invalid value: null: must have at least one stored version',
      ],
    ],
    [
      'no storage version',
      { versions: [version({ storage: false })] },
      [
        'FieldValueInvalid spec.versions: Invalid value: [{"Name":"v1","Served":true,"Storage":false,"Deprecated":false,"DeprecationWarning":null,"Schema":null,"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null}]: must have exactly one version marked as storage version',
        'FieldValueInvalid status.storedVersions: Invalid value: null: must have at least one stored version',
      ],
    ],
    [
      'two storage versions of one name',
      { versions: [version({}), version({})] },
      [
        'FieldValueInvalid spec.versions: Invalid value: [{"Name":"v1","Served":true,"Storage":true,"Deprecated":false,"DeprecationWarning":null,"Schema":null,"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null},{"Name":"v1","Served":true,"Storage":true,"Deprecated":false,"DeprecationWarning":null,"Schema":null,"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null}]: must contain unique version names',
        'FieldValueInvalid spec.versions: Invalid value: [{"Name":"v1","Served":true,"Storage":true,"Deprecated":false,"DeprecationWarning":null,"Schema":null,"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null},{"Name":"v1","Served":true,"Storage":true,"Deprecated":false,"DeprecationWarning":null,"Schema":null,"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null}]: must have exactly one version marked as storage version',
        'FieldValueInvalid status.storedVersions: Invalid value: ["v1"]: must have the storage version v1',
      ],
    ],
    ['no version that is served', { versions: [version({ served: false })] }, []],
    [
      'a version name that is none',
      { versions: [version({ name: 'V1' })] },
      [
        `FieldValueInvalid spec.version: Invalid value: "V1": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')`,
        `FieldValueInvalid spec.versions[0].name: Invalid value: "V1": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')`,
      ],
    ],
    [
      'no schema',
      { versions: [version({ schema: undefined })] },
      ['FieldValueRequired spec.versions[0].schema.openAPIV3Schema: Required value'],
    ],
    [
      'no schema in one version',
      { versions: [version({ schema: {} }), version({ name: 'v2', storage: false })] },
      ['FieldValueRequired spec.versions[0].schema.openAPIV3Schema: Required value'],
    ],
    [
      'warnings of what is not deprecated',
      { versions: [version({ deprecationWarning: 'x' })] },
      [
        'FieldValueInvalid spec.versions[0].deprecationWarning: Invalid value: "x": can only be set for deprecated versions',
      ],
    ],
    [
      'warnings that cannot be sent',
      {
        versions: [
          version({ deprecated: true, deprecationWarning: `a\nb${'x'.repeat(300)}` }),
          version({ name: 'v2', storage: false, deprecated: true, deprecationWarning: '' }),
        ],
      },
      [
        'FieldValueInvalid spec.versions[0].deprecationWarning: Invalid value: "a\\nbxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx": must be <= 256 characters long',
        'FieldValueInvalid spec.versions[0].deprecationWarning: Invalid value: "a\\nbxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx": must only contain printable UTF-8 characters; non-printable character found at index 1',
        'FieldValueInvalid spec.versions[1].deprecationWarning: Invalid value: "": must not be an empty string',
      ],
    ],
    [
      'a column without anything',
      column({ name: '', type: '', jsonPath: '' }),
      [
        'FieldValueRequired spec.additionalPrinterColumns[0].JSONPath: Required value',
        'FieldValueRequired spec.additionalPrinterColumns[0].name: Required value',
        'FieldValueRequired spec.additionalPrinterColumns[0].type: Required value: must be one of boolean,date,integer,number,string',
      ],
    ],
    [
      'a column of a type and format that are none',
      column({ type: 'foo', format: 'bar', jsonPath: 'x' }),
      [
        'FieldValueInvalid spec.additionalPrinterColumns[0].JSONPath: Invalid value: "x": must be a simple json path starting with .',
        'FieldValueInvalid spec.additionalPrinterColumns[0].format: Invalid value: "bar": must be one of byte,date,date-time,double,float,int32,int64,password',
        'FieldValueInvalid spec.additionalPrinterColumns[0].type: Invalid value: "foo": must be one of boolean,date,integer,number,string',
      ],
    ],
    [
      'paths of scale that are none',
      scale({ specReplicasPath: 'x', statusReplicasPath: '.spec.x', labelSelectorPath: '.foo' }),
      [
        'FieldValueInvalid spec.subresources.scale.labelSelectorPath: Invalid value: ".foo": should be a json path under either .spec or .status',
        'FieldValueInvalid spec.subresources.scale.specReplicasPath: Invalid value: "x": must be a simple json path starting with .',
        'FieldValueInvalid spec.subresources.scale.statusReplicasPath: Invalid value: ".spec.x": should be a json path under .status',
      ],
    ],
    [
      'no paths of scale',
      scale({ specReplicasPath: '', statusReplicasPath: '' }),
      [
        'FieldValueRequired spec.subresources.scale.specReplicasPath: Required value',
        'FieldValueRequired spec.subresources.scale.statusReplicasPath: Required value',
      ],
    ],
    ['selectable fields', selectable('.spec.a'), []],
    [
      'selectable fields that are none',
      selectable('.spec.a', '.spec.a', '.spec.b', 'spec.a', '.spec.o', '.metadata.name', '', '.spec.l[0]'),
      [
        'FieldValueDuplicate spec.selectableFields[1].jsonPath: Duplicate value: ".spec.a"',
        'FieldValueInvalid spec.selectableFields[2].jsonPath: Invalid value: ".spec.b": is an invalid path: does not refer to a valid field',
        'FieldValueInvalid spec.selectableFields[3].jsonPath: Invalid value: "spec.a": is an invalid path: expected [ or . but got: spec',
        'FieldValueInvalid spec.selectableFields[4].jsonPath: Invalid value: ".spec.o": must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
        'FieldValueInvalid spec.selectableFields[5].jsonPath: Invalid value: ".metadata.name": is an invalid path: does not refer to a valid field',
        'FieldValueInvalid spec.selectableFields[7].jsonPath: Invalid value: ".spec.l[0]": is an invalid path: array notation is not allowed',
        'FieldValueRequired spec.selectableFields[6].jsonPath: Required value',
      ],
    ],
    [
      'more selectable fields than there can be',
      selectable(...Array.from({ length: 9 }, (_, index) => `.spec.x${index}`)),
      [
        'FieldValueInvalid spec.selectableFields[0].jsonPath: Invalid value: ".spec.x0": is an invalid path: does not refer to a valid field',
        'FieldValueInvalid spec.selectableFields[1].jsonPath: Invalid value: ".spec.x1": is an invalid path: does not refer to a valid field',
        'FieldValueInvalid spec.selectableFields[2].jsonPath: Invalid value: ".spec.x2": is an invalid path: does not refer to a valid field',
        'FieldValueInvalid spec.selectableFields[3].jsonPath: Invalid value: ".spec.x3": is an invalid path: does not refer to a valid field',
        'FieldValueInvalid spec.selectableFields[4].jsonPath: Invalid value: ".spec.x4": is an invalid path: does not refer to a valid field',
        'FieldValueInvalid spec.selectableFields[5].jsonPath: Invalid value: ".spec.x5": is an invalid path: does not refer to a valid field',
        'FieldValueInvalid spec.selectableFields[6].jsonPath: Invalid value: ".spec.x6": is an invalid path: does not refer to a valid field',
        'FieldValueInvalid spec.selectableFields[7].jsonPath: Invalid value: ".spec.x7": is an invalid path: does not refer to a valid field',
        'FieldValueInvalid spec.selectableFields[8].jsonPath: Invalid value: ".spec.x8": is an invalid path: does not refer to a valid field',
      ],
    ],
  ];
  it.each(cases)('%s', async (_, more, expected) => {
    const made = definition({ type: 'object' }, { spec: more });
    const { plural } = made.spec.names;
    const found = await refusals({ ...made, metadata: { name: `${plural}.${made.spec.group}` } });
    expect(found.map((cause) => cause.replaceAll(`${plural}.`, 'PLURAL.'))).toEqual(expected);
  });

  it('a name that is not made of its names', async () => {
    const made = definition({ type: 'object' });
    const { group } = made.spec;
    expect(await refusals({ ...made, metadata: { name: `others.${group}` } })).toEqual([
      `FieldValueInvalid metadata.name: Invalid value: "others.${group}": must be spec.names.plural+"."+spec.group`,
    ]);
  });
});

describe('a change', () => {
  const immutable: [string, object, (made: Definition) => string][] = [
    [
      'scope',
      { scope: 'Namespaced' },
      () => 'FieldValueInvalid spec.scope: Invalid value: "Namespaced": field is immutable',
    ],
    [
      'group',
      { group: 'else.test.io' },
      () => 'FieldValueInvalid spec.group: Invalid value: "else.test.io": field is immutable',
    ],
    [
      'plural',
      { names: { plural: 'elses' } },
      () => 'FieldValueInvalid spec.names.plural: Invalid value: "elses": field is immutable',
    ],
  ];
  it.each(immutable)('of the %s of what is established is refused', async (_, more, problem) => {
    const { definition: made } = await define({ type: 'object' });
    expect(causes(await change(made, more as Record<string, unknown>))).toContain(problem(made));
  });

  it('of the kind is one of names, which are accepted anew', async () => {
    const { definition: made, path } = await define({ type: 'object' });
    const names = { ...made.spec.names, kind: 'Renamed', listKind: 'RenamedList' };
    expect(causes(await change(made, { names }))).toEqual([
      `FieldValueInvalid spec.names.kind: Invalid value: "Renamed": field is immutable`,
    ]);
    expect((await http('GET', path)).status).toBe(200);
  });

  it('that takes the storage version away is refused', async () => {
    const { definition: made } = await define({ type: 'object' });
    const versions = [{ name: 'v2', served: true, storage: true, schema }];
    expect(causes(await change(made, { versions }))).toEqual([
      'FieldValueInvalid status.storedVersions[0]: Invalid value: "v1": missing from spec.versions; v1 was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in v1 and removes v1 from status.storedVersions',
    ]);
  });
});

describe('an approved group', () => {
  it.each([
    [
      'https://github.com/kubernetes/enhancements/pull/1111',
      'True',
      'ApprovedAnnotation',
      'approved in https://github.com/kubernetes/enhancements/pull/1111',
    ],
    ['unapproved, experimental-only', 'False', 'UnapprovedAnnotation', 'not approved: "unapproved, experimental-only"'],
  ])('is told of as such: %s', async (annotation, status, reason, message) => {
    const made = definition({ type: 'object' });
    const group = made.spec.group.replace('test.io', 'k8s.io');
    const body = {
      metadata: {
        name: `${made.spec.names.plural}.${group}`,
        annotations: { 'api-approved.kubernetes.io': annotation },
      },
      spec: { ...made.spec, group },
    };
    const path = `${DEFINITIONS}/${body.metadata.name}`;
    expect((await http('POST', DEFINITIONS, { body })).status).toBe(201);
    await eventually(async () => {
      expect(await http('GET', path)).toMatchObject({
        body: {
          status: {
            conditions: expect.arrayContaining([
              expect.objectContaining({ type: 'KubernetesAPIApprovalPolicyConformant', status, reason, message }),
            ]) as unknown,
          },
        },
      });
    });
    expect((await http('DELETE', path)).status).toBe(200);
  });
});
