import { OURS, type Measurement, type Progress, type Section } from '../measurement.ts';
import { ProgressLine } from './progress-line.ts';
import { verdictOf } from './report/text.ts';
import type { FleetOptions, FleetResult } from './results.ts';
import { runFleet } from './run-fleet.ts';

const OPTIONS: FleetOptions = {
  ...{ vms: 1000, cycled: 0, server: 'embedded', placement: 'Shared', bootTime: 1000, killAgent: true },
};

/** Measures a provisioning storm of 1,000 VMs, in which an agent is killed. */
export async function measureFleet(progress: Progress): Promise<Section> {
  const line = new ProgressLine({
    write: (text) => {
      progress(text.trimEnd());
    },
  });
  const result = await runFleet(OPTIONS, line);
  return {
    title: 'Provisioning storm',
    introduction: INTRODUCTION,
    inputs: [verdictOf(result)],
    measurements: measurementsOf(result),
  };
}

const INTRODUCTION = [
  '- `npm run bench -- fleet --kill-agent`: 1,000 VMs with BMCs in shared agents, powered on at once, half by IPMI and half by',
  '  Redfish, after PXE was set as the boot device of each. Each takes a DHCP lease when it boots. When a quarter have been',
  '  powered on, the acting agent of 250 BMCs is killed. Up to five of each half are driven by the real ipmitool and curl.',
  '- The manager and the agents as in the image; API server, simulator of KubeVirt, node and networks, and load generator are',
  '  processes of their own on the same cores. A simulated VM takes 1 s until it runs, and 1 s more until its system is up.',
];

function measurementsOf(result: FleetResult): Measurement[] {
  const { options, storm, setUp, latencies, processes, requests, kill } = result;
  const row = (what: string, unit: Measurement['unit'], value: number | undefined): Measurement[] =>
    value === undefined ? [] : [{ what, server: OURS, unit, values: [value] }];
  const all = processes.reduce((sum, { processorTime }) => sum + processorTime, 0);
  const mostOf = (role: RegExp): number =>
    Math.max(...processes.filter((each) => role.test(each.role)).map(({ most }) => most));
  const last = kill?.ipmi === undefined || kill.redfish === undefined ? undefined : Math.max(kill.ipmi, kill.redfish);
  return [
    ...row('set-up until all BMCs are Ready', 'ms', setUp),
    ...row('VMs powered on until the last has its address', '/s', (options.vms * 1000) / storm),
    ...row('request to its answer, p50', 'ms', latencies.toAnswer.p50),
    ...row('request to its answer, p99', 'ms', latencies.toAnswer.p99),
    ...row('request to a running VM, p50', 'ms', latencies.toRunning.p50),
    ...row('request to a running VM, p99', 'ms', latencies.toRunning.p99),
    ...row('request to the leased address, p50', 'ms', latencies.toLease.p50),
    ...row('request to the leased address, p99', 'ms', latencies.toLease.p99),
    ...row('kill of the agent until all its BMCs answer again', 'ms', last),
    ...row('processor time of all processes in the storm, for each VM', 'ms', all / options.vms),
    ...row('requests of BMC agents in the storm, for each VM', 'requests', requests['BMC agents'].storm),
    ...row('requests of the manager in the storm, for each VM', 'requests', requests.manager.storm),
    ...row('most resident memory of a BMC agent', 'MB', mostOf(/^BMC agent/)),
    ...row('most resident memory of the manager', 'MB', mostOf(/^manager/)),
  ];
}
