import { pyghmiVersion } from '../../tools/python-environment.ts';
import { bmcAgent } from '../bmc-agent.ts';
import { versionOf } from '../facts.ts';
import { OURS, type Progress, type Section } from '../measurement.ts';
import { startContender } from './contender.ts';
import { installLoadClient } from './load-client.ts';
import { measureIpmitool } from './ipmitool-time.ts';
import { measureLoad } from './load.ts';
import { startPeers } from './peers.ts';

/** Measures IPMI with ipmitool and with a load client. */
export async function measureIpmi(progress: Progress): Promise<Section> {
  await installLoadClient(progress);
  const ours = await startContender({ name: OURS, ...(await bmcAgent()) });
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
    '- groundcrew: the agent as in the image, for a running virtual machine of the KubeVirt simulator. A command that',
    '  changes a virtual machine is answered after the API server has the change. From the second `power on` on, the',
    '  machine is already on, for all servers. The start of the agent includes reading its accounts from the API server.',
    `- fakebmc: the sample BMC of pyghmi ${pyghmiVersion()}, which shares its code with VirtualBMC. It changes a variable.`,
    '- ipmi_sim: the simulator of [OpenIPMI](https://openipmi.sourceforge.io/), in C. It does not answer the request for',
    '  cipher suites that ipmitool sends unless `-C` is given.',
    '- Requests are Get Chassis Status with cipher suite 3, the next one of a session after each answer. A whole session is',
    '  the request for the capabilities, the log-in, the privilege level, one request and the log-out. The client,',
    '  test/tools/ipmi-load, is a small Go program that shares no code with the agent, waits in the kernel and verifies every',
    '  code of the answers. It runs on the same two cores, so a rate is that of client and server together.',
    '- Each server has half a minute of that load before it is measured. In the first seconds V8 compiles what the agent uses.',
    '- The ratio of rates and processor times is that of the medians, with the lowest and the highest ratio of a round. Goal',
    '  beside ipmi_sim: a ratio of at least 1 for rates and of at least 0.83 (1.2 times its time) for processor times.',
  ];
}

function inputs(): string[] {
  return [
    ...versionOf('ipmitool', '-V'),
    ...versionOf('python3', '--version'),
    ...versionOf('dpkg-query', '--show', '--showformat=${Package} ${Version}', 'openipmi'),
  ];
}
