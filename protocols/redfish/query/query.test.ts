import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RedfishError } from '../messages.ts';
import type { JsonObject } from '../json.ts';
import { MAX_EXPANDED } from './expand-links.ts';
import { applyQuery } from './apply-query.ts';
import { parseQuery } from './parse-query.ts';

const ROOT = '/redfish/v1';

/** A small tree of resources with circular links. */
function tree(drives = 4): Map<string, JsonObject> {
  const link = (uri: string): JsonObject => ({ '@odata.id': uri });
  const resources: JsonObject[] = [
    {
      '@odata.id': `${ROOT}/Systems`,
      '@odata.type': '#ComputerSystemCollection.ComputerSystemCollection',
      Name: 'Systems',
      Members: [link(`${ROOT}/Systems/1`)],
      'Members@odata.count': 1,
    },
    {
      '@odata.id': `${ROOT}/Systems/1`,
      '@odata.type': '#ComputerSystem.v1_27_0.ComputerSystem',
      '@odata.etag': 'W/"1"',
      Id: '1',
      Name: 'testvm',
      Status: { State: 'Enabled', Health: 'OK' },
      Boot: { BootOrder: ['1', '2'], 'BootOrder@Redfish.AllowableValues': ['1', '2'] },
      Drives: link(`${ROOT}/Drives`),
      Missing: link(`${ROOT}/Missing`),
      Links: { Chassis: [link(`${ROOT}/Chassis/1`)] },
    },
    {
      '@odata.id': `${ROOT}/Chassis/1`,
      Id: '1',
      Links: { ComputerSystems: [link(`${ROOT}/Systems/1`)] },
    },
    {
      '@odata.id': `${ROOT}/Drives`,
      Name: 'Drives',
      Members: Array.from({ length: drives }, (_none, n) => link(`${ROOT}/Drives/${n}`)),
      'Members@odata.count': drives,
    },
    ...Array.from({ length: drives }, (_none, n) => ({
      '@odata.id': `${ROOT}/Drives/${n}`,
      Id: `${n}`,
      Name: n === 1 ? "the owner's" : `disk ${n}`,
      CapacityBytes: n * 10,
      Revision: n === 2 ? null : 'A',
      WriteCacheEnabled: n % 2 === 0,
      Status: { Health: n === 3 ? 'Critical' : 'OK' },
      Addresses: [{ Port: n }, { Port: 100 + n }],
    })),
  ];
  return new Map(resources.map((resource) => [resource['@odata.id'] as string, resource]));
}

async function get(uri: string, search: string, resources = tree()): Promise<JsonObject> {
  const payload = resources.get(`${ROOT}${uri}`) ?? {};
  const query = parseQuery(search);
  if (query === undefined) return payload;
  return applyQuery(query, payload, { uri: `${ROOT}${uri}`, read: (other) => resources.get(other) });
}

/** IDs of the drives that match `filter`. */
async function drivesWhere(filter: string): Promise<string> {
  const { Members } = await get('/Drives', `$filter=${encodeURIComponent(filter)}`);
  return (Members as JsonObject[]).map((member) => (member['@odata.id'] as string).split('/').at(-1)).join(' ');
}

async function refusal(uri: string, search: string): Promise<string> {
  const error: unknown = await get(uri, search).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof RedfishError)) return 'none';
  return `${error.status} ${error.messages[0]?.MessageId.split('.').at(-1) ?? ''}`;
}

describe('query parameters', () => {
  it('ignores unknown ones that do not begin with $', () => {
    expect(parseQuery('')).toBeUndefined();
    expect(parseQuery('foo&excerpt=1&Only')).toBeUndefined();
  });

  it.each([
    ['$count=true', '501 QueryParameterUnsupported'],
    ['$', '501 QueryParameterUnsupported'],
    ['$top=1&$top=2', '400 QueryCombinationInvalid'],
    ['only&$select=Name', '400 QueryCombinationInvalid'],
    ['only=x', '400 QueryParameterValueFormatError'],
    ['$top=many', '400 QueryParameterValueFormatError'],
    ['$skip=', '400 QueryParameterValueFormatError'],
    ['$top=-1', '400 QueryParameterOutOfRange'],
  ])('refuses %s', async (search, expected) => {
    expect(await refusal('/Drives', search)).toBe(expected);
  });
});

