import type { Clock } from '@groundcrew/controller-runtime';
import { MachineError } from '../../../protocols/machine/index.ts';
import type { RedfishOptions } from '../../../protocols/redfish/index.ts';
import { SerialQueue } from '../../../protocols/serial-queue.ts';
import { credentialsOf } from '../accounts/credentials.ts';
import type { BmcParts } from '../bmc-parts.ts';
import { ANSWER_WITHIN, inTime } from '../objects/in-time.ts';

/** Switches services of a BMC in its spec. */
export function serviceSwitch(
  { status, secrets, made }: Pick<BmcParts, 'made' | 'secrets' | 'status'>,
  clock: Clock,
): RedfishOptions['switchServices'] {
  const queue = new SerialQueue();
  return async ({ ipmi, http }) => {
    // A BMC with IPMI and credentials that are too long for IPMI serves nothing: its client could not take it back.
    const reading = credentialsOf(made.newest(secrets.credentials?.object), secrets);
    if (ipmi === true && 'problem' in reading)
      throw new MachineError('InvalidState', `IPMI stays off: ${reading.problem}`);
    const spec = {
      ...(ipmi === undefined ? {} : { ipmi: { enabled: ipmi } }),
      ...(http === undefined ? {} : { redfish: { http: { enabled: http } } }),
    };
    const work = (signal: AbortSignal): Promise<void> => status.switchServices(spec, { signal });
    await inTime(work, { queue, clock, within: ANSWER_WITHIN.Redfish });
  };
}
