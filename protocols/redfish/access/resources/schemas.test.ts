import { describe, expect, it } from 'vitest';
import { checkAgainstSchema, needsSchemas, payloadAt } from '../../testing/index.ts';
import { accessRoutes } from '../index.ts';
import { AccessBench, ADDRESS } from '../testing/access-bench.ts';

const URIS = [
  ...['SessionService', 'SessionService/Sessions', 'SessionService/Sessions/1', 'SessionService/Sessions/2'],
  ...['AccountService', 'AccountService/Accounts', 'AccountService/Accounts/2', 'AccountService/Accounts/6'],
  ...['AccountService/Roles', 'AccountService/Roles/Administrator', 'AccountService/Roles/ReadOnly'],
];

it('checks existing resources', async () => {
  const bench = new AccessBench();
  await bench.access.sessions.open(bench.account('admin'), ADDRESS);
  const payload = await payloadAt(accessRoutes(bench.context), '/redfish/v1/SessionService/Sessions/1');
  expect(payload).toMatchObject({ UserName: 'admin' });
});

describe('sessions and accounts', needsSchemas, () => {
  it.each(URIS)('conform to the schema: %s', async (path) => {
    const bench = new AccessBench();
    await bench.access.sessions.open(bench.account('admin'), ADDRESS);
    await bench.access.sessions.open(bench.account('reader'), ADDRESS, 'a note');
    const payload = await payloadAt(accessRoutes(bench.context), `/redfish/v1/${path}`);
    expect(payload).toBeDefined();
    expect(checkAgainstSchema(payload ?? {})).toEqual([]);
  });
});