describe('only', () => {
  it('answers the single member of a collection', async () => {
    expect(await get('/Systems', 'only')).toMatchObject({ Id: '1', Name: 'testvm' });
    expect(await get('/Systems', 'only=')).toMatchObject({ Id: '1' });
  });

  it('answers the collection if it has no member, several, or an unreadable one', async () => {
    expect(await get('/Drives', 'only')).toMatchObject({ 'Members@odata.count': 4 });
    expect(await get('/Drives', 'only', tree(0))).toMatchObject({ 'Members@odata.count': 0 });
    const resources = tree();
    resources.delete(`${ROOT}/Systems/1`);
    expect(await get('/Systems', 'only', resources)).toMatchObject({ Name: 'Systems' });
  });

  it('is refused on other resources', async () => {
    expect(await refusal('/Systems/1', 'only')).toBe('400 QueryNotSupportedOnResource');
  });
});

describe('$select', () => {
  it('shows the selected properties, paths included, and the identifying ones', async () => {
    expect(await get('/Systems/1', '$select=Name,Status/State,Nothing')).toEqual({
      '@odata.id': `${ROOT}/Systems/1`,
      '@odata.type': '#ComputerSystem.v1_27_0.ComputerSystem',
      '@odata.etag': 'W/"1"',
      Name: 'testvm',
      Status: { State: 'Enabled' },
    });
  });

  it('keeps the annotations of a selected property', async () => {
    expect(await get('/Systems/1', '$select=Boot/BootOrder')).toMatchObject({
      Boot: { BootOrder: ['1', '2'], 'BootOrder@Redfish.AllowableValues': ['1', '2'] },
    });
  });

  it('shows a whole property that is selected as a whole and in part', async () => {
    const whole = { Status: { State: 'Enabled', Health: 'OK' } };
    expect(await get('/Systems/1', '$select=Status,Status/State')).toMatchObject(whole);
    expect(await get('/Systems/1', '$select=Status/State,Status')).toMatchObject(whole);
    expect(await get('/Systems/1', '$select=Status/State,Status/Health')).toMatchObject(whole);
  });

  it('applies to elements of lists and to expanded resources', async () => {
    expect(await get('/Systems', '$expand=.&$select=Members/Name')).toEqual({
      '@odata.id': `${ROOT}/Systems`,
      '@odata.type': '#ComputerSystemCollection.ComputerSystemCollection',
      Members: [
        {
          '@odata.id': `${ROOT}/Systems/1`,
          '@odata.type': '#ComputerSystem.v1_27_0.ComputerSystem',
          '@odata.etag': 'W/"1"',
          Name: 'testvm',
        },
      ],
      'Members@odata.count': 1,
    });
  });

  it('keeps plain values although the path continues', async () => {
    expect(await get('/Systems/1', '$select=Name/First,Boot/BootOrder/x')).toMatchObject({
      Name: 'testvm',
      Boot: { BootOrder: ['1', '2'] },
    });
  });

  it.each(['', 'Name,', 'a//b', 'a b', 'x'.repeat(200), 'a/'.repeat(20) + 'a', 'a,'.repeat(300) + 'a'])(
    'refuses %j',
    async (select) => {
      expect(await refusal('/Systems/1', `$select=${select}`)).toBe('400 QueryParameterValueFormatError');
    },
  );
});

