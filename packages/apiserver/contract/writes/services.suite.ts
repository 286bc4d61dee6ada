import { describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';
import { MERGE, writeScene, type Body } from './write-scene.ts';

const harness = await cluster();
const { http } = harness;
const { within, make, get, put, patch, unique } = writeScene(harness);

const dry = async (spec: object) =>
  await http('POST', `${within('services')}?dryRun=All`, { body: { metadata: { name: 's' }, spec } });
const PORT = { port: 80, protocol: 'TCP', targetPort: 80 };
const INTERNAL = { sessionAffinity: 'None', internalTrafficPolicy: 'Cluster' };
const SINGLE = { ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' };
const NONE = { clusterIP: 'None', clusterIPs: ['None'] };

describe('a Service', () => {
  it('gets an address, and says all that it does not', async () => {
    const { spec, status } = await make(within('services'), {
      metadata: { name: unique() },
      spec: { selector: { a: 'b' }, ports: [{ port: 80 }] },
    });
    const address = spec?.['clusterIP'];
    expect(address).toMatch(/^\d+\.\d+\.\d+\.\d+$/);
    expect(spec).toEqual({
      type: 'ClusterIP',
      selector: { a: 'b' },
      ports: [PORT],
      clusterIP: address,
      clusterIPs: [address],
      ...INTERNAL,
      ...SINGLE,
    });
    expect(status).toEqual({ loadBalancer: {} });
  });

  it.each<[string, object, object]>([
    [
      'without an address',
      { clusterIP: 'None', selector: { a: 'b' }, ports: [{ port: 80 }] },
      { type: 'ClusterIP', ...NONE, selector: { a: 'b' }, ports: [PORT], ...INTERNAL, ...SINGLE },
    ],
    [
      'without an address and a selector',
      { clusterIP: 'None' },
      { type: 'ClusterIP', ...NONE, ...INTERNAL, ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy: 'RequireDualStack' },
    ],
    [
      'that is a name',
      { type: 'ExternalName', externalName: 'a.b.c' },
      { type: 'ExternalName', externalName: 'a.b.c', sessionAffinity: 'None' },
    ],
    [
      'whose port has a name elsewhere',
      {
        clusterIP: 'None',
        selector: { a: 'b' },
        ports: [{ port: 623, protocol: 'UDP', targetPort: 'ipmi', name: 'bmc' }],
      },
      {
        type: 'ClusterIP',
        ...NONE,
        selector: { a: 'b' },
        ports: [{ port: 623, protocol: 'UDP', targetPort: 'ipmi', name: 'bmc' }],
        ...INTERNAL,
        ...SINGLE,
      },
    ],
    [
      'that knows its clients',
      { clusterIP: 'None', selector: { a: 'b' }, sessionAffinity: 'ClientIP', ports: [{ port: 80 }] },
      {
        type: 'ClusterIP',
        ...NONE,
        selector: { a: 'b' },
        ports: [PORT],
        ...INTERNAL,
        ...SINGLE,
        sessionAffinity: 'ClientIP',
        sessionAffinityConfig: { clientIP: { timeoutSeconds: 10800 } },
      },
    ],
  ])('%s', async (_what, spec, whole) => {
    const { status, body } = await dry(spec);
    expect(status).toBe(201);
    expect((body as Body).spec).toEqual(whole);
  });

  it.each<[object, string]>([
    [
      { ports: [{ port: 80 }], ipFamilies: ['IPv6'] },
      'spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster',
    ],
    [
      { ports: [{ port: 80 }], ipFamilyPolicy: 'RequireDualStack' },
      'spec.ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services',
    ],
  ])('is refused: %j', async (spec, problem) => {
    expect(await dry(spec)).toMatchObject({
      status: 422,
      body: { reason: 'Invalid', message: `Service "s" is invalid: ${problem}` },
    });
  });
});

describe('an address', () => {
  it('is one Service’s', async () => {
    const [one, two] = [unique(), unique()];
    const spec = { ports: [{ port: 80 }] };
    const { spec: given } = await make(within('services'), { metadata: { name: one }, spec });
    const clusterIP = String(given?.['clusterIP']);
    const taken = await http('POST', within('services'), {
      body: { metadata: { name: two }, spec: { ...spec, clusterIP } },
    });
    expect(taken).toMatchObject({
      status: 422,
      body: {
        message: `Service "${two}" is invalid: spec.clusterIPs: Invalid value: ["${clusterIP}"]: failed to allocate IP ${clusterIP}: provided IP is already allocated`,
      },
    });
  });

  it('is kept by a PUT that does not say it', async () => {
    const name = unique();
    const spec = { selector: { a: 'b' }, ports: [{ port: 80 }] };
    const before = await make(within('services'), { metadata: { name }, spec });
    const { body } = await put(`${within('services')}/${name}`, {
      metadata: { name },
      spec: { ...spec, selector: { a: 'c' } },
    });
    expect((body as Body).spec).toEqual({ ...before.spec, selector: { a: 'c' } });
  });
});

describe('node ports', () => {
  it('are given out and kept, and go with the type', async () => {
    const name = unique();
    const path = `${within('services')}/${name}`;
    const spec = { type: 'NodePort', ports: [{ port: 80 }] };
    const { spec: given } = await make(within('services'), { metadata: { name }, spec });
    expect(given).toMatchObject({
      externalTrafficPolicy: 'Cluster',
      ports: [{ nodePort: expect.any(Number) as number }],
    });
    const { body } = await put(path, { metadata: { name }, spec: { ...spec, selector: { a: 'b' } } });
    expect((body as Body).spec?.['ports']).toEqual(given?.['ports']);
    await patch(MERGE, path, { spec: { type: 'ClusterIP' } });
    const { spec: inside } = await get(path);
    expect(inside?.['ports']).toEqual([PORT]);
    expect(inside).not.toHaveProperty('externalTrafficPolicy');
    await patch(MERGE, path, { spec: { type: 'ExternalName', externalName: 'x.y' } });
    const { spec: outside } = await get(path);
    expect(outside).not.toHaveProperty('clusterIP');
    expect(outside).not.toHaveProperty('internalTrafficPolicy');
  });
});
