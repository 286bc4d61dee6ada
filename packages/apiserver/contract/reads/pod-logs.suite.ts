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

it('the length of a log is a number', async () => {
  expect(await log('one/log?tailLines=x')).toEqual(refusal(400, 'BadRequest'));
});
