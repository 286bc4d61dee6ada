import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agentName, LABELS, sharedAgentName, VIRTUAL_MACHINE_BMCS } from '../../api/index.ts';
import { DEPLOYMENTS, PODS, SERVICES, STATEFUL_SETS } from '@groundcrew/controller-runtime';
import { eventually } from '../harness/eventually.ts';
import { ipmitool, RedfishClient, startSandbox, type Sandbox, type SandboxBmc } from '../harness/sandbox/index.ts';
import { needs } from '../tools/index.ts';

/** For agents that start on a loaded machine. */
const PATIENT = { timeout: 60_000 };
const AGENT = sharedAgentName(0);

describe('three BMCs in one agent', needs('ipmitool'), () => {
  let sandbox: Sandbox;
  const bmc = (index: number): SandboxBmc => sandbox.bmcs[index] ?? expect.fail(`the sandbox has no BMC ${index}`);

  beforeAll(async () => {
    sandbox = await startSandbox({ vms: 3 });
  });
  afterAll(async () => {
    await sandbox.close();
  });

  const place = async (target: SandboxBmc, placement: string) =>
    await sandbox.client.patch(VIRTUAL_MACHINE_BMCS, target, 'merge', { spec: { placement } });
  const stateOf = async (target: SandboxBmc) => {
    const { status } = await sandbox.client.get(VIRTUAL_MACHINE_BMCS, target);
    const upToDate = status?.conditions?.find(({ type }) => type === 'UpToDate')?.status;
    return { phase: status?.phase, agent: status?.agent?.name, upToDate };
  };
  const untilShared = (target: SandboxBmc) =>
    eventually(async () => {
      expect(await stateOf(target)).toEqual({ phase: 'Ready', agent: AGENT, upToDate: 'True' });
    }, PATIENT);
  const powerOf = async (target: SandboxBmc) => (await ipmitool(target, 'chassis power status')).stdout.trim();
  const serviceOf = async ({ namespace, virtualMachine }: SandboxBmc) => {
    const { metadata, spec } = await sandbox.client.get(SERVICES, { namespace, name: agentName(virtualMachine) });
    return { uid: metadata.uid, clusterIP: spec?.clusterIP, selector: spec?.selector };
  };

  it('are reached by IPMI and Redfish, each at its own address, and act on their own VMs', async () => {
    const before = await Promise.all(sandbox.bmcs.map(serviceOf));
    for (const target of sandbox.bmcs) await place(target, 'Shared');
    await Promise.all(sandbox.bmcs.map(untilShared));
    const { namespace } = bmc(0);
    expect((await sandbox.client.list(DEPLOYMENTS, { namespace, labelSelector: LABELS.bmc })).items).toEqual([]);
    expect(
      (await sandbox.client.list(STATEFUL_SETS, { namespace })).items.map(({ metadata }) => metadata.name),
    ).toEqual([AGENT]);
    for (const [index, { uid, clusterIP }] of before.entries())
      expect(await serviceOf(bmc(index))).toMatchObject({ uid, clusterIP, selector: { [LABELS.sharedAgent]: AGENT } });

    expect((await ipmitool(bmc(0), 'chassis power on')).code).toBe(0);
    expect((await new RedfishClient(bmc(1)).reset('On')).status).toBeLessThan(300);
    await eventually(async () => {
      expect(await Promise.all(sandbox.bmcs.map(powerOf))).toEqual([
        'Chassis Power is on',
        'Chassis Power is on',
        'Chassis Power is off',
      ]);
    }, PATIENT);
    const systems = sandbox.bmcs.map((target) => new RedfishClient(target).get('/redfish/v1/Systems/1'));
    expect((await Promise.all(systems)).map(({ PowerState }) => PowerState)).toEqual(['On', 'On', 'Off']);
  });

  it('of which one moves to an agent of its own and back keep their address and certificate', async () => {
    const target = bmc(0);
    const [service, certificate] = [await serviceOf(target), await certificateOf(target.redfish)];
    const { namespace } = target;
    const pods = async () => (await sandbox.client.list(PODS, { namespace, labelSelector: LABELS.sharedAgent })).items;
    const uids = (await pods()).map(({ metadata }) => metadata.uid);
    for (const placement of ['Dedicated', 'Shared']) {
      await place(target, placement);
      await eventually(async () => {
        const { phase, agent, upToDate } = await stateOf(target);
        expect([phase, agent === AGENT, upToDate]).toEqual(['Ready', placement === 'Shared', 'True']);
      }, PATIENT);
      await eventually(async () => {
        expect(await powerOf(target)).toBe('Chassis Power is on');
      }, PATIENT);
      expect((await serviceOf(target)).uid).toBe(service.uid);
      expect((await serviceOf(target)).clusterIP).toBe(service.clusterIP);
      expect(await certificateOf(target.redfish)).toBe(certificate);
      expect(await powerOf(bmc(1))).toBe('Chassis Power is on');
    }
    // The agent of the others was not disturbed.
    expect((await pods()).map(({ metadata }) => metadata.uid)).toEqual(uids);
  });
});

/** SHA-256 of the certificate that a server shows. */
async function certificateOf(url: string): Promise<string> {
  const { hostname: host, port } = new URL(url);
  return await new Promise((resolve, reject) => {
    const socket = connect({ host, port: Number(port), rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().fingerprint256);
      socket.destroy();
    });
    socket.on('error', reject);
  });
}
