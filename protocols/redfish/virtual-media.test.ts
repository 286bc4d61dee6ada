import { beforeEach, describe, expect, it } from 'vitest';
import { MachineError, type MediaDrive } from '../machine/index.ts';
import type { JsonObject } from './json.ts';
import { BASE_VERSION } from './base-registry.ts';
import { RedfishError } from './messages.ts';
import type { Resource } from './resource.ts';
import { ResourceTree } from './service/resource-tree.ts';
import { CALLER, checkAgainstSchema, FakeBmc, needsSchemas, payloadAt } from './testing/index.ts';
import { mediaRoutes } from './virtual-media.ts';

const COLLECTION = '/redfish/v1/Systems/1/VirtualMedia';
const URI = `${COLLECTION}/Cd`;
const STICK = `${COLLECTION}/Usb`;
const SYSTEM = '/redfish/v1/Systems/1';
const RESET_REQUIRED = `Base.${BASE_VERSION}.ResetRequired`;
const IMAGE = 'http://images.example/isos/my%20os.iso';

const WAITING = { id: 'i1', state: 'Waiting', progress: 99, message: 'it needs a power cycle', startedAt: 0 } as const;

let bmc: FakeBmc;

beforeEach(() => {
  bmc = new FakeBmc();
});

function routes() {
  return mediaRoutes(bmc.context);
}

function payload(): Promise<JsonObject | undefined> {
  return payloadAt(routes(), URI);
}

function resource(): Resource {
  const found = routes()
    .find(({ path }) => path.startsWith('/redfish/v1/Systems/') && path.endsWith('}'))
    ?.find({ media: 'Cd' });
  if (found === undefined) throw new Error('there is no drive');
  return found;
}

async function run(name: 'InsertMedia' | 'EjectMedia', parameters: JsonObject = {}): Promise<unknown> {
  const action = resource().actions?.find((candidate) => candidate.name === `VirtualMedia.${name}`);
  return await action?.run(parameters, CALLER);
}

async function patch(changes: JsonObject): Promise<unknown> {
  return await resource().patch?.apply(changes, CALLER);
}

/** Status, message and property of the error response. */
async function refusalOf(work: Promise<unknown>): Promise<unknown> {
  const error: unknown = await work.catch((reason: unknown) => reason);
  if (!(error instanceof RedfishError)) throw new Error('it is not refused', { cause: error });
  const [message] = error.messages;
  const id = message?.MessageId.split('.').at(-1);
  return { status: error.status, id, property: message?.RelatedProperties?.[0], why: message?.Resolution };
}

function put(drive: Partial<MediaDrive>): void {
  bmc.machine.media.drive = { ...bmc.machine.media.drive, ...drive };
}

