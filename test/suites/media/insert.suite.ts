import { describe, expect, it } from 'vitest';
import { DATA_VOLUMES, VIRTUAL_MACHINE_BMCS } from '../../../api/index.ts';
import { CONFIG_MAPS, EVENTS, SECRETS, TransportError } from '@groundcrew/controller-runtime';
import { cluster, eventually } from '../../harness/index.ts';
import { startFileServer } from '../../harness/scenes/file-server.ts';
import { anImage, COLLECTED, driveOf, MediaScene, requester } from './media-scene.ts';

const world = await cluster();
await world.standIns({
  parts: ['kubevirt', 'cdi'],
  bootTime: 60,
  cdi: { progressInterval: 25, times: { backOff: 50, maxBackOff: 100 } },
});
const scene = new MediaScene(world, await world.namespace());
const image = Buffer.alloc(300_000, 'groundcrew');
let isFickle = true;
const failing = Promise.withResolvers<undefined>();
const gate = Promise.withResolvers<undefined>();
const login = `Basic ${Buffer.from('maker:secret').toString('base64')}`;
const server = await startFileServer(image, {
  '/missing.iso': (_request, response) => {
    response.writeHead(404).end();
  },
  '/held.iso': (request, response) => {
    response.writeHead(200, { 'content-length': image.length });
    if (request.method === 'HEAD') response.end();
    else void gate.promise.then(() => response.end(image));
  },
  '/endless.iso': (request, response) => {
    response.writeHead(200, { 'content-length': image.length });
    if (request.method === 'HEAD') response.end();
  },
  '/private.iso': (request, response) => {
    if (request.headers.authorization !== login) response.writeHead(401).end();
    else response.writeHead(200, { 'content-length': image.length }).end(request.method === 'HEAD' ? undefined : image);
  },
  '/signed.iso': (request, response) => {
    if (request.url?.endsWith('?X-Amz-Signature=hush') !== true) response.writeHead(403).end();
    else response.writeHead(200, { 'content-length': image.length }).end(request.method === 'HEAD' ? undefined : image);
  },
  '/fickle.iso': (request, response) => {
    if (request.method === 'HEAD') response.writeHead(200, { 'content-length': image.length }).end();
    else if (isFickle) void failing.promise.then(() => response.writeHead(410).end());
    else response.end(image);
  },
});
const tls = await startFileServer(image, {}, {});
/** The root disk and the owner's medium in the drive. */
const OWN = [
  { name: 'root', containerDisk: { image: 'example.invalid/disk' } },
  { name: 'tools', containerDisk: { image: 'example.invalid/tools' } },
];
const DRIVE = [{}, { name: 'tools', cdrom: { bus: 'sata' } }];

