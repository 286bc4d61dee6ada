import { expect } from 'vitest';
import { VIRTUAL_MACHINES } from '../../../api/index.ts';
import { eventually } from '../eventually.ts';
import { RedfishClient } from './redfish-client.ts';
import { startSandbox, type Sandbox, type SandboxBmc } from './start-sandbox.ts';

/** A sandbox with one running VM that has an address and a TPM, so that its BMC shows all data. */
export interface PopulatedSandbox {
  sandbox: Sandbox;
  bmc: SandboxBmc;
  redfish: RedfishClient;
}

const TIMEOUT = 60_000;

export async function startPopulatedSandbox(): Promise<PopulatedSandbox> {
  const sandbox = await startSandbox();
  const [bmc] = sandbox.bmcs;
  if (bmc === undefined) throw new Error('the sandbox has no BMC');
  const redfish = new RedfishClient(bmc);
  const { namespace, virtualMachine: name } = bmc;
  await sandbox.client.patch(VIRTUAL_MACHINES, { namespace, name }, 'merge', {
    spec: { template: { spec: { domain: { devices: { tpm: {} } } } } },
  });
  await redfish.reset('On');
  await eventually(
    async () => {
      expect(await redfish.get('/redfish/v1/Systems/1')).toMatchObject({ PowerState: 'On' });
      const { Members } = await redfish.get('/redfish/v1/Systems/1/EthernetInterfaces?$expand=.');
      const text = expect.any(String) as string;
      expect(Members).toMatchObject([{ IPv4Addresses: [{ Address: text, SubnetMask: text, Gateway: text }] }]);
    },
    { timeout: TIMEOUT },
  );
  return { sandbox, bmc, redfish };
}
