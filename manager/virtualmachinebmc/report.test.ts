import { describe, expect, it } from 'vitest';
import type { Condition, VirtualMachineBMCStatus } from '../../api/index.ts';
import { KubeClient, type TransportRequest } from '@groundcrew/controller-runtime';
import { ScriptedApi } from '@groundcrew/controller-runtime/testing';
import { isReported, report } from './report.ts';
import { aBmc } from './testing/builders.ts';

const STATUS: VirtualMachineBMCStatus = {
  phase: 'Ready',
  observedGeneration: 1,
  clusterIP: '10.43.7.9',
  agent: { name: 'agent-1' },
  conditions: [],
};

async function reported(
  before: VirtualMachineBMCStatus | undefined,
  status: VirtualMachineBMCStatus,
): Promise<TransportRequest[]> {
  const api = new ScriptedApi();
  const requests: TransportRequest[] = [];
  api.intercept = (request) => {
    requests.push(request);
    return { status: 200, body: {} };
  };
  const client = new KubeClient({ transport: api, fieldManager: 'groundcrew-manager' });
  const bmc = aBmc(before === undefined ? {} : { status: before });
  if (!isReported(bmc, status)) await report(bmc, status, client);
  return requests;
}

describe('reporting the status', () => {
  it('applies the manager’s complete part to the status of exactly that BMC', async () => {
    const [request] = await reported(undefined, STATUS);
    expect(request?.path).toContain('/virtualmachinebmcs/web-bmc/status?fieldManager=groundcrew-manager&force=true');
    expect(JSON.parse(request?.body ?? '')).toEqual({
      apiVersion: 'bmc.kubevirt.io/v1beta1',
      kind: 'VirtualMachineBMC',
      metadata: { namespace: 'vms', name: 'web-bmc', uid: 'uid-of-web-bmc' },
      status: STATUS,
    });
  });

  it('writes nothing if its part is up to date, whatever the agent has written', async () => {
    const condition: Condition = {
      type: 'PowerControlAvailable',
      status: 'True',
      reason: 'PowerControlAvailable',
      message: '',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    };
    const agents: VirtualMachineBMCStatus = {
      powerState: 'On',
      agent: { name: 'agent-1', observedGeneration: 1 },
      conditions: [condition],
    };
    expect(await reported({ ...STATUS, ...agents }, STATUS)).toEqual([]);
  });

  it('writes if a field must be removed', async () => {
    expect(await reported({ ...STATUS, loadBalancerIP: '192.0.2.7' }, STATUS)).toHaveLength(1);
  });
});
