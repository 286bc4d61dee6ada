import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { memoryAccount } from '../../../testing/index.ts';
import { callerKey } from '../exchange/index.ts';
import { Served } from '../testing/serve.ts';

let served: Served;
let reading: number;
let most: number;
let goOn: PromiseWithResolvers<undefined>;

beforeEach(async () => {
  reading = 0;
  most = 0;
  goOn = Promise.withResolvers<undefined>();
  const collection = {
    type: 'ThingCollection.ThingCollection',
    read: () => ({ Name: 'Things', Members: [{ '@odata.id': '/redfish/v1/Things/1' }] }),
  };
  const thing = {
    type: 'Thing.v1_2_3.Thing',
    read: async () => {
      reading += 1;
      most = Math.max(most, reading);
      await goOn.promise;
      reading -= 1;
      return { Id: '1', Name: 'One' };
    },
  };
  served = await Served.start([
    { path: '/redfish/v1/Things', find: () => collection },
    { path: '/redfish/v1/Things/1', find: () => thing },
  ]);
});

afterEach(async () => {
  await served[Symbol.asyncDispose]();
});

describe('queries that read other resources', () => {
  it('run one by one and are refused above the limit, while other requests are served', async () => {
    const queries = ['$expand=.', "$filter=Name eq 'One'"].map(encodeURI);
    const asked = Array.from({ length: 60 }, (_, i) => served.ask(`GET /redfish/v1/Things?${queries[i % 2] ?? ''}`));
    const refused = Promise.race(
      asked.map(async (one) => {
        const reply = await one;
        return reply.status === 503 ? reply : await new Promise<never>(() => undefined);
      }),
    );
    expect((await refused).headers.get('retry-after')).toBe('2');
    expect((await served.ask('GET /redfish/v1/Things')).status).toBe(200);
    expect((await served.ask('GET /redfish/v1/Things?$select=Name')).status).toBe(200);
    goOn.resolve(undefined);
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200, 503]));
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(24);
    expect(most).toBe(1);
  });
});

describe('unauthenticated clients', () => {
  it('share the limit of one caller across addresses', () => {
    const account = memoryAccount(0, { username: '', password: '', role: 'NoAccess' });
    const keys = ['2001:db8::1', '2001:db8::2'].map((address) =>
      callerKey({ account, requester: { protocol: 'Redfish', user: '', address } }),
    );
    expect(new Set(keys).size).toBe(1);
  });
});
