import { expect } from 'vitest';
import { VIRTUAL_MACHINES } from '../../../api/index.ts';
import { eventually } from '../eventually.ts';
import { RedfishClient } from './redfish-client.ts';
import { startSandbox, type Sandbox, type SandboxBmc } from './start-sandbox.ts';

/** A BMC with a running VM that has an address and a TPM, so that it shows all data. */
export interface PopulatedBmc {
  bmc: SandboxBmc;
  redfish: RedfishClient;
}

/** A sandbox of such BMCs; the fields are those of the first. */
export interface PopulatedSandbox extends PopulatedBmc {
  sandbox: Sandbox;
  all: readonly PopulatedBmc[];
}

const TIMEOUT = 60_000;

/** @param vms number of virtual machines */
export async function startPopulatedSandbox(vms = 1): Promise<PopulatedSandbox> {
  const sandbox = await startSandbox({ vms });
  const all = await Promise.all(sandbox.bmcs.map((bmc) => populate(sandbox, bmc)));
  const [first] = all;
  if (first === undefined) throw new Error('the sandbox has no BMC');
  return { sandbox, all, ...first };
}

async function populate({ client }: Sandbox, bmc: SandboxBmc): Promise<PopulatedBmc> {
  const redfish = new RedfishClient(bmc);
  const { namespace, virtualMachine: name } = bmc;
  await client.patch(VIRTUAL_MACHINES, { namespace, name }, 'merge', {
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
  return { bmc, redfish };
}
