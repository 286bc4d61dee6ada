import { describe, expect, it } from 'vitest';
import { checkAgainstSchema, needsSchemas, payloadAt } from '../../testing/index.ts';
import { accessRoutes } from '../index.ts';
import { AccessBench, ADDRESS } from '../testing/access-bench.ts';

const URIS = [
  ...['SessionService', 'SessionService/Sessions', 'SessionService/Sessions/1', 'SessionService/Sessions/2'],
  ...['AccountService', 'AccountService/Accounts', 'AccountService/Accounts/2', 'AccountService/Accounts/6'],
  ...['AccountService/Roles', 'AccountService/Roles/Administrator', 'AccountService/Roles/ReadOnly'],
];

it('is checked for resources that are there', async () => {
  const bench = new AccessBench();
  await bench.access.sessions.open(bench.account('admin'), ADDRESS);
  const payload = await payloadAt(accessRoutes(bench.context), '/redfish/v1/SessionService/Sessions/1');
  expect(payload).toMatchObject({ UserName: 'admin' });
});

describe('what sessions and accounts show', needsSchemas, () => {
  it.each(URIS)('keeps its schema: %s', async (path) => {
    const bench = new AccessBench();
    await bench.access.sessions.open(bench.account('admin'), ADDRESS);
    await bench.access.sessions.open(bench.account('reader'), ADDRESS, 'a note');
    const payload = await payloadAt(accessRoutes(bench.context), `/redfish/v1/${path}`);
    expect(payload).toBeDefined();
    expect(checkAgainstSchema(payload ?? {})).toEqual([]);
  });
});
