import { expect, it, vi } from 'vitest';
import { BMC_FINALIZER, VIRTUAL_MACHINE_BMCS } from '../../../api/index.ts';
import { cluster, eventually } from '../../harness/index.ts';
import { startFileServer } from '../../harness/scenes/file-server.ts';
import type { TestAgent } from '../power/test-agent.ts';
import { anImage, MediaScene, requester } from './media-scene.ts';

const world = await cluster();
await world.standIns({ parts: ['kubevirt', 'cdi', 'deployments'], bootTime: 60, cdi: { progressInterval: 25 } });
const namespace = await world.namespace();
const scene = new MediaScene(world, namespace);
const server = await startFileServer(Buffer.alloc(300_000, 'groundcrew'));
const MACHINE = {
  disks: [{}, { name: 'tools', cdrom: { bus: 'sata' } }],
  volumes: [
    { name: 'root', containerDisk: { image: 'example.invalid/disk' } },
    { name: 'tools', containerDisk: { image: 'example.invalid/tools' } },
  ],
};
/** A manager has to start first, on a machine that may be busy. */
const RELEASED = { timeout: 60_000 };

/** A write of the VM itself, and no dry run, by which an agent probes what it may do. */
const isOfMachine = (path: string): boolean =>
  /^\/apis\/kubevirt\.io\/.*\/virtualmachines\//.test(path) && !path.includes('dryRun=');
const insert = (name: string, { machine }: TestAgent): Promise<void> =>
  machine.media.insert('Cd', anImage(`${server.url}/${name}.iso`), requester);

it('an image that one agent inserts while another agent ejects it is removed again', async () => {
  const name = 'ejected';
  await scene.machine(name, MACHINE);
  const { template } = (await scene.vm(name)).spec;
  const agent = await scene.agent(name);
  const ejected = vi.fn(async () => {
    const other = await scene.agent(name);
    await other.machine.media.eject('Cd', requester);
  });
  agent.transport.beforeWrite(isOfMachine, ejected);
  await insert(name, agent).catch(() => undefined);
  expect(ejected).toHaveBeenCalledOnce();
  await eventually(async () => {
    expect((await scene.vm(name)).spec.template).toEqual(template);
  });
});

it('a deleted BMC applies neither a pending image nor a pending boot override', async () => {
  const works: Record<string, (name: string, agent: TestAgent) => Promise<unknown>> = {
    image: insert,
    override: (_name, { machine }) => machine.setBootOverride({ device: 'Pxe', persistence: 'Once' }, requester),
  };
  const names = Object.keys(works);
  const onTheirWay = new Set<string>();
  const before = new Map<string, unknown>();
  const ended = await Promise.all(
    Object.entries(works).map(async ([name, work]) => {
      await scene.machine(name, MACHINE);
      before.set(name, whatOwnersSee(await scene.vm(name)));
      const agent = await scene.agent(name);
      const metadata = { finalizers: [BMC_FINALIZER] };
      await world.client.patch(VIRTUAL_MACHINE_BMCS, scene.bmc(name), 'merge', { metadata });
      agent.transport.beforeWrite(isOfMachine, async () => {
        await world.client.delete(VIRTUAL_MACHINE_BMCS, scene.bmc(name));
        onTheirWay.add(name);
        // From here on a manager is at work, which no agent of a test outlives long.
        if (onTheirWay.size === names.length) await world.manager();
        await eventually(async () => {
          expect(await world.client.find(VIRTUAL_MACHINE_BMCS, scene.bmc(name))).toBeUndefined();
        }, RELEASED);
      });
      await work(name, agent).catch(() => undefined);
      return whatOwnersSee(await scene.vm(name));
    }),
  );
  expect([...onTheirWay].toSorted()).toEqual(names.toSorted());
  expect(ended).toEqual(names.map((name) => before.get(name)));
}, 120_000);

/** KubeVirt's own annotations come in their own time. */
function whatOwnersSee({ metadata, spec }: Awaited<ReturnType<MediaScene['vm']>>): object {
  const annotations = Object.entries(metadata.annotations ?? {}).filter(([name]) => !name.startsWith('kubevirt.io/'));
  return { annotations: Object.fromEntries(annotations), template: spec.template };
}
