import { OURS } from '../measurement.ts';
import { ourAgent } from '../our-agent.ts';
import type { Contender } from './contender.ts';
import { startContender } from './start-contender.ts';

/** Our agent, by IPMI. */
export async function startOurs(): Promise<Contender> {
  return await startContender({ name: OURS, ...(await ourAgent()) });
}