describe('an image', { concurrent: true }, () => {
  it('is inserted into a drive that is added to a machine without one, and is present after power on', async () => {
    await scene.machine('bare');
    const before = (await scene.vm('bare')).spec.template;
    const agent = await scene.agent('bare');
    await agent.machine.media.insert('Cd', anImage(`${server.url}/bare.iso`), requester);
    expect(driveOf(agent)).toMatchObject({
      image: `${server.url}/bare.iso`,
      insertion: { message: expect.any(String) as string },
    });
    await scene.untilPhase('bare', 'Inserted');
    await eventually(() => {
      expect(driveOf(agent)).toMatchObject({ isInserted: true, insertion: { state: 'Done', progress: 100 } });
    });
    await agent.machine.setBootOverride({ device: 'Cd', persistence: 'Once' }, requester);
    await agent.machine.power('On', requester);
    const vmi = await scene.vms.untilRunning('bare');
    expect(vmi.spec.volumes).toContainEqual({ name: 'bmc-cd', dataVolume: { name: 'bare-bmc-cd' } });
    expect(vmi.spec.domain.devices.disks).toContainEqual({
      name: 'bmc-cd',
      // KubeVirt adds the closed tray and read-only.
      cdrom: expect.objectContaining({ bus: 'sata' }) as object,
      bootOrder: 1,
    });
    await eventually(async () => {
      expect(
        (await scene.vm('bare')).spec.template.spec.domain.devices.disks?.map(({ bootOrder }) => bootOrder),
      ).toEqual([undefined, undefined]);
    });
    await agent.machine.media.eject('Cd', requester);
    expect(driveOf(agent)).toMatchObject({ isInserted: false, insertion: { state: 'Done' } });
    expect(driveOf(agent)).not.toHaveProperty('image');
    expect((await scene.vm('bare')).spec.template).toEqual(before);
    // The claim is in use until the guest that was booted with it ends.
    await agent.machine.power('ForceOff', requester);
    await eventually(async () => {
      expect(
        await world.client.find(DATA_VOLUMES, { namespace: scene.namespace, name: 'bare-bmc-cd' }),
      ).toBeUndefined();
    }, COLLECTED);
    // Ejects once more.
    await agent.machine.media.eject('Cd', requester);
  });

  it('replaces the owner’s medium until it is ejected, and on a running machine waits for the next boot', async () => {
    await scene.machine('swap', { runStrategy: 'Always', disks: DRIVE, volumes: OWN });
    const before = (await scene.vm('swap')).spec.template;
    const agent = await scene.agent('swap');
    await agent.machine.media.insert('Cd', anImage(`${server.url}/swap.iso`), requester);
    const { message } = await scene.untilPhase('swap', 'Waiting');
    expect(message).toContain('powered off and on');
    await eventually(() => {
      expect(driveOf(agent)).toMatchObject({ isInserted: true, insertion: { state: 'Waiting', progress: 99 } });
    });
    await expect(agent.machine.media.insert('Cd', anImage(`${server.url}/b.iso`), requester)).rejects.toMatchObject({
      code: 'InvalidState',
    });
    const first = await scene.vms.untilRunning('swap');
    await agent.machine.power('PowerCycle', requester);
    const second = await scene.vms.untilRunning('swap', first);
    await scene.untilPhase('swap', 'Inserted');
    expect(second.spec.volumes).toMatchObject([OWN[0], { name: 'tools', dataVolume: { name: 'swap-bmc-cd' } }]);
    const kept = await agent.machine.media.eject('Cd', requester);
    expect(kept).toContain('the guest still has it until');
    expect((await scene.entry('swap'))?.message).toBe(kept);
    await eventually(async () => {
      const told = (await world.client.list(EVENTS, { namespace: scene.namespace })).items.map(
        ({ message }) => message,
      );
      expect(told).toContainEqual(
        expect.stringMatching(/^Eject .*swap\.iso, as admin asked .*: .*the guest still has it/),
      );
    });
    expect((await scene.vm('swap')).spec.template).toEqual(before);
    // The guest still has the first image; the second is inserted at the next boot.
    await agent.machine.media.insert('Cd', anImage(`${server.url}/next.iso`), requester);
    await scene.untilPhase('swap', 'Waiting');
    await agent.machine.power('PowerCycle', requester);
    const third = await scene.vms.untilRunning('swap', second);
    await scene.untilPhase('swap', 'Inserted');
    expect(third.spec.volumes).toMatchObject([OWN[0], { name: 'tools', dataVolume: { name: 'swap-bmc-cd-2' } }]);
    await agent.machine.media.eject('Cd', requester);
    expect((await scene.vm('swap')).spec.template).toEqual(before);
  });

  it('delays a power on until the image is ready', async () => {
    await scene.machine('early', { disks: DRIVE, volumes: OWN });
    const agent = await scene.agent('early');
    await agent.machine.media.insert('Cd', anImage(`${server.url}/held.iso`), requester);
    await scene.untilPhase('early', 'Importing');
    expect(driveOf(agent)).toMatchObject({ isInserted: false, insertion: { state: 'Importing' } });
    await agent.machine.power('On', requester);
    await scene.vms.until('early', ({ vm }) => vm.status?.printableStatus === 'Provisioning');
    gate.resolve(undefined);
    await scene.vms.untilRunning('early');
    await scene.untilPhase('early', 'Inserted');
  });

  it.each(['Manual', 'Always'] as const)(
    'that is ejected while the machine waits for it lets the machine start without it (%s)',
    async (runStrategy) => {
      const name = `left-${runStrategy.toLowerCase()}`;
      await scene.machine(name, { runStrategy, disks: DRIVE, volumes: OWN });
      const agent = await scene.agent(name);
      await agent.machine.media.insert('Cd', anImage(`${server.url}/endless.iso`), requester);
      await scene.untilPhase(name, 'Importing');
      await agent.machine.power(runStrategy === 'Always' ? 'PowerCycle' : 'On', requester);
      await scene.vms.until(name, ({ vm }) => vm.status?.printableStatus === 'Provisioning');
      expect(await agent.machine.media.eject('Cd', requester)).toBeUndefined();
      const { spec } = await scene.vms.untilRunning(name);
      expect(spec.volumes).toMatchObject(OWN);
    },
  );

  it('without a volume from CDI does not prevent a restart of the machine', async () => {
    await scene.machine('stalled', { disks: DRIVE, volumes: OWN });
    const agent = await scene.agent('stalled');
    const { transport, machine } = agent;
    await machine.power('On', requester);
    const first = await scene.vms.untilRunning('stalled');
    const request = transport.request.bind(transport);
    let isDown = true;
    transport.request = async (asked) => {
      if (isDown && asked.method === 'PATCH' && asked.path.includes('/datavolumes/')) throw new TransportError('down');
      return await request(asked);
    };
    await machine.media.insert('Cd', anImage(`${server.url}/stalled.iso`), requester);
    expect(await scene.entry('stalled')).toMatchObject({ phase: 'Preparing' });
    await machine.power('PowerCycle', requester);
    await scene.vms.untilRunning('stalled', first);
    isDown = false;
    await scene.untilPhase('stalled', 'Waiting');
  });

  it('that does not exist is refused, and the drive stays empty', async () => {
    await scene.machine('wrong');
    const agent = await scene.agent('wrong');
    for (const [url, why] of [
      [`${server.url}/missing.iso`, 'answers 404'],
      [`${server.url}/private.iso`, 'it requires a user name'],
      ['ftp://127.0.0.1/a.iso', 'http:// or https://'],
    ] as const) {
      await expect(agent.machine.media.insert('Cd', anImage(url), requester)).rejects.toMatchObject({
        code: 'NotSupported',
        message: expect.stringContaining(why) as string,
      });
    }
    expect(await scene.entry('wrong')).toBeUndefined();
  });

  it('whose import fails reports the reason, restores the previous medium, and frees the drive for the next image', async () => {
    await scene.machine('fails', { disks: DRIVE, volumes: OWN });
    const before = (await scene.vm('fails')).spec.template;
    const agent = await scene.agent('fails');
    await agent.machine.media.insert('Cd', anImage(`${server.url}/fickle.iso`), requester);
    failing.resolve(undefined);
    const { message } = await scene.untilPhase('fails', 'Failed');
    expect(message).toMatch(/^CDI could not import the image: .*410.*\. Check the URL, and insert the image again$/);
    await eventually(() => {
      const insertion = { state: 'Failed', resolution: 'Check the URL, and insert the image again.' };
      expect(driveOf(agent)).toMatchObject({ isInserted: false, insertion });
    });
    expect((await scene.vm('fails')).spec.template).toEqual(before);
    isFickle = false;
    for (const isEjected of [false, true]) {
      if (isEjected) await agent.machine.media.eject('Cd', requester);
      await agent.machine.media.insert('Cd', anImage(`${server.url}/fickle.iso`), requester);
      await scene.untilPhase('fails', 'Inserted');
    }
  });

  it('can have a user name and a password, which are deleted after the import', async () => {
    await scene.machine('login', { virtualMedia: { allowedHosts: ['127.0.0.1'] } });
    const agent = await scene.agent('login');
    const asked = anImage(`${server.url}/private.iso`, { userName: 'maker', password: 'secret' });
    await agent.machine.media.insert('Cd', asked, requester);
    await scene.untilPhase('login', 'Inserted');
    await eventually(() => {
      expect(driveOf(agent)).toMatchObject({ userName: 'maker', isInserted: true });
    });
    expect(
      await world.client.find(SECRETS, { namespace: scene.namespace, name: 'login-bmc-cd-login' }),
    ).toBeUndefined();
  });

  it('can have a pre-signed URL, whose query is in no status, Event or Redfish answer', async () => {
    await scene.machine('signed');
    const agent = await scene.agent('signed');
    await agent.machine.media.insert('Cd', anImage(`${server.url}/signed.iso?X-Amz-Signature=hush`), requester);
    await scene.untilPhase('signed', 'Inserted');
    const { items } = await world.client.list(EVENTS, { namespace: scene.namespace });
    expect(JSON.stringify([await scene.entry('signed'), driveOf(agent).image, items])).not.toContain('hush');
    expect(driveOf(agent).image).toBe(`${server.url}/signed.iso?***`);
    expect(
      await world.client.find(SECRETS, { namespace: scene.namespace, name: 'signed-bmc-cd-login' }),
    ).toBeUndefined();
  });

  it('is accepted from a server with a private CA named in the BMC, and only from allowed hosts', async () => {
    const ca = { metadata: { namespace: scene.namespace, name: 'image-ca' }, data: { 'ca.pem': tls.ca ?? '' } };
    await world.client.create(CONFIG_MAPS, { apiVersion: 'v1', kind: 'ConfigMap', ...ca });
    await scene.machine('unknown-ca');
    const stranger = await scene.agent('unknown-ca');
    await expect(stranger.machine.media.insert('Cd', anImage(`${tls.url}/a.iso`), requester)).rejects.toMatchObject({
      code: 'NotSupported',
      message: expect.stringContaining('not trusted') as string,
    });
    await scene.machine('private-ca', {
      virtualMedia: { tls: { caBundleConfigMapRef: { name: 'image-ca' } }, allowedHosts: [new URL(tls.url).host] },
    });
    const agent = await scene.agent('private-ca');
    await expect(agent.machine.media.insert('Cd', anImage(`${server.url}/a.iso`), requester)).rejects.toMatchObject({
      message: expect.stringContaining('allowedHosts') as string,
    });
    await agent.machine.media.insert('Cd', anImage(`${tls.url}/a.iso`), requester);
    await scene.untilPhase('private-ca', 'Inserted');
  });

  it('is not fetched from an address of the agent’s machine unless the owner allows that host', async () => {
    await scene.machine('inward');
    const agent = await scene.agent('inward', { allowsLoopback: false });
    const asked = `${server.url}/inward.iso`;
    await expect(agent.machine.media.insert('Cd', anImage(asked), requester)).rejects.toMatchObject({
      code: 'NotSupported',
      message: expect.stringContaining('which is an address of this machine itself') as string,
    });
    expect(server.requests.filter((request) => request.endsWith('/inward.iso'))).toEqual([]);
    expect(await scene.entry('inward')).toBeUndefined();
    await eventually(async () => {
      await agent.events.flush();
      const { items } = await world.client.list(EVENTS, { namespace: scene.namespace });
      expect(
        items.filter(({ reason }) => reason === 'MediaInsertedRefused').map(({ message }) => message),
      ).toContainEqual(
        expect.stringMatching(/^Refused: insert .*inward\.iso, as admin asked .*virtualMedia\.allowedHosts/),
      );
    });
    const redfish = { virtualMedia: { allowedHosts: ['127.0.0.1'] } };
    await world.client.patch(VIRTUAL_MACHINE_BMCS, scene.bmc('inward'), 'merge', { spec: { redfish } });
    await eventually(() => agent.machine.media.insert('Cd', anImage(asked), requester));
    await scene.untilPhase('inward', 'Inserted');
  });

  it('does not change a DataVolume of another owner with its name', async () => {
    await scene.machine('taken');
    const agent = await scene.agent('taken');
    const ref = { namespace: scene.namespace, name: 'taken-bmc-cd' };
    const source = { http: { url: `${server.url}/theirs.iso` } };
    await world.client.create(DATA_VOLUMES, {
      apiVersion: 'cdi.kubevirt.io/v1beta1',
      kind: 'DataVolume',
      metadata: ref,
      spec: { source, storage: { resources: { requests: { storage: '1Mi' } } } },
    });
    await expect(agent.machine.media.insert('Cd', anImage(`${server.url}/a.iso`), requester)).rejects.toMatchObject({
      code: 'InvalidState',
      message: expect.stringContaining('belongs to another owner') as string,
    });
    expect((await world.client.get(DATA_VOLUMES, ref)).spec.source).toEqual(source);
  });

  it('is deleted with its BMC', async () => {
    await scene.machine('owned', { disks: DRIVE, volumes: OWN });
    const agent = await scene.agent('owned');
    await agent.machine.media.insert('Cd', anImage(`${server.url}/owned.iso`), requester);
    await scene.untilPhase('owned', 'Inserted');
    await agent.close();
    await world.client.delete(VIRTUAL_MACHINE_BMCS, scene.bmc('owned'));
    await eventually(async () => {
      expect(
        await world.client.find(DATA_VOLUMES, { namespace: scene.namespace, name: 'owned-bmc-cd' }),
      ).toBeUndefined();
    }, COLLECTED);
  });
});
