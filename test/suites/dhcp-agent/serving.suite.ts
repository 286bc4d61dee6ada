import { beforeEach, describe, expect, it } from 'vitest';
import { IP_LEASES } from '../../../api/index.ts';
import { cluster, eventually } from '../../harness/index.ts';
import { agents, type RunningAgent } from './agent-process.ts';
import { addressText, macText, NetworkScene } from './network-scene.ts';
import { Questioner } from './questioner.ts';

const c = await cluster();
const startAgent = agents(c);
const questioner = await Questioner.open();
let scene: NetworkScene;

beforeEach(async () => {
  scene = await NetworkScene.in(c);
});

/** Starts an agent of a pool with a lease. */
async function startServing(): Promise<RunningAgent> {
  await scene.createPool();
  await scene.createLease(1);
  return await startAgent(scene);
}

describe('an agent at its start', () => {
  it('serves existing leases without a change of the pool', async () => {
    const agent = await startServing();
    const ack = await questioner.lease(agent, 1);
    expect(ack).toMatchObject({ type: 'ACK', address: addressText(1), server: '10.9.0.2' });
    expect(ack?.option(6)).toBe('10.9.0.53');
  });

  it('is ready on a network without pools, and serves a pool when it is created', async () => {
    const agent = await startAgent(scene);
    await scene.createLease(1);
    await scene.createPool();
    await eventually(async () => {
      expect(await questioner.lease(agent, 1)).toMatchObject({ type: 'ACK', address: addressText(1) });
    });
  });

  it('ignores settings of a newer manager, and logs them', async () => {
    await scene.createPool();
    await scene.createLease(1);
    const agent = await startAgent(scene, { extraArgs: ['--shades', 'dark', 'light', '--fast'] });
    expect(await questioner.lease(agent, 1)).toMatchObject({ type: 'ACK' });
    expect(agent.log()).toContain('"ignored":["--shades dark light","--fast"]');
  });

  it('reports an invalid lease and an invalid option, and serves all others', async () => {
    await scene.createPool({ options: [{ code: 43, type: 'hex', value: 'what' }] });
    await scene.createLease(1);
    // The schema does not detect a mix of dashes and colons.
    const broken = await scene.createLease(2, { macAddress: '02:00-00:00-00:02' });
    const agent = await startAgent(scene);
    expect(await questioner.lease(agent, 1)).toMatchObject({ type: 'ACK' });
    await eventually(async () => {
      expect(await scene.eventReasons(broken.metadata.name)).toContain('InvalidLease');
      expect(await scene.eventReasons('prod')).toContain('SettingIgnored');
    });
  });
});

describe('a running agent', () => {
  it('serves existing leases with the edited options of the pool', async () => {
    const agent = await startServing();
    await scene.editPool({ ipv4Config: { dns: ['10.9.0.54'], leaseTime: 600 } });
    await eventually(async () => {
      const ack = await questioner.lease(agent, 1);
      expect(ack?.option(6)).toBe('10.9.0.54');
      expect(ack?.option(51)).toBe('600 s');
    });
  });

  it('accepts all spellings of a MAC address', async () => {
    await scene.createPool();
    await scene.createLease(0xab, { macAddress: '02-00-00-00-00-AB' });
    const agent = await startAgent(scene);
    expect(await questioner.lease(agent, 0xab)).toMatchObject({ type: 'ACK', address: addressText(0xab) });
  });

  it('serves an address to its current client after a quick change of the client', async () => {
    const agent = await startServing();
    await scene.deleteLease(1);
    await scene.createLease(1, { macAddress: macText(7) });
    await eventually(async () => {
      expect(await questioner.lease(agent, 7)).toMatchObject({ type: 'ACK', address: addressText(1) });
    });
    expect(await questioner.lease(agent, 1)).toBeUndefined();
    // In vm-dhcp-controller the lease table is no longer updated after this point.
    await scene.deleteLease(1);
    await scene.createLease(2);
    await eventually(async () => {
      expect(await questioner.lease(agent, 2)).toMatchObject({ type: 'ACK' });
    });
    expect(await questioner.lease(agent, 7)).toBeUndefined();
  });

  it('stops serving a released lease immediately', async () => {
    await scene.createPool();
    await scene.createLease(1);
    await scene.createLease(2);
    const agent = await startAgent(scene);
    await scene.releaseLease(1);
    await eventually(async () => {
      expect(await questioner.lease(agent, 1)).toBeUndefined();
    });
    expect((await scene.lease(1)).spec.macAddress).toBe(macText(1));
    expect(await questioner.lease(agent, 2)).toMatchObject({ type: 'ACK' });
  });

  it('does not answer while the pool is paused, and serves the same leases afterwards', async () => {
    const agent = await startServing();
    await scene.editPool({ paused: true });
    await eventually(async () => {
      expect(await questioner.lease(agent, 1)).toBeUndefined();
    });
    await scene.editPool({ paused: false });
    await eventually(async () => {
      expect(await questioner.lease(agent, 1)).toMatchObject({ type: 'ACK', address: addressText(1) });
    });
  });

  it('serves the older of two leases of a MAC address and reports the other one', async () => {
    await scene.createPool();
    await scene.createLease(1);
    const other = await scene.createLease(2, { macAddress: macText(1) });
    const agent = await startAgent(scene);
    const given = await questioner.lease(agent, 1);
    // Both may have the same creation time; then the name decides, as in the manager.
    const first = [await scene.lease(1), other].sort((a, b) => (ageKey(a) < ageKey(b) ? -1 : 1))[0];
    expect(given?.address).toBe(first?.spec.ipAddress);
    const loser = first?.metadata.uid === other.metadata.uid ? await scene.lease(1) : other;
    await eventually(async () => {
      expect(await scene.eventReasons(loser.metadata.name)).toContain('DuplicateMACAddress');
    });
    if (first !== undefined)
      await c.client.delete(IP_LEASES, { namespace: scene.namespace, name: first.metadata.name });
    await eventually(async () => {
      expect((await questioner.lease(agent, 1))?.address).toBe(loser.spec.ipAddress);
    });
  });

  it('refuses an address that the client had before its VM was moved', async () => {
    const agent = await startServing();
    await questioner.lease(agent, 1);
    await scene.deleteLease(1);
    await scene.createLease(9, { macAddress: macText(1) });
    await eventually(async () => {
      const answer = await questioner.ask(agent, { index: 1, type: 'request', requested: addressText(1) });
      expect(answer?.type).toBe('NAK');
    });
    expect(await questioner.lease(agent, 1)).toMatchObject({ type: 'ACK', address: addressText(9) });
  });
});

function ageKey({ metadata }: { metadata: { creationTimestamp?: string; name: string } }): string {
  return `${metadata.creationTimestamp ?? ''} ${metadata.name}`;
}
