import { setTimeout } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import type { IPLease } from '../../../api/index.ts';
import { cluster, eventually } from '../../harness/index.ts';
import { agents, type RunningAgent } from './agent-process.ts';
import { addressText, NetworkScene } from './network-scene.ts';
import { Questioner } from './questioner.ts';

const c = await cluster();
const startAgent = agents(c);
const questioner = await Questioner.open();
let scene: NetworkScene;

beforeEach(async () => {
  scene = await NetworkScene.in(c);
  await scene.createPool();
});

/** Starts an agent of a pool with a lease. */
async function startServing(): Promise<RunningAgent> {
  await scene.createLease(1);
  return await startAgent(scene);
}

/** The lease when its status matches. */
async function leaseWith(index: number, status: IPLease['status']): Promise<IPLease> {
  return await eventually(async () => {
    const lease = await scene.lease(index);
    expect(lease.status).toMatchObject(status ?? {});
    return lease;
  });
}

/** The writers of a lease: `<field manager> <subresource>`. */
async function writers(index: number): Promise<string[]> {
  const path = `/apis/network.harvesterhci.io/v1alpha1/namespaces/${scene.namespace}/ipleases`;
  const { body } = await c.http('GET', `${path}/prod.${addressText(index)}`);
  // The typed client omits managedFields.
  const { metadata } = body as { metadata: { managedFields: { manager: string; subresource?: string }[] } };
  return metadata.managedFields.map(({ manager, subresource = '' }) => `${manager} ${subresource}`);
}

describe('the status of a lease', () => {
  it('shows the client, the start, and the latest end', async () => {
    const agent = await startServing();
    await questioner.lease(agent, 1, { hostname: 'web-1', vendorClass: 'udhcp 1.36' });
    const { status } = await leaseWith(1, { state: 'Bound' });
    expect(status).toMatchObject({ clientHostname: 'web-1', vendorClass: 'udhcp 1.36', agent: agent.name });
    expect(status?.firstBound).toBe(status?.lastAck);
    const held = Date.parse(status?.expires ?? '') - Date.parse(status?.lastAck ?? '');
    expect(held).toBe((3600 + 600) * 1000);
    expect(await writers(1)).toContain('groundcrew-agent-dhcp status');
  });

  it('takes one write per lease, the same for the first and the last of 100', async () => {
    const indexes = Array.from({ length: 100 }, (_, index) => index);
    await Promise.all(indexes.map((index) => scene.createLease(index)));
    const agent = await startAgent(scene);
    for (const index of indexes) await questioner.lease(agent, index);
    for (const index of indexes) await leaseWith(index, { state: 'Bound' });
    // The server has the last write before the agent gets its response.
    await eventually(async () => {
      expect(await agent.metric('groundcrew_dhcp_status_backlog')).toBe(0);
    });
    const before = await Promise.all(indexes.map((index) => scene.lease(index)));
    // Renewals and reboots within ten minutes cause no write.
    for (const index of indexes) {
      await questioner.ask(agent, { index, type: 'request', own: addressText(index) });
      await questioner.lease(agent, index);
    }
    expect(await agent.metric('groundcrew_dhcp_status_backlog')).toBe(0);
    const after = await Promise.all(indexes.map((index) => scene.lease(index)));
    expect(after.map(({ metadata }) => metadata.resourceVersion)).toEqual(
      before.map(({ metadata }) => metadata.resourceVersion),
    );
  });

  it('shows that an address was released, and that it was leased again', async () => {
    const agent = await startServing();
    await questioner.lease(agent, 1);
    const bound = await leaseWith(1, { state: 'Bound' });
    await questioner.ask(agent, { index: 1, type: 'release', own: addressText(1), server: '10.9.0.2' });
    const released = await leaseWith(1, { state: 'Released' });
    expect(Date.parse(released.status?.expires ?? '')).toBeLessThan(Date.parse(bound.status?.expires ?? ''));
    expect(await questioner.lease(agent, 1)).toMatchObject({ type: 'ACK', address: addressText(1) });
    await leaseWith(1, { state: 'Bound' });
  });

  it('is not changed by DECLINEs ten seconds apart, and the client gets the same address again', async () => {
    const agent = await startServing();
    await questioner.lease(agent, 1);
    await leaseWith(1, { state: 'Bound' });
    const decline = { index: 1, type: 'decline', requested: addressText(1), server: '10.9.0.2' } as const;
    await questioner.ask(agent, decline);
    await setTimeout(10_500);
    await questioner.ask(agent, decline);
    expect(await questioner.lease(agent, 1)).toMatchObject({ type: 'ACK', address: addressText(1) });
    await eventually(async () => {
      expect(await scene.eventReasons()).toContain('AddressDeclined');
      expect(await agent.metric('groundcrew_dhcp_status_backlog')).toBe(0);
    });
    expect((await scene.lease(1)).status?.state).toBe('Bound');
    expect(await scene.eventReasons()).not.toContain('AddressConflict');
  });

  it('reports another DHCP server with an Event that names it', async () => {
    const agent = await startServing();
    await questioner.ask(agent, { index: 1, type: 'request', requested: addressText(1), server: '10.9.0.66' });
    await eventually(async () => {
      expect(await scene.eventReasons()).toContain('OtherDHCPServer');
    });
    expect(await agent.metric('groundcrew_dhcp_other_server_total')).toBe(1);
    // The sibling agent is not reported.
    await questioner.ask(agent, { index: 1, type: 'request', requested: addressText(1), server: '10.9.0.3' });
    expect(await agent.metric('groundcrew_dhcp_other_server_total')).toBe(1);
  });

  it('is written in the end, however many writes wait', async () => {
    const agent = await startServing();
    await questioner.lease(agent, 1);
    expect(await agent.stop('SIGTERM')).toBe(0);
    expect((await scene.lease(1)).status).toMatchObject({ state: 'Bound', agent: agent.name });
  });

  it('is not written for an unknown client', async () => {
    const agent = await startServing();
    expect(await questioner.lease(agent, 2)).toBeUndefined();
    expect(await agent.metric('groundcrew_dhcp_packets_total{type="Discover",outcome="UnknownClient"}')).toBe(1);
    expect((await scene.lease(1)).status).toEqual({ state: 'Allocated', phase: 'Pending' });
  });
});
