import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { IP_LEASES } from '../../../api/index.ts';
import { EVENTS } from '@groundcrew/controller-runtime';
import { cluster, eventually } from '../../harness/index.ts';
import { agents } from './agent-process.ts';
import { addressText, macText, NetworkScene } from './network-scene.ts';
import { Questioner } from './questioner.ts';

const c = await cluster();
const startAgent = agents(c);
const questioner = await Questioner.open();
let scene: NetworkScene;

afterAll(() => {
  questioner.close();
});
beforeEach(async () => {
  scene = new NetworkScene(c.client, await c.namespace());
});

/** Reasons of the Events about an object. */
async function reasons(name: string): Promise<string[]> {
  const { items } = await c.client.list(EVENTS, { namespace: scene.namespace });
  return items.filter(({ involvedObject }) => involvedObject.name === name).map(({ reason }) => reason ?? '');
}

describe('an agent that starts', () => {
  it('gives the leases that are there, though nobody touches the pool after', async () => {
    await scene.createPool();
    await scene.createLease(1);
    const agent = await startAgent(scene.namespace, scene.network);
    const ack = await questioner.lease(agent, 1);
    expect(ack).toMatchObject({ type: 'ACK', address: addressText(1), server: '10.9.0.2' });
    expect(ack?.option(6)).toBe('10.9.0.53');
  });

  it('answers with the address that its index has in the pool', async () => {
    await scene.createPool();
    await scene.createLease(1);
    const agent = await startAgent(scene.namespace, scene.network, { serverIndex: 1 });
    expect(await questioner.lease(agent, 1)).toMatchObject({ type: 'ACK', server: '10.9.0.3' });
  });

  it('is ready on a network without pools, and takes one up when it comes', async () => {
    const agent = await startAgent(scene.namespace, scene.network);
    await scene.createLease(1);
    await scene.createPool();
    await eventually(async () => {
      expect(await questioner.lease(agent, 1)).toMatchObject({ type: 'ACK', address: addressText(1) });
    });
  });

  it('serves all others though one lease and one option make no sense, and says which', async () => {
    await scene.createPool({ options: [{ code: 43, type: 'hex', value: 'what' }] });
    await scene.createLease(1);
    // The schema does not know that dashes and colons do not mix.
    const broken = await scene.createLease(2, { macAddress: '02:00-00:00-00:02' });
    const agent = await startAgent(scene.namespace, scene.network);
    expect(await questioner.lease(agent, 1)).toMatchObject({ type: 'ACK' });
    await eventually(async () => {
      expect(await reasons(broken.metadata.name)).toContain('InvalidLease');
      expect(await reasons('prod')).toContain('SettingIgnored');
    });
  });
});

describe('an agent that serves', () => {
  it('gives existing leases the options of the pool as it is edited', async () => {
    await scene.createPool();
    await scene.createLease(1);
    const agent = await startAgent(scene.namespace, scene.network);
    await scene.editPool({ ipv4Config: { dns: ['10.9.0.54'], leaseTime: 600 } });
    await eventually(async () => {
      const ack = await questioner.lease(agent, 1);
      expect(ack?.option(6)).toBe('10.9.0.54');
      expect(ack?.option(51)).toBe('600 s');
    });
  });

  it('knows a MAC address in any spelling', async () => {
    await scene.createPool();
    await scene.createLease(0xab, { macAddress: '02-00-00-00-00-AB' });
    const agent = await startAgent(scene.namespace, scene.network);
    expect(await questioner.lease(agent, 0xab)).toMatchObject({ type: 'ACK', address: addressText(0xab) });
  });

  it('gives an address to the one that has it now, though it went from one to the other within a moment', async () => {
    await scene.createPool();
    await scene.createLease(1);
    const agent = await startAgent(scene.namespace, scene.network);
    await scene.deleteLease(1);
    await scene.createLease(1, { macAddress: macText(7) });
    await eventually(async () => {
      expect(await questioner.lease(agent, 7)).toMatchObject({ type: 'ACK', address: addressText(1) });
    });
    expect(await questioner.lease(agent, 1)).toBeUndefined();
    // The peer's table is frozen from here on.
    await scene.deleteLease(1);
    await scene.createLease(2);
    await eventually(async () => {
      expect(await questioner.lease(agent, 2)).toMatchObject({ type: 'ACK' });
    });
    expect(await questioner.lease(agent, 7)).toBeUndefined();
  });

  it('is silent about a lease that the manager has released, at once', async () => {
    await scene.createPool();
    await scene.createLease(1);
    await scene.createLease(2);
    const agent = await startAgent(scene.namespace, scene.network);
    await scene.releaseLease(1);
    await eventually(async () => {
      expect(await questioner.lease(agent, 1)).toBeUndefined();
    });
    expect((await scene.lease(1)).spec.macAddress).toBe(macText(1));
    expect(await questioner.lease(agent, 2)).toMatchObject({ type: 'ACK' });
  });

  it('is silent while the pool is paused, and gives the same leases after', async () => {
    await scene.createPool();
    await scene.createLease(1);
    const agent = await startAgent(scene.namespace, scene.network);
    await scene.editPool({ paused: true });
    await eventually(async () => {
      expect(await questioner.lease(agent, 1)).toBeUndefined();
    });
    await scene.editPool({ paused: false });
    await eventually(async () => {
      expect(await questioner.lease(agent, 1)).toMatchObject({ type: 'ACK', address: addressText(1) });
    });
  });

  it('gives a MAC address that has two leases the older, and tells of the other', async () => {
    await scene.createPool();
    await scene.createLease(1);
    const other = await scene.createLease(2, { macAddress: macText(1) });
    const agent = await startAgent(scene.namespace, scene.network);
    const given = await questioner.lease(agent, 1);
    // Both may be of the same second; then the name decides, as for the manager.
    const first = [await scene.lease(1), other].sort((a, b) => (ageKey(a) < ageKey(b) ? -1 : 1))[0];
    expect(given?.address).toBe(first?.spec.ipAddress);
    const loser = first?.metadata.uid === other.metadata.uid ? await scene.lease(1) : other;
    await eventually(async () => {
      expect(await reasons(loser.metadata.name)).toContain('DuplicateMACAddress');
    });
    if (first !== undefined)
      await c.client.delete(IP_LEASES, { namespace: scene.namespace, name: first.metadata.name });
    await eventually(async () => {
      expect((await questioner.lease(agent, 1))?.address).toBe(loser.spec.ipAddress);
    });
  });

  it('refuses an address that the client had before its VM was moved', async () => {
    await scene.createPool();
    await scene.createLease(1);
    const agent = await startAgent(scene.namespace, scene.network);
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
