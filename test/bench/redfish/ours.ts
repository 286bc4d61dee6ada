import { OURS } from '../measurement.ts';
import { ourAgent } from '../our-agent.ts';
import type { Contender } from './contender.ts';
import { startContender } from './start-contender.ts';

/** Our agent, by Redfish. */
export async function startOurs(): Promise<Contender> {
  const { bmc, process, cleanUp } = await ourAgent();
  const { redfish: base, username, password } = bmc;
  const system = '/redfish/v1/Systems/1';
  return await startContender({ name: OURS, base, username, password, system, endurance: 100_000 }, process, cleanUp);
}
