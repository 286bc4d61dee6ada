import { installTools, lackingTools, type Lack, type ToolName } from '../tools/index.ts';
import type { Project } from './tiers.ts';

/** Clients, machines and network tools of the DHCP tests. */
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

/** BMC clients: for IPMI, for Redfish, and for both. */
const BMC_CLIENTS: readonly ToolName[] = [
  'ipmitool',
  'ipmi-power',
  'ipmiconsole',
  'script',
  'pyghmi',
  'goipmi',
  'redfish-validators',
  'curl',
  'ansible',
  'ironic',
  'chromium',
  'firefox-esr',
  'certutil',
  'bmclib-client',
  'rufio',
];

/** A real control plane, and Helm for the manager's permissions in it. */
const CONTROL_PLANE: readonly ToolName[] = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'helm'];

const VNC: readonly ToolName[] = ['vncsnapshot', 'asyncvnc'];

/** A tier cannot run if one of `all` is missing. If one of `some` is missing, the tests that need it are skipped. */
const NEEDS: Record<Project, { all: readonly ToolName[]; some: readonly ToolName[] }> = {
  unit: { all: [], some: ['previous-release'] },
  embedded: { all: [], some: ['kubectl', 'previous-release', ...VNC] },
  kubernetes: { all: [...CONTROL_PLANE, 'kubectl'], some: ['promtool', 'previous-release'] },
  kubevirt: {
    all: [...CONTROL_PLANE, 'virt-api', 'virt-controller', 'kubevirt-manifests'],
    some: ['ipmitool', 'curl', 'previous-release', ...VNC],
  },
  e2e: {
    all: [],
    some: [...BMC_CLIENTS, 'kubectl', 'helm', ...DHCP],
  },
};

/** Whether the machine can run the suites on a real API server and on the real KubeVirt. */
export function hasRealServers(): boolean {
  return lackingTools([...NEEDS.kubernetes.all, ...NEEDS.kubevirt.all]).length === 0;
}

export type Verdict =
  | { verdict: 'run' }
  | { verdict: 'skip'; lacks: readonly Lack[] }
  | { verdict: 'fail'; message: string };

/** Installs the programs of a tier, or returns the missing programs without which it cannot run. */
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
  const lacks = lackingTools(all);
  return lacks.length === 0 ? { verdict: 'run' } : { verdict: 'skip', lacks };
}

function log(line: string): void {
  console.log(line);
}
