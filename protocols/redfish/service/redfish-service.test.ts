import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../json.ts';
import { askAt, checkAgainstSchema, needsSchemas, selfSigned } from '../testing/index.ts';
import { basic, OWNER, serveForEach } from '../testing/served-bmc.ts';

const served = serveForEach();
const { ask } = served;

/** All links of a payload within the service. */
function linksOf(value: Json | undefined): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]: [string, Json | undefined]) => {
    const isLink = name === '@odata.id' || name === '@Redfish.ActionInfo' || name === 'Uri';
    if (!isLink || typeof inner !== 'string') return linksOf(inner);
    return [inner.split('#')[0] ?? ''];
  });
}

/** All payloads, found by their links. */
async function crawl(): Promise<Map<string, JsonObject>> {
  const payloads = new Map<string, JsonObject>();
  const open = ['/redfish/v1/'];
  for (let uri = open.pop(); uri !== undefined && payloads.size < 500; uri = open.pop()) {
    if (payloads.has(uri)) continue;
    const { status, headers, json } = await askAt(served.url, `GET ${uri}`, undefined, basic());
    expect({ uri, status, id: json['@odata.id'] }).toEqual({ uri, status: 200, id: uri });
    expect(json['@odata.etag'] ?? null).toBe(headers.get('etag'));
    payloads.set(uri, json);
    open.push(...linksOf(json));
  }
  return payloads;
}

/** Gives the BMC at least one member of each collection, and each property that depends on its state. */
async function fill(): Promise<void> {
  const { bmc } = served;
  const { cert } = await selfSigned('bmc');
  bmc.certificates = [cert];
  bmc.network = { ...bmc.network, fqdn: 'bmc.example', addresses: ['192.0.2.9', '2001:db8::9'], ipmiPort: 623 };
  bmc.machine.state = 'On';
  bmc.machine.policy = 'Previous';
  bmc.machine.poweredOn = bmc.time;
  bmc.machine.readings = [
    { number: 1, name: 'Power', source: 'it', reading: { kind: 'States', type: 34, possible: [0], states: [0] } },
    {
      number: 6,
      name: 'CPU',
      source: 'it',
      reading: { kind: 'Number', unit: 'Percent', min: 0, max: 100, value: 12.3 },
    },
    {
      number: 7,
      name: 'RAM',
      source: 'it',
      reading: { kind: 'Number', unit: 'MiB', min: 0, max: 100, value: undefined },
    },
  ];
  const Image = 'https://images.example/boot.iso';
  const made = [
    await ask('POST /redfish/v1/SessionService/Sessions', { UserName: OWNER.username, Password: OWNER.password }),
    await ask('POST /redfish/v1/EventService/Subscriptions', {
      ...{ Destination: 'https://listener.invalid/', Protocol: 'Redfish' },
      ...{ RegistryPrefixes: ['Groundcrew'], ResourceTypes: ['ComputerSystem'] },
    }),
    await ask('POST /redfish/v1/Systems/1/VirtualMedia/Cd/Actions/VirtualMedia.InsertMedia', { Image, UserName: 'a' }),
  ];
  expect(made.map(({ status }) => status)).toEqual([201, 201, 204]);
}

describe('the whole service', () => {
  it('has every linked resource, with the requested URI', async () => {
    await fill();
    const uris = [...(await crawl()).keys()];
    expect(uris.length).toBeGreaterThan(100);
    expect(uris).toEqual(
      expect.arrayContaining(['/redfish/v1/TaskService/Tasks/i1', '/redfish/v1/Chassis/1/Sensors/6']),
    );
  });

  it.each([
    ['without deprecated properties', false],
    ['with deprecated properties', true],
  ])('conforms to its schemas %s', needsSchemas, async (_what, legacy) => {
    await fill();
    served.bmc.legacyProperties = legacy;
    const problems = [...(await crawl())].flatMap(([uri, json]) =>
      checkAgainstSchema(json, { legacy }).map((problem) => `${uri}: ${problem}`),
    );
    expect(problems).toEqual([]);
  });

  it('sends events about changes', async () => {
    const stream = await fetch(`${served.url}/redfish/v1/EventService/SSE`, { headers: basic() });
    const reader = stream.body?.getReader();
    await ask('PATCH /redfish/v1/Systems/1', { AssetTag: 'shelf 7' });
    let text = '';
    for (let chunks = 0; chunks < 10 && !text.includes('ResourceChanged'); chunks++) {
      text += Buffer.from((await reader?.read())?.value ?? []).toString();
    }
    expect(text).toContain('/redfish/v1/Systems/1');
    await reader?.cancel();
  });
});
