import { beforeAll, describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';
import { refusal } from '../refusal.ts';

const { http, namespace } = await cluster();

let pods = '';

beforeAll(async () => {
  pods = `/api/v1/namespaces/${await namespace()}/pods`;
  const container = (name: string) => ({ name, image: 'i' });
  const make = async (name: string, spec: object) => {
    expect((await http('POST', pods, { body: { metadata: { name }, spec } })).status).toBe(201);
  };
  await make('one', { containers: [container('main')] });
  await make('two', { initContainers: [container('first')], containers: [container('main'), container('side')] });
});

const log = async (path: string) => {
  const { status, body } = await http('GET', `${pods}/${path}`);
  return { status, body };
};

describe('the log of a pod', () => {
  it('that no node has is empty, and has no type', async () => {
    const { status, headers, body } = await http('GET', `${pods}/one/log`);
    expect({ status, body, type: headers['content-type'] }).toEqual({ status: 204, body: undefined, type: undefined });
    expect((await log('one/log?follow=true&container=main')).status).toBe(204);
  });

  it('that is not there is not found', async () => {
    const details = { name: 'nope', kind: 'pods' };
    expect(await log('nope/log')).toEqual(refusal(404, 'NotFound', 'pods "nope" not found', details));
  });

  it('is of one container, which must be named where there are several', async () => {
    expect(await log('two/log')).toEqual(
      refusal(400, 'BadRequest', 'a container name must be specified for pod two, choose one of: [first main side]'),
    );
    expect((await log('two/log?container=first')).status).toBe(204);
    expect(await log('two/log?container=nope')).toEqual(
      refusal(400, 'BadRequest', 'container nope is not valid for pod two'),
    );
  });

  it('can only be read', async () => {
    expect((await http('POST', `${pods}/one/log`, { body: {} })).status).toBe(405);
  });
});

describe('what of a log is asked for', () => {
  it.each([
    ['tailLines=x', 'strconv.ParseInt: parsing "x": invalid syntax'],
    ['sinceTime=x', 'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"'],
  ])('must be parsable: %s', async (query, message) => {
    expect(await log(`one/log?${query}`)).toEqual(refusal(400, 'BadRequest', message));
  });

  const wrong = (field: string, value: number, text: string) => ({
    reason: 'FieldValueInvalid',
    message: `Invalid value: ${value}: ${text}`,
    field,
  });
  it.each([
    ['tailLines=-1', [wrong('tailLines', -1, 'must be greater than or equal to 0')]],
    [
      'tailLines=-1&limitBytes=0',
      [wrong('tailLines', -1, 'must be greater than or equal to 0'), wrong('limitBytes', 0, 'must be greater than 0')],
    ],
    ['sinceSeconds=0', [wrong('sinceSeconds', 0, 'must be greater than 0')]],
    [
      'sinceSeconds=1&sinceTime=2026-01-01T00:00:00Z',
      [
        {
          reason: 'FieldValueForbidden',
          message: 'Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified',
          field: '[]',
        },
      ],
    ],
    ['stream=Stdout', [{ reason: 'FieldValueForbidden', message: 'Forbidden: may not be specified', field: 'stream' }]],
  ])('must make sense: %s', async (query, causes) => {
    const sentences = causes.map(({ field, message }) => `${field}: ${message}`);
    const text = sentences.length === 1 ? sentences.join('') : `[${sentences.join(', ')}]`;
    const details = { name: 'nope', kind: 'PodLogOptions', causes };
    expect(await log(`nope/log?${query}`)).toEqual(
      refusal(422, 'Invalid', `PodLogOptions "nope" is invalid: ${text}`, details),
    );
  });
});
