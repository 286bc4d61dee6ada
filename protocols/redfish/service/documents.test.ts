import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Resource } from '../resource.ts';
import { Served } from '../testing/served-things.ts';

const METADATA = '/redfish/v1/$metadata';

let served: Served;
let reads: number;
let things: string[];

beforeEach(async () => {
  reads = 0;
  things = [];
  const read = () => {
    reads += 1;
    return { Name: 'Things', Members: things.map((id) => ({ '@odata.id': `/redfish/v1/Things/${id}` })) };
  };
  const collection: Resource = { type: 'ThingCollection.ThingCollection', read };
  const thing: Resource = { type: 'Thing.v1_2_3.Thing', read: () => ({ Id: '1' }) };
  served = await Served.start([
    { path: '/redfish/v1/Things', find: () => collection },
    { path: '/redfish/v1/Things/{id}', find: ({ id = '' }) => (things.includes(id) ? thing : undefined) },
  ]);
});

afterEach(async () => {
  await served[Symbol.asyncDispose]();
});

async function ask(headers: Record<string, string> = {}) {
  return await served.ask(`GET ${METADATA}`, undefined, headers, '');
}

describe('the metadata document', () => {
  it('is built once for all requests', async () => {
    const replies = await Promise.all(Array.from({ length: 20 }, () => ask()));
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
    expect(replies[0]?.text).toContain('<edmx:Include Namespace="ThingCollection"/>');
    expect(reads).toBe(1);
    expect(served.asked).toBe(0);
  });

  it('has an ETag for conditional requests', async () => {
    const etag = (await ask()).headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[\w-]{22}"$/);
    expect(await ask({ 'If-None-Match': etag })).toMatchObject({ status: 304, text: '' });
    expect(await ask({ 'If-None-Match': '"another"' })).toMatchObject({ status: 200 });
  });

  it('includes a new schema after it was first seen', async () => {
    const before = await ask();
    expect(before.text).not.toContain('Thing.v1_2_3');
    things.push('1');
    expect((await served.ask('GET /redfish/v1/Things/1')).status).toBe(200);
    const after = await ask({ 'If-None-Match': before.headers.get('etag') ?? '' });
    expect(after.status).toBe(200);
    expect(after.text).toContain('<edmx:Include Namespace="Thing.v1_2_3"/>');
  });
});
