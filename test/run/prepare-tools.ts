import { namespaceProblem } from '../harness/namespaces/index.ts';
import { findTool, howToInstall, installTools, type ToolName } from '../tools/index.ts';
import type { Project } from './tiers.ts';

/** Clients, machines and networks that the DHCP tests are made of. */
const DHCP: readonly ToolName[] = [
  'ip',
  'tcpdump',
  'dhclient',
  'udhcpc',
  'dhcpcd',
  'systemd-networkd',
  'dnsmasq',
  'qemu-system-x86_64',
  'OVMF_CODE_4M.fd',
  'OVMF_VARS_4M.fd',
  'efi-virtio.rom',
];

/** Clients of BMCs: for IPMI, for Redfish, and for both. */
const BMC_CLIENTS: readonly ToolName[] = [
  'ipmitool',
  'ipmi-power',
  'ipmiconsole',
  'script',
  'pyghmi',
  'goipmi',
  'redfish-judges',
  'curl',
  'ansible',
  'chromium',
  'certutil',
  'bmclib-client',
];

/** Without any of `all` a tier cannot run; without one of `some` its tests that need it skip themselves. */
const NEEDS: Record<Project, { all: readonly ToolName[]; some: readonly ToolName[] }> = {
  unit: { all: [], some: [] },
  embedded: { all: [], some: ['kubectl'] },
  kubernetes: { all: ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kubectl', 'helm'], some: [] },
  e2e: {
    all: [],
    some: [...BMC_CLIENTS, 'kubectl', ...DHCP],
  },
};

export type Verdict = { verdict: 'run' } | { verdict: 'skip' | 'fail'; message: string };

/** Sees to it that a tier has its programs, or says what is missing and how to get it. */
export async function prepareTools(tier: Project, options: { install: boolean }): Promise<Verdict> {
  const { all, some } = NEEDS[tier];
  if (options.install) {
    try {
      await installTools([...all, ...some], log);
    } catch (error) {
      return { verdict: 'fail', message: `${tier}: its programs cannot be installed: ${String(error)}` };
    }
    return { verdict: 'run' };
  }
  const unmade = tier === 'e2e' ? namespaceProblem() : undefined;
  if (unmade !== undefined) log(`SKIPPED: tests with real DHCP clients: ${unmade}`);
  for (const name of missing(some)) log(`SKIPPED: tests that need ${name}. This installs it: ${howToInstall(name)}`);
  const lacking = missing(all);
  if (lacking.length === 0) return { verdict: 'run' };
  const lines = new Set(lacking.map(howToInstall));
  const message = `${tier}: ${lacking.join(', ')} not on this machine. This installs it: ${[...lines].join('; ')}`;
  log(`SKIPPED ${message}`);
  return { verdict: 'skip', message };
}

function missing(names: readonly ToolName[]): ToolName[] {
  return names.filter((name) => findTool(name) === undefined);
}

function log(line: string): void {
  console.log(line);
}