describe('a virtual media drive', () => {
  it('is a resource of the System, linked from the Manager', async () => {
    const tree = new ResourceTree(routes);
    expect(await payloadAt(routes(), COLLECTION)).toMatchObject({
      Members: [{ '@odata.id': URI }, { '@odata.id': STICK }],
    });
    for (const uri of [URI, '/redfish/v1/Managers/1/VirtualMedia/Cd']) {
      expect(await payloadAt(routes(), uri)).toMatchObject({ '@odata.id': URI, Id: 'Cd' });
    }
    expect(await payloadAt(routes(), '/redfish/v1/Managers/1/VirtualMedia')).toMatchObject({ '@odata.id': COLLECTION });
    expect(tree.find(`${COLLECTION}/Floppy`)).toBeUndefined();
  });

  it('may be a USB stick, by which clients find the place for a configuration drive', needsSchemas, async () => {
    const stick = (await payloadAt(routes(), STICK)) ?? {};
    expect(stick).toMatchObject({ Id: 'Usb', Name: 'Virtual USB stick', MediaTypes: ['USBStick'], Inserted: false });
    expect(checkAgainstSchema(stick)).toEqual([]);
  });

  it('can be empty', async () => {
    expect(await payload()).toMatchObject({
      MediaTypes: ['CD', 'DVD'],
      Image: null,
      ImageName: null,
      ConnectedVia: 'NotConnected',
      Inserted: false,
      TransferMethod: null,
      TransferProtocolType: null,
      Status: { State: 'Enabled', Health: 'OK' },
    });
  });

  it('shows its image, without the password', async () => {
    await run('InsertMedia', { Image: IMAGE, UserName: 'maker', Password: 'anything' });
    put({ transferMethod: 'Stream' });
    expect(await payload()).toMatchObject({
      Image: IMAGE,
      ImageName: 'my os.iso',
      ConnectedVia: 'URI',
      Inserted: true,
      WriteProtected: true,
      UserName: 'maker',
      Password: null,
      TransferMethod: 'Stream',
      TransferProtocolType: 'HTTP',
    });
    put({ image: 'https://images.example/%', isInserted: false });
    expect(await payload()).toMatchObject({ ImageName: '%', TransferProtocolType: 'HTTPS' });
    put({ image: 'https://images.example/' });
    expect(await payload()).toMatchObject({ ImageName: 'images.example' });
  });

  it('shows that an insertion has failed', async () => {
    put({ image: IMAGE, insertion: { id: 'i1', state: 'Failed', message: 'no', resolution: 'Retry.', startedAt: 0 } });
    expect(await payload()).toMatchObject({
      Inserted: false,
      Status: { Health: 'Warning', Conditions: [{ Message: 'no', Resolution: 'Retry.' }] },
    });
  });

  it('is not connected while a running guest keeps its old disk, and says what is needed', needsSchemas, async () => {
    put({ image: IMAGE, isInserted: true, insertion: WAITING });
    const shown = (await payload()) ?? {};
    expect(shown).toMatchObject({
      Inserted: true,
      ConnectedVia: 'NotConnected',
      Status: {
        Health: 'Warning',
        Conditions: [
          {
            MessageId: RESET_REQUIRED,
            MessageArgs: [`${SYSTEM}/Actions/ComputerSystem.Reset`, 'PowerCycle'],
            Message: WAITING.message,
          },
        ],
      },
    });
    expect(checkAgainstSchema(shown)).toEqual([]);
  });

  it('conforms to its schema without an image', needsSchemas, async () => {
    expect(checkAgainstSchema((await payload()) ?? {})).toEqual([]);
  });
});

describe('InsertMedia', () => {
  it('accepts Image only, as sushy sends it', async () => {
    expect(await run('InsertMedia', { Image: IMAGE })).toBeUndefined();
    expect(bmc.machine.media.inserted).toEqual([
      { image: { image: IMAGE, isInserted: true, isWriteProtected: true }, requester: CALLER.requester },
    ]);
  });

  it('answers with a Task until the guest has the image', async () => {
    const { media } = bmc.machine;
    const insert = media.insert.bind(media);
    for (const [state, answer] of [
      ['Importing', { task: '/redfish/v1/TaskService/Tasks/i1' }],
      ['Waiting', { task: '/redfish/v1/TaskService/Tasks/i1' }],
      ['Done', undefined],
    ] as const) {
      bmc.machine.media.insert = async (...all) => {
        await insert(...all);
        put({ insertion: { ...WAITING, state } });
      };
      expect(await run('InsertMedia', { Image: IMAGE })).toEqual(answer);
      await run('EjectMedia');
    }
  });

  it('accepts all parameters that bmclib and Ansible send', async () => {
    const full = {
      Image: IMAGE,
      Inserted: true,
      WriteProtected: true,
      TransferMethod: 'Stream',
      UserName: '',
      Password: '',
    };
    expect(await run('InsertMedia', { ...full, TransferProtocolType: 'HTTP' })).toBeUndefined();
    expect(bmc.machine.media.inserted[0]?.image).toEqual({ image: IMAGE, isInserted: true, isWriteProtected: true });
  });

  it('names the invalid parameter', async () => {
    expect(await refusalOf(run('InsertMedia', { Image: IMAGE, TransferProtocolType: 'HTTPS' }))).toEqual({
      status: 400,
      id: 'ActionParameterValueConflict',
      property: '#/TransferProtocolType',
      why: expect.any(String) as string,
    });
    expect(await refusalOf(run('InsertMedia', { Image: IMAGE, WriteProtected: false }))).toEqual({
      status: 400,
      id: 'ActionParameterValueError',
      property: '#/WriteProtected',
      why: 'Images are read-only. Omit WriteProtected.',
    });
    bmc.machine.media.nextError = new MachineError('NotSupported', 'there is no such image');
    expect(await refusalOf(run('InsertMedia', { Image: IMAGE }))).toEqual({
      status: 400,
      id: 'ActionParameterValueError',
      property: '#/Image',
      why: 'there is no such image',
    });
    expect(bmc.machine.media.inserted).toEqual([]);
  });

  it('answers 409 if the drive is not empty', async () => {
    await run('InsertMedia', { Image: IMAGE });
    expect(await refusalOf(run('InsertMedia', { Image: IMAGE }))).toMatchObject({ status: 409, id: 'ResourceInUse' });
  });

  it('passes program errors on', async () => {
    bmc.machine.media.nextError = new Error('a bug');
    await expect(run('InsertMedia', { Image: IMAGE })).rejects.toThrow('a bug');
  });
});