describe('$expand', () => {
  it('expands subordinate links, links in Links, or both', async () => {
    expect(await get('/Systems/1', '$expand=.')).toMatchObject({
      Drives: { Name: 'Drives', Members: [{ '@odata.id': `${ROOT}/Drives/0` }, {}, {}, {}] },
      Links: { Chassis: [{ '@odata.id': `${ROOT}/Chassis/1` }] },
    });
    expect((await get('/Systems/1', '$expand=~'))['Drives']).toEqual({ '@odata.id': `${ROOT}/Drives` });
    expect(await get('/Systems/1', '$expand=~')).toMatchObject({ Links: { Chassis: [{ Id: '1' }] } });
    expect(await get('/Systems/1', '$expand=*')).toMatchObject({
      Drives: { Name: 'Drives' },
      Links: { Chassis: [{ Id: '1' }] },
    });
  });

  it('expands as deep as $levels, without cycles', async () => {
    expect(await get('/Systems/1', '$expand=*($levels=3)')).toMatchObject({
      Drives: { Members: [{ Name: 'disk 0' }, {}, {}, {}] },
      Links: { Chassis: [{ Links: { ComputerSystems: [{ '@odata.id': `${ROOT}/Systems/1` }] } }] },
    });
  });

  it('keeps a link to an unreadable resource', async () => {
    expect(await get('/Systems/1', '$expand=*')).toMatchObject({ Missing: { '@odata.id': `${ROOT}/Missing` } });
  });

  it('expands only the members of the page', async () => {
    const { Members } = await get('/Drives', '$expand=.&$skip=1&$top=1');
    expect(Members).toMatchObject([{ Id: '1' }]);
    expect(Members).toHaveLength(1);
  });

  it('reads a resource with several links once and copies only objects with links', async () => {
    const resources = tree();
    const asked: string[] = [];
    const system = resources.get(`${ROOT}/Systems/1`) ?? {};
    const query = parseQuery('$expand=*($levels=3)');
    if (query === undefined) throw new Error('there is no query');
    const twice = {
      '@odata.id': ROOT,
      One: { '@odata.id': `${ROOT}/Systems/1` },
      Two: [{ '@odata.id': `${ROOT}/Systems/1` }, 7],
    };
    const answer = await applyQuery(query, twice, {
      uri: ROOT,
      read: (uri) => {
        asked.push(uri);
        return resources.get(uri);
      },
    });
    expect(asked).toEqual([...new Set(asked)]);
    expect(answer['Two']).toEqual([answer['One'], 7]);
    expect((answer['One'] as JsonObject)['Boot']).toBe(system['Boot']);
    // The source is unchanged.
    expect(resources).toEqual(tree());
  });

  it('refuses an answer that would be too large', async () => {
    const large = get('/Drives', '$expand=.', tree(MAX_EXPANDED + 1));
    await expect(large).rejects.toMatchObject({ status: 507 });
  });

  it.each([
    ['', '400 QueryParameterValueFormatError'],
    ['all', '400 QueryParameterValueFormatError'],
    ['.(levels=1)', '400 QueryParameterValueFormatError'],
    ['.($levels=0)', '400 QueryParameterOutOfRange'],
    ['.($levels=4)', '400 QueryParameterOutOfRange'],
  ])('refuses %j', async (expand, expected) => {
    expect(await refusal('/Systems/1', `$expand=${expand}`)).toBe(expected);
  });
});

