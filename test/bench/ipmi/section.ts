import { factOf } from '../machine-facts.ts';
import type { Section } from '../section.ts';
import { measureIpmitool } from './ipmitool-time.ts';
import { startOurs } from './ours.ts';
import { pyghmiVersion, startPeers } from './peers/index.ts';
import { measureRequestRates } from './request-rate.ts';

/** IPMI, as ipmitool and as a load client see it. */
export async function measureIpmi(progress: (line: string) => void): Promise<Section> {
  const ours = await startOurs();
  const { contenders, leftOut } = await startPeers(progress);
  const all = [ours, ...contenders];
  try {
    const times = await measureIpmitool(all, progress);
    const rates = await measureRequestRates(
      [
        ...all.map(({ name, bmc }) => ({ ...bmc, ...(name === ours.name ? ours.agent : bmc.ipmi), server: name })),
        { ...ours.bmc, ...ours.bmc.ipmi, server: ours.name, way: ", through the sandbox's Service" },
      ],
      progress,
    );
    return {
      title: 'IPMI',
      introduction: introduction(),
      facts: [...facts(), ...leftOut],
      measurements: [...times, ...rates],
    };
  } finally {
    await Promise.all(all.map((contender) => contender.close()));
  }
}

function introduction(): string[] {
  return [
    '- groundcrew: a BMC of the sandbox. ipmitool reaches it through the Service; a command that changes a virtual machine',
    '  is answered when the API server has it. After the first `power on` the machine is on already, here and there.',
    `- fakebmc: the sample BMC of pyghmi ${pyghmiVersion()}, whose code VirtualBMC runs on.`,
    '  It changes a variable.',
    '- ipmi_sim: the simulator of [OpenIPMI](https://openipmi.sourceforge.io/), in C. It does not answer the question for',
    '  cipher suites that ipmitool asks unless it is given `-C`.',
    '- Requests: cipher suite 3, one request in flight per session, straight to the server. The client is one Node process',
    '  on the same machine and takes its share of it, so a rate is that of both together.',
  ];
}

function facts(): string[] {
  return [
    ...factOf('ipmitool', '-V'),
    ...factOf('python3', '--version'),
    ...factOf('dpkg-query', '--show', '--showformat=${Package} ${Version}', 'openipmi'),
  ];
}
