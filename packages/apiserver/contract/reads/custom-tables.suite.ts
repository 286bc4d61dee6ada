import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cluster, eventually } from '../../../../test/harness/index.ts';
import { cells, columns, tableScene } from './table-scene.ts';

const { http, namespace } = await cluster();
const { table, create } = tableScene(http);

describe('the table of a custom resource', () => {
  const group = `t${randomBytes(4).toString('hex')}.example.com`;
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const gadgets = () => `/apis/${group}/v1/namespaces/${where}/gadgets`;
  const columnsOf = {
    v1: [
      { name: 'Colour', type: 'string', jsonPath: '.spec.colour', description: 'What it looks like.' },
      { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
      { name: 'Share', type: 'number', jsonPath: '.spec.share', format: 'double' },
      { name: 'Big', type: 'boolean', jsonPath: '.spec.big' },
      { name: 'Parts', type: 'string', jsonPath: '.spec.parts[*].name' },
      { name: 'All', type: 'string', jsonPath: '.spec.parts' },
      { name: 'Ready', type: 'string', jsonPath: `.spec.parts[?(@.name=="b")].state`, priority: 1 },
      { name: 'Since', type: 'date', jsonPath: '.metadata.creationTimestamp' },
    ],
    v2: [],
  };

  let where = '';
  beforeAll(async () => {
    where = await namespace();
    const version = (name: 'v1' | 'v2', storage: boolean) => ({
      name,
      served: true,
      storage,
      schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      additionalPrinterColumns: columnsOf[name],
    });
    const names = { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' };
    const spec = { group, scope: 'Namespaced', names, versions: [version('v1', true), version('v2', false)] };
    await create(definitions, { metadata: { name: `gadgets.${group}` }, spec });
    await eventually(async () => {
      expect((await http('GET', gadgets())).status).toBe(200);
    });
    const body = (name: string, more: object) => ({
      apiVersion: `${group}/v1`,
      kind: 'Gadget',
      metadata: { name },
      spec: more,
    });
    const parts = [
      { name: 'a', state: 'on' },
      { name: 'b', state: 'off' },
    ];
    // The first object after a definition takes two seconds.
    await create(gadgets(), body('full', { colour: 'red', size: 3, share: 0.5, big: true, parts }));
    await create(gadgets(), body('odd', { colour: 7, size: 'big', share: 'half', big: 'yes', parts: [] }));
  });
  afterAll(async () => {
    await http('DELETE', `${definitions}/gadgets.${group}`);
  });

  it('has the columns that its definition names', async () => {
    const found = await table(gadgets());
    expect(columns(found)).toEqual([
      'Name string/name',
      'Colour string',
      'Size integer',
      'Share number/double',
      'Big boolean',
      'Parts string',
      'All string',
      '(Ready string)',
      'Since date',
    ]);
    expect(found.columnDefinitions?.slice(0, 3).map(({ description }) => description)).toEqual([
      expect.any(String),
      'What it looks like.',
      'Custom resource definition column (in JSONPath format): .spec.size',
    ]);
    expect(cells(found)).toEqual([
      ['full', 'red', 3, 0.5, true, 'a', '[{"name":"a","state":"on"},{"name":"b","state":"off"}]', 'off', 'AGE'],
      ['odd', '7', null, null, null, null, '[]', null, 'AGE'],
    ]);
    expect(found.metadata).toEqual({ resourceVersion: expect.any(String) as string });
  });

  it('has its age where the version names none', async () => {
    const found = await table(gadgets().replace('/v1/', '/v2/'));
    expect(columns(found)).toEqual(['Name string/name', 'Age date']);
    expect(cells(found)).toEqual([
      ['full', 'AGE'],
      ['odd', 'AGE'],
    ]);
  });
});
