import { beforeAll, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';
import { BAD_REQUEST, NOT_FOUND } from '../refusal.ts';

const { http, namespace } = await cluster();

let pods = '';
beforeAll(async () => {
  pods = `/api/v1/namespaces/${await namespace()}/pods`;
  const container = (name: string) => ({ name, image: 'i' });
  const two = { initContainers: [container('first')], containers: [container('main'), container('side')] };
  for (const [name, spec] of Object.entries({ one: { containers: [container('main')] }, two }))
    expect((await http('POST', pods, { body: { metadata: { name }, spec } })).status).toBe(201);
});

it.each<[string, string, object]>([
  ['is empty without a node', 'one/log', { status: 204, body: undefined }],
  ['is empty without a node, also with follow', 'one/log?follow=true&container=main', { status: 204 }],
  ['is not found without the Pod', 'nope/log', NOT_FOUND],
  ['needs the name of the container if there are several', 'two/log', BAD_REQUEST],
  ['can be of an init container', 'two/log?container=first', { status: 204 }],
  ['is refused for an unknown container', 'two/log?container=nope', BAD_REQUEST],
  ['is refused if tailLines is not a number', 'one/log?tailLines=x', BAD_REQUEST],
])('the log of a Pod %s', async (_what, path, expected) => {
  expect(await http('GET', `${pods}/${path}`)).toMatchObject(expected);
});

it('the log of a Pod can only be read', async () => {
  expect((await http('POST', `${pods}/one/log`, { body: {} })).status).toBe(405);
});