describe('$filter', () => {
  it.each([
    ["Name eq 'disk 2'", '2'],
    ["Name eq 'the owner''s'", '1'],
    ["'disk 2' eq Name", '2'],
    ['CapacityBytes ge 20', '2 3'],
    ['CapacityBytes gt 2e1', '3'],
    ['CapacityBytes lt 10.5', '0 1'],
    ['CapacityBytes le -0', '0'],
    ["Name gt 'disk 2'", '1 3'],
    ["Status/Health ne 'OK'", '3'],
    ['Revision eq null', '2'],
    ['Nothing/at/all eq null', '0 1 2 3'],
    ['Revision ne null', '0 1 3'],
    ['WriteCacheEnabled', '0 2'],
    ['WriteCacheEnabled eq false', '1 3'],
    ['not WriteCacheEnabled', '1 3'],
    ["not (Name eq 'disk 2')", '0 1 3'],
    ["not Name eq 'disk 2'", '0 1 3'],
    ["Name eq 'disk 0' or Name eq 'disk 2' and CapacityBytes eq 0", '0'],
    ["(Name eq 'disk 0' or Name eq 'disk 2') and CapacityBytes eq 20", '2'],
    ['Addresses/Port eq 103', '3'],
    ["CapacityBytes eq '10'", ''],
    ["CapacityBytes gt '10'", ''],
    [' ( true eq true ) ', '0 1 2 3'],
  ])('%s', async (filter, expected) => {
    expect(await drivesWhere(filter)).toBe(expected);
  });

  it('accepts a hundred comparisons', async () => {
    expect(await drivesWhere(Array.from({ length: 100 }, (_none, n) => `Id eq '${n}'`).join(' or '))).toBe('0 1 2 3');
  });

  it('counts the matches', async () => {
    expect(await get('/Drives', '$filter=CapacityBytes ge 20')).toMatchObject({ 'Members@odata.count': 2 });
  });

  it('omits unreadable members', async () => {
    const resources = tree();
    resources.delete(`${ROOT}/Drives/2`);
    resources.set(`${ROOT}/Drives`, { Members: [null, [], { Name: 'no link' }, { '@odata.id': `${ROOT}/Drives/2` }] });
    expect(await get('/Drives', '$filter=Id ne null', resources)).toMatchObject({ Members: [] });
  });

  it.each([
    '',
    "Name eq 'x",
    'Name eq',
    'eq eq',
    "'x'",
    'Name like 1',
    'Name eq 1 and',
    '(Name eq 1',
    'Name eq 1)',
    'Name eq (1)',
    'Name eq 12ab',
    'Name eq 1 Name eq 2',
    'a%20%3D%201',
    '$it eq 1',
    `${'('.repeat(30)}Name eq 1${')'.repeat(30)}`,
    `${'not '.repeat(30)}Name eq 1`,
    `Name eq '${'x'.repeat(3000)}'`,
    Array.from({ length: 101 }, () => 'a eq 1').join(' or '),
  ])('refuses %j', async (filter) => {
    expect(await refusal('/Drives', `$filter=${filter}`)).toBe('400 QueryParameterValueFormatError');
  });

  it('is refused on a resource that is not a collection', async () => {
    expect(await refusal('/Systems/1', '$filter=Name eq 1')).toBe('400 QueryNotSupportedOnResource');
  });

  it('accepts or refuses any text without another error', () => {
    const word = fc.constantFrom(..."not ( ) and or eq ne lt Name a/b 'x' 1 true null".split(' '));
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(word, { maxLength: 40 }).map((words) => words.join(' ')),
          fc.string(),
        ),
        (filter) => {
          try {
            parseQuery(`$filter=${encodeURIComponent(filter)}`);
          } catch (error) {
            expect(error).toMatchObject({ status: 400 });
          }
        },
      ),
    );
  });
});

describe('$top and $skip', () => {
  it('page a collection; the next link keeps all other parameters', async () => {
    expect(await get('/Drives', "$filter=Name ne 'disk 0'&$top=2")).toEqual({
      '@odata.id': `${ROOT}/Drives`,
      Name: 'Drives',
      Members: [{ '@odata.id': `${ROOT}/Drives/1` }, { '@odata.id': `${ROOT}/Drives/2` }],
      'Members@odata.count': 3,
      'Members@odata.nextLink': `${ROOT}/Drives?$filter=Name%20ne%20'disk%200'&$top=2&$skip=2`,
    });
    const last = await get('/Drives', "$filter=Name%20ne%20'disk%200'&$top=2&$skip=2");
    expect(last['Members']).toEqual([{ '@odata.id': `${ROOT}/Drives/3` }]);
    expect(last).not.toHaveProperty(['Members@odata.nextLink']);
  });

  it('return an empty page beyond the end and for $top=0', async () => {
    expect(await get('/Drives', '$skip=9')).toMatchObject({ Members: [], 'Members@odata.count': 4 });
    const none = await get('/Drives', '$top=0');
    expect(none).toMatchObject({ Members: [], 'Members@odata.count': 4 });
    expect(none).not.toHaveProperty(['Members@odata.nextLink']);
  });

  it('are refused on a resource that is not a collection', async () => {
    expect(await refusal('/Systems/1', '$top=1')).toBe('400 QueryNotSupportedOnResource');
    expect(await refusal('/Systems/1', '$skip=1')).toBe('400 QueryNotSupportedOnResource');
  });
});
