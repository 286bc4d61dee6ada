import { describe, expect, it } from 'vitest';
import { IP_LEASES } from '../../../api/index.ts';
import { cluster, eventually } from '../../harness/index.ts';
import { agents, type RunningAgent } from '../dhcp-agent/agent-process.ts';
import { NetworkScene } from '../dhcp-agent/network-scene.ts';
import { Questioner } from '../dhcp-agent/questioner.ts';

const c = await cluster();
const startAgent = agents(c);
const questioner = await Questioner.open();

const FIRMWARE = { vendorClass: 'PXEClient:Arch:00000:UNDI:002001' };
const HTTP_FIRMWARE = { vendorClass: 'HTTPClient:Arch:00016:UNDI:003001' };
const BOOT_FILE = 67;

describe('two interfaces of a VM with a one-time network boot', () => {
  it('get boot files until one of them has booted; then the manager disables the other one', async () => {
    const scene = await NetworkScene.in(c);
    await scene.createPool({ netboot: { nextServer: '10.9.0.5', bootFiles: { bios: 'pxelinux.0' } } });
    const boot = { vmiUID: 'vmi-1', mode: 'Pxe' } as const;
    const [, { metadata }] = [await scene.createLease(1, { boot }), await scene.createLease(2, { boot })];
    const agent = await startAgent(scene);
    expect(await bootFile(agent, 1)).toBe('pxelinux.0');
    await questioner.lease(agent, 1);
    await eventually(async () => {
      expect((await scene.lease(1)).status?.bootConsumedUID).toBe('vmi-1');
    });
    expect(await bootFile(agent, 1)).toBeUndefined();
    // The firmware has tried both interfaces; the manager sees both leases.
    expect(await bootFile(agent, 2)).toBe('pxelinux.0');
    const ref = { namespace: scene.namespace, name: metadata.name };
    await c.client.patch(IP_LEASES, ref, 'merge', { spec: { boot: { consumed: true } } });
    await eventually(async () => {
      expect(await bootFile(agent, 2)).toBeUndefined();
    });
    // The next VMI follows the pool.
    await c.client.patch(IP_LEASES, ref, 'merge', { spec: { boot: null } });
    await eventually(async () => {
      expect(await bootFile(agent, 2)).toBe('pxelinux.0');
    });
  });
});

describe('a VM with HTTP boot', () => {
  const uri = 'https://10.9.0.5/boot.iso?signed=yes';

  it.each([
    [
      'with network boot',
      { nextServer: '10.9.0.5', bootFiles: { bios: 'pxelinux.0', 'http-x64': 'http://10.9.0.5/x' } },
    ],
    ['without', undefined],
  ])('gets its URI until it has booted, on a pool %s, and no PXE boot file', async (_, netboot) => {
    const scene = await NetworkScene.in(c);
    await scene.createPool(netboot === undefined ? {} : { netboot });
    const boot = { vmiUID: 'vmi-1', mode: 'UefiHttp', uri } as const;
    const { metadata } = await scene.createLease(1, { boot });
    const agent = await startAgent(scene);
    expect(await bootFile(agent, 1)).toBeUndefined();
    expect(await bootFile(agent, 1, HTTP_FIRMWARE)).toBe(uri);
    await questioner.lease(agent, 1);
    await eventually(async () => {
      expect((await scene.lease(1)).status?.bootConsumedUID).toBe('vmi-1');
    });
    expect(await bootFile(agent, 1, HTTP_FIRMWARE)).toBeUndefined();
    const ref = { namespace: scene.namespace, name: metadata.name };
    // For every boot.
    await c.client.patch(IP_LEASES, ref, 'merge', { spec: { boot: { vmiUID: null } } });
    await eventually(async () => {
      expect(await bootFile(agent, 1, HTTP_FIRMWARE)).toBe(uri);
    });
    await questioner.lease(agent, 1);
    await questioner.lease(agent, 1);
    expect(await bootFile(agent, 1, HTTP_FIRMWARE)).toBe(uri);
    expect(await bootFile(agent, 1)).toBeUndefined();
  });
});

async function bootFile(agent: RunningAgent, index: number, firmware = FIRMWARE): Promise<string | undefined> {
  const answer = await questioner.lease(agent, index, firmware);
  expect(answer?.type).toBe('ACK');
  return answer?.option(BOOT_FILE);
}
