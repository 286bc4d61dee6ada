import { factOf } from '../machine-facts.ts';
import type { Section } from '../section.ts';
import { measureIpmitool } from './ipmitool-time.ts';
import { measureLoad } from './load.ts';
import { startOurs } from './ours.ts';
import { pyghmiVersion, startPeers } from './peers/index.ts';

/** IPMI, as ipmitool and as a load client see it. */
export async function measureIpmi(progress: (line: string) => void): Promise<Section> {
  const ours = await startOurs();
  const { contenders, leftOut } = await startPeers(progress);
  const all = [ours, ...contenders];
  try {
    const times = await measureIpmitool(all, progress);
    const loads = await measureLoad(all, progress);
    return {
      title: 'IPMI',
      introduction: introduction(),
      inputs: [...inputs(), ...leftOut, ...loads.notes],
      measurements: [...times, ...loads.measurements],
    };
  } finally {
    await Promise.all(all.map((contender) => contender.close()));
  }
}

function introduction(): string[] {
  return [
    '- groundcrew: the agent as the image has it, for a running virtual machine of the KubeVirt simulator. A command that',
    '  changes a virtual machine is answered when the API server has it. After the first `power on` the machine is on',
    '  already, here and there. Its start includes the API server: it knows its accounts before it answers.',
    `- fakebmc: the sample BMC of pyghmi ${pyghmiVersion()}, whose code VirtualBMC runs on.`,
    '  It changes a variable.',
    '- ipmi_sim: the simulator of [OpenIPMI](https://openipmi.sourceforge.io/), in C. It does not answer the question for',
    '  cipher suites that ipmitool asks unless it is given `-C`.',
    '- Requests are Get Chassis Status with cipher suite 3, the next one of a session when the answer is there. A whole',
    '  session is the question for the capabilities, the log-in, the privilege level, one request and the log-out. The',
    '  client is one Node process of ours on the same two cores, so that a rate is that of both together. It does not sleep',
    '  while it waits, so that its own waking up is not counted as a time of the server.',
  ];
}

function inputs(): string[] {
  return [
    ...factOf('ipmitool', '-V'),
    ...factOf('python3', '--version'),
    ...factOf('dpkg-query', '--show', '--showformat=${Package} ${Version}', 'openipmi'),
  ];
}