describe('EjectMedia', () => {
  it('empties the drive, and succeeds if it is empty', async () => {
    await run('InsertMedia', { Image: IMAGE });
    expect(await run('EjectMedia')).toBeUndefined();
    expect(await payload()).toMatchObject({ Image: null, ImageName: null, Inserted: false });
    expect(await run('EjectMedia')).toBeUndefined();
  });

  it('reports what the guest keeps', async () => {
    await run('InsertMedia', { Image: IMAGE });
    bmc.machine.media.kept = 'the guest still has it';
    const [MessageId, MessageArgs] = [RESET_REQUIRED, [`${SYSTEM}/Actions/ComputerSystem.Reset`, 'PowerCycle']];
    const message = expect.objectContaining({ MessageId, MessageArgs, Resolution: 'the guest still has it' }) as object;
    expect(await run('EjectMedia')).toEqual({ messages: [message] });
    expect(await payload()).toMatchObject({ Image: null, Inserted: false });
    await run('InsertMedia', { Image: IMAGE });
    expect(await patch({ Image: null })).toEqual([message]);
  });

  it('reports errors of the machine', async () => {
    bmc.machine.media.nextError = new MachineError('Busy', 'not now');
    expect(await refusalOf(run('EjectMedia'))).toMatchObject({
      status: 503,
      id: 'ServiceTemporarilyUnavailable',
      why: 'not now',
    });
    bmc.machine.media.nextError = new Error('a bug');
    await expect(run('EjectMedia')).rejects.toThrow('a bug');
  });
});

describe('a PATCH of a drive', () => {
  it('does not call VerifyCertificate and WriteProtected writable: it refused to change them', () => {
    const writable = Object.keys(resource().patch?.rules.properties ?? {});
    expect(writable).toEqual(['Image', 'Inserted', 'UserName', 'Password', 'TransferMethod', 'TransferProtocolType']);
  });

  it('inserts an image once and ejects it', async () => {
    await patch({ Image: IMAGE, Inserted: true });
    await patch({ Image: IMAGE, Inserted: true });
    await patch({ Inserted: true });
    await patch({ UserName: 'maker' });
    expect(bmc.machine.media.inserted).toHaveLength(1);
    expect(await payload()).toMatchObject({ Image: IMAGE, Inserted: true });
    await patch({ Image: null });
    expect(await payload()).toMatchObject({ Image: null, Inserted: false });
    await patch({ Image: IMAGE });
    await patch({ Inserted: false });
    expect(await payload()).toMatchObject({ Image: null, Inserted: false });
    await patch({ Image: '', Inserted: false });
  });

  it('accepts an image whose import is running', async () => {
    put({ image: IMAGE, insertion: { id: 'i1', state: 'Importing', message: '', startedAt: 0 } });
    await patch({ Inserted: true });
    expect(bmc.machine.media.inserted).toEqual([]);
  });

  it.each<[JsonObject, string, string]>([
    [{ Image: null, Inserted: true }, 'PropertyValueConflict', '#/Inserted'],
    [{ Inserted: true }, 'PropertyValueConflict', '#/Inserted'],
    [{ UserName: 'maker' }, 'PropertyValueConflict', '#/UserName'],
    [{ Image: IMAGE, TransferProtocolType: 'HTTPS' }, 'PropertyValueConflict', '#/TransferProtocolType'],
  ])('is refused: %j', async (changes, id, property) => {
    expect(await refusalOf(patch(changes))).toMatchObject({ status: 400, id, property });
  });

  it('reports errors of the machine', async () => {
    bmc.machine.media.nextError = new MachineError('NotSupported', 'there is no such image');
    expect(await refusalOf(patch({ Image: IMAGE }))).toEqual({
      status: 400,
      id: 'PropertyValueError',
      property: '#/Image',
      why: 'there is no such image',
    });
    bmc.machine.media.nextError = new Error('a bug');
    await expect(patch({ Image: IMAGE })).rejects.toThrow('a bug');
  });
});
